import { setTimeout as sleep } from "node:timers/promises";

/**
 * Repeats the check until it neither throws nor returns false, and returns the check's result. After `timeoutMs`, it
 * throws the check's last error. The default is long enough for a slow machine: a test waits for an event, not a time.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { timeoutMs = 60_000, everyMs = 20 }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    let failure: unknown = new Error(`not within ${timeoutMs} ms: ${check}`);
    try {
      const answer = await check();
      if (answer !== false) return answer;
    } catch (error) {
      failure = error;
    }
    if (performance.now() > deadline) throw failure;
    await sleep(everyMs);
  }
}
