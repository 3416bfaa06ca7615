import type { StreamDefinition } from "@belfry/contracts/streams";
import type { TObject } from "@sinclair/typebox";
import { type CommonConfig, loadConfig } from "./config.ts";
import { createLogger, type Logger } from "./logger.ts";
import { startManagement } from "./management.ts";
import { createNatsLink, type NatsLink } from "./nats.ts";
import { setTracer } from "./tracing.ts";

/** The parts of a database that starting and stopping need. `packages/database` implements them. */
export interface ServiceDatabase {
  /** The name that the process has at Postgres and NATS. */
  applicationName: string;
  /** Waits for a database with a schema that this code can use. Throws the signal's reason. */
  ready(options: { log: Logger; signal: AbortSignal }): Promise<void>;
  isThere(): Promise<boolean>;
  close(): Promise<void>;
}

/** The parts of a service. */
export interface Service<C extends CommonConfig, D extends ServiceDatabase> {
  name: string;
  config: TObject & { static: C };
  /** Returns faults in the combination of variables. */
  check?: (config: C) => readonly string[];
  database: (config: C, log: Logger) => D;
  /** Returns the streams to create or update as soon as NATS is there. */
  streams?: (prefix: string) => StreamDefinition[];
  /** Whether the service waits for NATS at the start, and is not ready while NATS is away. */
  needsNats?: boolean;
  /** The name of the service's work in readiness. It is reported as away until the work has begun. */
  work: string;
  start: (parts: Parts<C, D>) => Promise<Work>;
}

/** The arguments of `start`. The database is ready; so are NATS and its streams, if the service needs NATS. */
export interface Parts<C extends CommonConfig, D extends ServiceDatabase> {
  config: C;
  log: Logger;
  database: D;
  /** Resolves when NATS and the streams are there; rejects only at a stop. */
  nats: Promise<NatsLink>;
  /** The link to NATS, which may not be connected yet. */
  link: NatsLink;
  /** Whether all dependencies were there at the last check of readiness, at most a second ago. */
  canWork: () => Promise<boolean>;
  /** Aborted when a stop begins, `SHUTDOWN_DELAY_MS` before `signal`. */
  stopping: AbortSignal;
  /** Aborted when waits and intake must end. */
  signal: AbortSignal;
  /** Resolves when `signal` is aborted. */
  stopped: Promise<void>;
}

export interface Work {
  /** Whether the work has begun. Default: true as soon as `start` has resolved. */
  hasBegun?: () => boolean;
  /** Starts the loops of the service. Each ends after the signal, when its work in hand is finished. */
  run: () => Promise<unknown>[];
  /** Called when the loops have ended, before the connections close. */
  close?: () => Promise<void>;
}

/**
 * Runs a service from start to exit. Reads its configuration, waits for Postgres and NATS, starts its work and lets
 * it run until a stop (see `listenForStop`). Then its work finishes, and everything is closed in reverse order.
 * A stop during a wait or the start ends that, and closes what is open. The exit code is 0, or 1 after a failure.
 */
