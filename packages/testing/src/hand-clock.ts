/** A clock that stands until it is moved: what waits for it waits for no machine. */
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
    /** Time goes by: what becomes due is called at its time. */
    advance: (ms: number) => move(ms, false),
    /** Our loop stood still for so long: what has become due is called, late. */
    jump: (ms: number) => move(ms, true),
  };
}
