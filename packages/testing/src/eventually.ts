import { setTimeout as sleep } from "node:timers/promises";

/**
 * Repeats the check until it neither throws nor answers false, and returns its answer. After
 * `timeoutMs` it throws what the check threw last: by default later than any machine is slow, as a test
 * waits for what happens and not for how soon.
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
