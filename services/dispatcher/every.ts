import type { Logger } from "@belfry/service/logger";
import { pause } from "@belfry/service/pause";
import { untilNext } from "./until-next.ts";

/** Calls `work` every so often until the signal, between rests; a failure is logged once and tried again. */
export async function every(
  everyMs: number,
  what: string,
  work: () => Promise<unknown>,
  options: { log: Logger; signal: AbortSignal },
): Promise<void> {
  const { log, signal } = options;
  let failing = false;
  while (!signal.aborted) {
    const restMs = untilNext(everyMs);
    // Work that takes long rests all the same.
    await pause(restMs < everyMs / 2 ? restMs + everyMs : restMs, signal);
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
