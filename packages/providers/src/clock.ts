/** Time, as code asks for it that judges others by it; a test passes in its own. */
export interface Clock {
  nowMs(): number;
  /** Calls `then` once; what is returned calls it off. With `ref: false` it keeps no process alive. */
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
