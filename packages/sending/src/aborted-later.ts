/** Aborted so long after `signal`; keeps no process alive. */
export function abortedLater(signal: AbortSignal, delayMs: number): AbortSignal {
  const later = new AbortController();
  const start = () => setTimeout(() => later.abort(), delayMs).unref();
  signal.addEventListener("abort", start, { once: true });
  return later.signal;
}
