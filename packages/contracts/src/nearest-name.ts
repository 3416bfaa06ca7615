/**
 * Longer names are not compared, because they are no misspelt ones and the time grows with the square of the length.
 */
const MAX_CHARACTERS = 64;
const MOST_ERRORS = 2;

/**
 * Returns the known name that a person probably meant. It may differ in case, blanks and punctuation, and in one typing
 * error for each four letters, at most two. Undefined if no name is that close.
 */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  if (given.length > MAX_CHARACTERS) return undefined;
  const text = plainName(given);
  let nearest: { name: string; errors: number } | undefined;
  for (const name of known) {
    const other = plainName(name);
    const most = Math.min(MOST_ERRORS, Math.floor(Math.max(text.length, other.length) / 4));
    const errors = typingErrors(text, other, most);
    if (errors <= Math.min(most, (nearest?.errors ?? Infinity) - 1)) nearest = { name, errors };
  }
  return nearest?.name;
}

const PLAIN = /^[a-z0-9]*$/;

/** Returns a name without case, blanks and punctuation. */
export function plainName(text: string): string {
  const lower = text.toLowerCase();
  return PLAIN.test(lower) ? lower : lower.replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/**
 * Returns the number of letters that are missing, added, replaced or swapped with their neighbour (optimal string
 * alignment). If there are more than `most`, returns any number above `most`.
 */
function typingErrors(one: string, other: string, most: number): number {
  if (one === other) return 0;
  if (Math.abs(one.length - other.length) > most) return most + 1;
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
    if (Math.min(...row) > most) return most + 1;
    [before, last] = [last, row];
  }
  return last[other.length]!;
}