export async function runService<C extends CommonConfig, D extends ServiceDatabase>(
  service: Service<C, D>,
): Promise<void> {
  const config = loadConfig(service.config, undefined, service.check);
  const log = createLogger({ service: service.name, level: config.LOG_LEVEL });
  let work: Work | undefined;
  const { stopping, signal, stopped, fail } = listenForStop({
    log,
    // Before the work has begun, no load balancer sends requests here.
    delayMs: () => (work === undefined ? 0 : config.SHUTDOWN_DELAY_MS),
    graceMs: config.SHUTDOWN_GRACE_MS,
    stopWithParent: config.STOP_WITH_PARENT,
  });

  const live = async () => {
    await using resources = new AsyncDisposableStack();
    if (config.OTEL_EXPORTER_OTLP_ENDPOINT !== "" && config.OTEL_TRACES_SAMPLER !== "always_off") {
      // Imported here, because it loads the SDK.
      const { openTracer } = await import("./open-tracer.ts");
      const tracer = openTracer(service.name, config, log);
      resources.defer(() => tracer.close());
      setTracer(tracer);
    }
    const database = service.database(config, log);
    resources.defer(() => database.close());
    const link = createNatsLink({
      url: config.NATS_URL,
      files: config,
      name: database.applicationName,
      log,
      signal,
    });
    const hasNats = { nats: () => link.isConnected() };
    const management = resources.use(
      await startManagement({
        host: config.MANAGEMENT_HOST,
        port: config.MANAGEMENT_PORT,
        checks: {
          postgres: () => database.isThere(),
          ...(service.needsNats ? hasNats : {}),
          [service.work]: () => work !== undefined && (work.hasBegun?.() ?? true),
        },
        others: service.needsNats ? {} : hasNats,
        log,
        signal: stopping,
      }),
    );
    // The local stack passes port 0, because another process could take a port that is free now. It gets the real one
    // here.
    if (config.STOP_WITH_PARENT && process.connected) {
      // It is no fault if the parent ends meanwhile, because `listenForStop` handles this.
      process.send?.({ managementPort: management.port }, undefined, {}, () => undefined);
    }
    resources.use(link);
    resources.defer(() => work?.close?.());

    const connect = async () => {
      await link.connect();
      const streams = service.streams?.(config.NATS_PREFIX);
      if (streams !== undefined) {
        // Imported here, because services without streams do not need JetStream in memory.
        const { ensureStreams } = await import("./streams.ts");
        await ensureStreams(link.nc, streams, { replicas: config.NATS_REPLICAS, log, signal });
      }
      return link;
    };
    const begin = async (nats: Promise<NatsLink>) => {
      await database.ready({ log, signal });
      if (service.needsNats) await nats;
      const canWork = async () => (await management.away()).every((name) => name === service.work);
      const parts = { config, log, database, nats, link, canWork, stopping, signal, stopped };
      work = await service.start(parts);
      await Promise.all([stopped, ...work.run()].map((part) => part.catch(fail)));
    };
    // A stop ends the waits with a throw.
    const unlessStopped = (err: unknown) => (signal.aborted ? undefined : fail(err));
    const nats = connect();
    await Promise.all([nats.catch(unlessStopped), begin(nats).catch(unlessStopped)]);
  };
  await live().catch(fail);
  log.info("stopped");
}

const PARENT_CHECK_MS = 500;

export interface Stop {
  /** Aborted when a stop begins: from then on the service is not ready. */
  stopping: AbortSignal;
  /** Aborted after the delay: waits and intake end, work in hand finishes, connections close. */
  signal: AbortSignal;
  /** Resolves when `signal` is aborted. */
  stopped: Promise<void>;
  /** Stops the service after a failure: one log line, no delay, exit code 1. */
  fail(err: unknown): void;
}

export interface StopOptions {
  log: Logger;
  /** Returns for how many ms the service still accepts work after SIGTERM or SIGINT. */
  delayMs(): number;
  /** `SHUTDOWN_GRACE_MS`: a process that has not ended this long after `signal` exits with 1. */
  graceMs: number;
  /** `STOP_WITH_PARENT`: the end of the parent process is a stop, without delay. */
  stopWithParent: boolean;
}

/**
 * Stops the service at SIGTERM, SIGINT, an uncaught error or, with `stopWithParent`, the end of the parent process. A
 * second signal or error exits with 1 at once. The process ends by itself when everything is closed. If something is
 * left open, the process runs until the end of the grace period, and logs this.
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
    // The parent may have ended while this process was loading.
    if (process.connected === false) stop("parent disconnected", 0);
    // A listener alone would keep the process alive.
    process.channel?.unref();
    // A channel closes when the parent ends. Without a channel, we poll the parent's id.
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
