import type { Logger } from "./logger.ts";
import { pause } from "./pause.ts";

/**
 * Calls `work` about every `everyMs` until the signal. Retries after a failure, and logs only the first in a row. With
 * `atOnce`, begins without a pause, so that a process that is often restarted does the work, too.
 */
export async function every(
  everyMs: number,
  what: string,
  work: () => Promise<unknown>,
  options: { log: Logger; signal: AbortSignal; atOnce?: boolean },
): Promise<void> {
  const { log, signal, atOnce = false } = options;
  let failing = false;
  for (let rests = !atOnce; !signal.aborted; rests = true) {
    const restMs = untilNext(everyMs);
    // The pause is at least half of `everyMs`, even if the work takes long.
    if (rests) await pause(restMs < everyMs / 2 ? restMs + everyMs : restMs, signal);
    if (signal.aborted) return;
    try {
      await work();
      failing = false;
    } catch (err) {
      if (!failing) log.warn({ err, what }, "failed: trying again");
      failing = true;
    }
  }
}

/** Returns a pause up to the next multiple of `everyMs`, so that an idle process wakes up once for all its pauses. */
export function untilNext(everyMs: number): number {
  // One millisecond is added, because a timer may end up to 1 ms early, and a second short pause would follow.
  return Math.ceil(everyMs - (performance.now() % everyMs)) + 1;
}
