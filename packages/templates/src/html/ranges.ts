/** Offsets in ranges of a text. */

export interface Range {
  start: number;
  /** Behind the last character. */
  end: number;
}

/**
 * Finds the range that an offset stands in. The ranges are in order, and none reaches into the next one;
 * ask for offsets that only grow, so that all together read the ranges once.
 */
export function rangeFinder<R extends Range>(
  ranges: readonly R[],
): (offset: number) => R | undefined {
  let next = 0;
  return (offset) => {
    let range = ranges[next];
    while (range !== undefined && range.end <= offset) range = ranges[++next];
    return range !== undefined && range.start <= offset ? range : undefined;
  };
}
