import { setTimeout as sleep } from "node:timers/promises";

/** Resolves after the time, or at the signal if that is earlier. Never rejects. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, signal === undefined ? {} : { signal }).catch(
    () => undefined,
  );
}

/** Resolves as the work does, or to `late` if the time is over earlier. Rejects as the work does. */
export async function within<T, Late>(work: T | Promise<T>, ms: number, late: Late) {
  const ended = new AbortController();
  try {
    return await Promise.race([work, pause(ms, ended.signal).then(() => late)]);
  } finally {
    ended.abort();
  }
}
