/** At most `everyMs`: rests that begin apart end together, so that an idle process wakes up once for all of them. */
export function untilNext(everyMs: number): number {
  // The millisecond more, because a timer may end one too early, and would begin once more for it.
  return Math.ceil(everyMs - (performance.now() % everyMs)) + 1;
}
