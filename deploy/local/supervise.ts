import { setTimeout as sleep } from "node:timers/promises";

/**
 * Node's flags for a stack that shares a developer's machine. V8 lets the young generation of a process grow to three
 * times 16 MB and returns none of it. With 4 MB, the idle stack takes 550 MB instead of 640, and a loaded one collects
 * garbage more often. The production image sets 32.
 */
export const SMALL_HEAP = ["--max-semi-space-size=4"];

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 10_000;
/** After a run of this many ms or longer, the next restart has the shortest delay again. */
const GOOD_RUN_MS = 30_000;

/** One run of a process that is restarted when it ends. */
export interface Run {
  /** Resolves to true when the process can be used, or to false if it ends before that; never rejects. */
  ready: Promise<boolean>;
  /** Resolves to the reason when the process has ended; never rejects. */
  ended: Promise<string>;
  /** Ends the process in order, or at once if `hurry` is or gets aborted. */
  stop(hurry: AbortSignal): Promise<void>;
}

export interface Supervised {
  name: string;
  /** The first run. */
  first: Run;
  /** Ends the current run in order and starts the next one without a delay. */
  restart(): Promise<void>;
  /** Ends the process for good. */
  stop(hurry: AbortSignal): Promise<void>;
}

/**
 * Keeps a process running: when it ends, starts it again after 0.25 s, then after twice as long each time, at most 10
 * s. Rejects if the first start fails.
 */
export async function supervise(
  name: string,
  start: () => Promise<Run>,
  say: (line: string) => void,
): Promise<Supervised> {
  const first = await start();
  let run: Run | undefined = first;
  let isStopped = false;
  let isRestarting = false;
  let startedAt = performance.now();
  let delayMs = FIRST_DELAY_MS;
  /** Aborted to end the delay before the next start. */
  let waiting = new AbortController();

  const keepRunning = async () => {
    for (;;) {
      const why = run === undefined ? "did not start" : await run.ended;
      if (isStopped) return;
      if (performance.now() - startedAt > GOOD_RUN_MS) delayMs = FIRST_DELAY_MS;
      // A requested restart has no delay.
      if (!isRestarting) {
        waiting = new AbortController();
        say(`${name} ended (${why}); starting it again in ${delayMs / 1000} s`);
        await sleep(delayMs, undefined, { signal: waiting.signal }).catch(() => undefined);
        if (isStopped) return;
        delayMs = Math.min(delayMs * 2, MAX_DELAY_MS);
      }
      startedAt = performance.now();
      run = await start().catch((error: Error) => {
        say(`${name}: ${error.message}`);
        return undefined;
      });
      // `stop` was called during the start. It stops the new run, too.
      if (isStopped) return;
      isRestarting = false;
      // biome-ignore lint/nursery/noFloatingPromises: never rejects
      run?.ready.then((ready) => {
        if (ready && !isStopped) say(`${name} is back`);
      });
    }
  };
  const looping = keepRunning();
  return {
    name,
    first,
    async restart() {
      isRestarting = true;
      delayMs = FIRST_DELAY_MS;
      waiting.abort();
      await run?.stop(new AbortController().signal);
    },
    async stop(hurry) {
      isStopped = true;
      waiting.abort();
      await run?.stop(hurry);
      await looping;
      // A start that was in progress may have made a new run.
      await run?.stop(hurry);
    },
  };
}
