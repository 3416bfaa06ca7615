import type { Logger } from "./logger.ts";
import { pause } from "./pause.ts";

/**
 * Calls `work` every so often until the signal, between rests; a failure is logged once and tried again. With `atOnce`
 * it begins without a rest, so that a process that is often restarted does the work, too.
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
    // Work that takes long rests all the same.
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

/** At most `everyMs`: rests that begin apart end together, so that an idle process wakes up once for all of them. */
export function untilNext(everyMs: number): number {
  // The millisecond more, because a timer may end one too early, and would begin once more for it.
  return Math.ceil(everyMs - (performance.now() % everyMs)) + 1;
}
