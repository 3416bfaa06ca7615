import type { Logger } from "./logger.ts";

const PARENT_CHECK_MS = 500;

export interface Stop {
  /** Aborted at once when a stop begins: the service is not ready from here on. */
  stopping: AbortSignal;
  /** Aborted when the delay has passed: waits and intake end, work in hand finishes, connections close. */
  signal: AbortSignal;
  /** Settles when `signal` is aborted. */
  stopped: Promise<void>;
  /** What the service cannot go on with: one line, a stop without delay, and 1 as the exit code. */
  fail(err: unknown): void;
}

export interface StopOptions {
  log: Logger;
  /** How long it still takes work in after SIGTERM or SIGINT. */
  delayMs(): number;
  /** `SHUTDOWN_GRACE_MS`: the process exits with 1 when it is still there this long after `signal`. */
  graceMs: number;
  /** `STOP_WITH_PARENT`: the death of the parent is a stop, without delay. */
  stopWithParent: boolean;
}

/**
 * From here to its end the process stops as it should: by SIGTERM, SIGINT, the parent's death if asked
 * for, and by what nobody caught. A second signal or error exits with 1 at once. It ends by itself when
 * everything is closed, so that what was left open is seen: as the end of the grace.
 */
export function listenForStop({ log, delayMs, graceMs, stopWithParent }: StopOptions): Stop {
  const stopping = new AbortController();
  const stopped = new AbortController();

  const begin = (reason: Error, waitMs: number) => {
    stopping.abort(reason);
    const end = () => {
      stopped.abort(reason);
      setTimeout(() => {
        log.error({ graceMs }, "work in hand did not finish in time: exiting");
        process.exit(1);
      }, graceMs).unref();
    };
    if (waitMs === 0) end();
    else setTimeout(end, waitMs);
  };
  const stop = (reason: string, waitMs: number) => {
    if (stopping.signal.aborted) return;
    log.info({ reason, delayMs: waitMs }, "stopping");
    begin(new Error(reason), waitMs);
  };
  const fail = (err: unknown, words: string, origin?: string) => {
    log.fatal({ err, origin }, words);
    process.exitCode = 1;
    if (!stopping.signal.aborted) begin(new Error(words, { cause: err }), 0);
  };

  const onSignal = (name: NodeJS.Signals) => {
    if (!stopping.signal.aborted) return stop(name, delayMs());
    log.warn({ signal: name }, "second signal: exiting at once");
    process.exit(1);
  };
  process.on("SIGTERM", onSignal).on("SIGINT", onSignal);
  process.on("uncaughtException", (err, origin) => {
    const isStopping = stopping.signal.aborted;
    fail(err, "nobody caught an error: stopping", origin);
    if (isStopping) process.exit(1);
  });
  if (stopWithParent) {
    const parent = process.ppid;
    process.on("disconnect", () => stop("parent disconnected", 0));
    // It may have gone while this process was loading.
    if (process.connected === false) stop("parent disconnected", 0);
    // A listener alone would keep the process alive.
    process.channel?.unref();
    // A channel breaks by itself with the parent.
    if (process.channel === undefined) {
      setInterval(() => {
        if (process.ppid !== parent) stop("parent is gone", 0);
      }, PARENT_CHECK_MS).unref();
    }
  }

  return {
    stopping: stopping.signal,
    signal: stopped.signal,
    stopped: new Promise((resolve) => {
      stopped.signal.addEventListener("abort", () => resolve(), { once: true });
    }),
    fail: (err) => fail(err, "the service cannot go on: stopping"),
  };
}
