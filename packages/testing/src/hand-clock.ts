/** A clock that only the test moves, so that no test depends on the machine's speed. */
export function createHandClock() {
  let nowMs = 0;
  const timers = new Set<{ dueMs: number; then: () => void }>();
  const nextDue = (untilMs: number) =>
    [...timers].filter(({ dueMs }) => dueMs <= untilMs).sort((a, b) => a.dueMs - b.dueMs)[0];
  const move = (ms: number, isLate: boolean) => {
    const untilMs = nowMs + ms;
    if (isLate) nowMs = untilMs;
    for (let timer = nextDue(untilMs); timer !== undefined; timer = nextDue(untilMs)) {
      timers.delete(timer);
      nowMs = Math.max(nowMs, timer.dueMs);
      timer.then();
    }
    nowMs = untilMs;
  };
  return {
    nowMs: () => nowMs,
    after(ms: number, then: () => void) {
      const timer = { dueMs: nowMs + ms, then };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    /** Moves the time; each timer fires at its due time. */
    advance: (ms: number) => move(ms, false),
    /** Moves the time as if the event loop had been blocked: due timers fire late, at the new time. */
    jump: (ms: number) => move(ms, true),
  };
}
