import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "./logger.ts";

const PARENT_CHECK_MS = 500;

export interface StopSignal extends Disposable {
  /** Aborted at once when a stop is asked for: readiness fails from here on. */
  stopping: AbortSignal;
  /** Aborted `delayMs` later: intake ends, work in hand finishes, connections close. */
  signal: AbortSignal;
  /** Settles when `signal` is aborted. */
  stopped: Promise<void>;
  /** Asks for a stop, as SIGTERM does. */
  stop(reason: string): void;
}

export interface StopSignalOptions {
  log: Logger;
  /** `SHUTDOWN_DELAY_MS`. */
  delayMs?: number;
  /** `SHUTDOWN_GRACE_MS`: the process exits with 1 when it is still there this long after `signal`. */
  graceMs?: number;
  /** `STOP_WITH_PARENT`: the death of the parent is a stop. */
  stopWithParent?: boolean;
}

/**
 * Turns SIGTERM, SIGINT and, if asked for, the parent's death into abort signals; the second SIGTERM or
 * SIGINT exits with 1 at once. So does what nobody caught, an unhandled rejection included: the process
 * may be in any state, and the next one starts from what is stored.
 */
export function createStopSignal(options: StopSignalOptions): StopSignal {
  const { log } = options;
  const stopping = new AbortController();
  const stopped = new AbortController();
  const disposed = new AbortController();

  const stop = (reason: string, delayMs = options.delayMs ?? 0) => {
    if (stopping.signal.aborted) return;
    log.info({ reason, delayMs }, "stopping");
    stopping.abort(new Error(reason));
    const end = () => {
      stopped.abort(new Error(reason));
      if (options.graceMs !== undefined) exitAfter(options.graceMs);
    };
    // Not unref'd: the process lives at least this long.
    if (delayMs === 0) end();
    else sleep(delayMs, undefined, { signal: disposed.signal }).then(end, () => undefined);
  };
  const exitAfter = (graceMs: number) => {
    sleep(graceMs, undefined, { ref: false, signal: disposed.signal }).then(
      () => {
        log.error({ graceMs }, "work in hand did not finish in time: exiting");
        process.exit(1);
      },
      () => undefined,
    );
  };
  const onSignal = (name: NodeJS.Signals) => {
    if (stopping.signal.aborted) {
      log.warn({ signal: name }, "second signal: exiting at once");
      process.exit(1);
    }
    stop(name);
  };
  const onUncaught = (err: unknown, origin: string) => {
    log.fatal({ err, origin }, "nobody caught an error: exiting at once");
    process.exit(1);
  };
  const onDisconnect = () => stop("parent disconnected", 0);

  process.on("uncaughtException", onUncaught);
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  let parentCheck: NodeJS.Timeout | undefined;
  if (options.stopWithParent) {
    const parent = process.ppid;
    process.on("disconnect", onDisconnect);
    // A listener alone would keep the process alive.
    process.channel?.unref();
    // A channel breaks by itself with the parent.
    if (process.channel === undefined) {
      parentCheck = setInterval(() => {
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
    stop: (reason) => stop(reason),
    [Symbol.dispose]() {
      disposed.abort();
      clearInterval(parentCheck);
      process.off("uncaughtException", onUncaught);
      process.off("SIGTERM", onSignal);
      process.off("SIGINT", onSignal);
      process.off("disconnect", onDisconnect);
    },
  };
}
