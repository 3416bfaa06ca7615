import { setTimeout as sleep } from "node:timers/promises";

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 10_000;
/** After this long a run was a good one: the next restart is quick again. */
const GOOD_RUN_MS = 30_000;

/** One run of something that ought not to end. */
export interface Run {
  /** Resolves when it can be used, false when it ended before; never rejects. */
  ready: Promise<boolean>;
  /** Why it ended; never rejects. */
  ended: Promise<string>;
  /** Ends it in order; at once when `hurry` is, or gets, aborted. */
  stop(hurry: AbortSignal): Promise<void>;
}

export interface Supervised {
  name: string;
  /** The first run. */
  first: Run;
  /** Ends it for good. */
  stop(hurry: AbortSignal): Promise<void>;
}

/**
 * Keeps something running: starts it again, after 0.25 s and then ever later, whenever it ends.
 * Rejects when the first start does.
 */
export async function supervise(
  name: string,
  start: () => Promise<Run>,
  say: (line: string) => void,
): Promise<Supervised> {
  const stopped = new AbortController();
  const first = await start();
  let run: Run | undefined = first;
  let startedAt = performance.now();
  let delayMs = FIRST_DELAY_MS;

  const loop = async () => {
    for (;;) {
      const why = run === undefined ? "did not start" : await run.ended;
      if (stopped.signal.aborted) return;
      if (performance.now() - startedAt > GOOD_RUN_MS) delayMs = FIRST_DELAY_MS;
      say(`${name} ended (${why}); starting it again in ${delayMs / 1000} s`);
      await sleep(delayMs, undefined, { signal: stopped.signal });
      delayMs = Math.min(delayMs * 2, MAX_DELAY_MS);
      startedAt = performance.now();
      run = await start().catch((error: Error) => {
        say(`${name}: ${error.message}`);
        return undefined;
      });
      // biome-ignore lint/nursery/noFloatingPromises: never rejects
      run?.ready.then((ready) => {
        if (ready && !stopped.signal.aborted) say(`${name} is back`);
      });
    }
  };
  const looping = loop().catch((error) => {
    if (!stopped.signal.aborted) throw error;
  });
  return {
    name,
    first,
    async stop(hurry) {
      stopped.abort();
      await run?.stop(hurry);
      await looping;
      // A start that was under way when we were asked.
      await run?.stop(hurry);
    },
  };
}
