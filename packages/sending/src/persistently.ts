import { setTimeout as sleep } from "node:timers/promises";
import { isDataFault } from "@belfry/database/connection";
import type { Logger } from "@belfry/service/logger";

export interface Persistence {
  /** When what Postgres does not take any more is left. */
  giveUp: AbortSignal;
  log: Logger;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/** Writes until Postgres takes it; rejects for a fault of the data, and once `giveUp` is aborted. */
export async function persistently<T>(
  what: string,
  write: () => Promise<T>,
  { giveUp, log }: Persistence,
): Promise<T> {
  let pauseMs = FIRST_PAUSE_MS;
  for (;;) {
    try {
      return await write();
    } catch (err) {
      if (isDataFault(err) || giveUp.aborted) throw err;
      log.warn({ err, pauseMs }, `cannot ${what}: trying again`);
    }
    await sleep(pauseMs, undefined, { signal: giveUp }).catch(() => undefined);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }
}
