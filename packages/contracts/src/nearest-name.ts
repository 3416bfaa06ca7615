/** Longer names are no slips of ours, and the work grows with the square. */
const MAX_CHARACTERS = 64;

/**
 * The known name that a given one is probably meant as, undefined where none is close: a slip in four letters at most,
 * but for case, blanks and punctuation. Two letters in each other's place are one slip.
 */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  const text = plainName(given);
  if (text.length > MAX_CHARACTERS) return undefined;
  let nearest: { name: string; slips: number } | undefined;
  for (const name of known) {
    const other = plainName(name);
    const most = Math.floor(Math.max(text.length, other.length) / 4);
    if (Math.abs(text.length - other.length) > most) continue;
    const slips = slipsBetween(text, other);
    if (slips <= Math.min(most, (nearest?.slips ?? Infinity) - 1)) nearest = { name, slips };
  }
  return nearest?.name;
}

/** A name without case, blanks and punctuation. */
export function plainName(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** How many letters were added, left out, changed, or changed places with the next one. */
function slipsBetween(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 1; at <= one.length; at += 1) {
    const row = [at];
    for (let to = 1; to <= other.length; to += 1) {
      const isSame = one[at - 1] === other[to - 1];
      row[to] = Math.min(last[to]! + 1, row[to - 1]! + 1, last[to - 1]! + (isSame ? 0 : 1));
      const isSwapped = one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1];
      if (at > 1 && to > 1 && isSwapped) row[to] = Math.min(row[to]!, before[to - 2]! + 1);
    }
    [before, last] = [last, row];
  }
  return last[other.length]!;
}
