/** A timeout for an answer from outside. */
export interface CallTimeout {
  /** Aborted, with an error of the code `timeout`, if the answer has not come in time. */
  readonly signal: AbortSignal;
  /** Restarts the timeout, at `ms` from now, for the next step of the call. */
  renew(ms: number): void;
  /** Ends the timeout, because the answer has arrived. */
  end(): void;
}

/** Timers are always a little late. One later than this shows that our event loop was blocked. */
const LATE_MS = 50;

/**
 * Starts a timeout that measures the other side, not this process. After a pause our event loop runs timers before it
 * reads sockets. So we read what has arrived before we abort, and if the timer itself is late, the other side gets that
 * time in addition (at most `ms`, once).
 */
export function startCallTimeout(ms: number, clock: Clock = SYSTEM_CLOCK): CallTimeout {
  const controller = new AbortController();
  let cancel = () => {};
  let aborting: NodeJS.Immediate | undefined;

  const abort = () =>
    controller.abort(Object.assign(new Error("no answer in time"), { code: "timeout" }));
  const wait = (waitMs: number, then: (lateMs: number) => void) => {
    const dueAt = clock.nowMs() + waitMs;
    cancel = clock.after(waitMs, () => then(clock.nowMs() - dueAt));
  };
  // Node reads sockets between timers and immediates.
  const readFirst = () => {
    aborting = setImmediate(abort);
  };
  const end = () => {
    cancel();
    clearImmediate(aborting);
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

/** The clock of timeouts and leases. A test passes in its own. */
export interface Clock {
  nowMs(): number;
  /** Calls `then` once after `ms`. The returned function cancels it. A timer with `ref: false` does not keep the process alive. */
  after(ms: number, then: () => void, options?: { ref: boolean }): () => void;
}

export const SYSTEM_CLOCK: Clock = {
  nowMs: () => performance.now(),
  after(ms, then, { ref } = { ref: true }) {
    const timer = setTimeout(then, ms);
    if (!ref) timer.unref();
    return () => clearTimeout(timer);
  },
};
