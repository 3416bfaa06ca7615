/** A signal that a package manager passes on besides the terminal is the same Ctrl-C. */
const SAME_REQUEST_MS = 700;

export interface Stopper {
  /** Aborted when the stack is to end, in order. */
  stopping: AbortSignal;
  /** Aborted when it is to end at once. */
  hurry: AbortSignal;
}

/** Signals and the end of whoever started us become two abort signals: first in order, then at once. */
export function createStopper(say: (line: string) => void): Stopper {
  const stopping = new AbortController();
  const hurry = new AbortController();
  let askedAt = 0;
  const ask = () => {
    if (!stopping.signal.aborted) {
      askedAt = performance.now();
      say("stopping …");
      stopping.abort(new Error("stopped"));
    } else if (performance.now() - askedAt > SAME_REQUEST_MS && !hurry.signal.aborted) {
      say("stopping at once");
      hurry.abort(new Error("stopped at once"));
    }
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, ask);
  const onDisconnect = () => {
    if (!stopping.signal.aborted) ask();
  };
  process.on("disconnect", onDisconnect);
  // Undefined where nobody who holds a channel started us.
  if (process.connected === false) onDisconnect();
  // The listener alone would keep the process alive.
  process.channel?.unref();
  return { stopping: stopping.signal, hurry: hurry.signal };
}
