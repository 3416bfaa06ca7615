import { setTimeout as sleep } from "node:timers/promises";

/** Resolves after the time or at the signal, whichever is earlier. Never rejects. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, signal === undefined ? {} : { signal }).catch(
    () => undefined,
  );
}

/** Resolves to the result of the work, or to `late` if it takes longer than `ms`. Rejects if the work rejects. */
export async function within<T, Late>(work: T | Promise<T>, ms: number, late: Late) {
  const ended = new AbortController();
  try {
    return await Promise.race([work, pause(ms, ended.signal).then(() => late)]);
  } finally {
    ended.abort();
  }
}
