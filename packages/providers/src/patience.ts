import { type Clock, SYSTEM_CLOCK } from "./clock.ts";

/** How long we wait for another's answer. */
export interface Patience {
  /** Aborted, with an error of the code `timeout`, when the answer has not come in time. */
  readonly signal: AbortSignal;
  /** The other side has its next piece of work, and `ms` from now for it. */
  renew(ms: number): void;
  /** The answer is there. */
  end(): void;
}

/** Timers are always a little late; later than this our loop stood still. */
const LATE_MS = 50;

/**
 * Judges the other side, not ourselves. After a pause of our loop timers come before sockets: so what
 * has arrived is read before anything is judged, and where the timer itself comes late, the other side
 * gets the time in which we did not listen (at most `ms` once more).
 */
export function startPatience(ms: number, clock: Clock = SYSTEM_CLOCK): Patience {
  const controller = new AbortController();
  let callOff = () => {};
  let judgement: NodeJS.Immediate | undefined;

  const judge = () =>
    controller.abort(Object.assign(new Error("no answer in time"), { code: "timeout" }));
  const wait = (waitMs: number, then: (lateMs: number) => void) => {
    const dueAt = clock.nowMs() + waitMs;
    callOff = clock.after(waitMs, () => then(clock.nowMs() - dueAt));
  };
  // The sockets are read between timers and immediates.
  const readFirst = () => {
    judgement = setImmediate(judge);
  };
  const end = () => {
    callOff();
    clearImmediate(judgement);
  };
  const renew = (nextMs: number) => {
    end();
    wait(nextMs, (lateMs) => {
      if (lateMs > LATE_MS) wait(Math.min(lateMs, nextMs), readFirst);
      else readFirst();
    });
  };
  renew(ms);
  return { signal: controller.signal, renew, end };
}
