import { setTimeout as sleep } from "node:timers/promises";

/** Waits, or until the signal; says nothing about which of the two it was. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, signal === undefined ? {} : { signal }).catch(
    () => undefined,
  );
}
