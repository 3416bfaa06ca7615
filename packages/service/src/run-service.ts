import type { StreamDefinition } from "@belfry/contracts/streams";
import type { TObject } from "@sinclair/typebox";
import { type CommonConfig, loadConfig } from "./config.ts";
import { createLogger, type Logger } from "./logger.ts";
import { startManagement } from "./management.ts";
import { connectNats, type NatsLink, natsFiles } from "./nats.ts";
import { listenForStop } from "./stop-signal.ts";

/** The database as far as starting and stopping go; `packages/database` has it. */
export interface ServiceDatabase {
  /** What the process calls itself, at NATS too. */
  applicationName: string;
  /** Waits for a database that this code can work with; throws the signal's reason. */
  ready(options: { log: Logger; signal: AbortSignal }): Promise<void>;
  isThere(): Promise<boolean>;
  close(): Promise<void>;
}

/** What a service is. */
export interface Service<C extends CommonConfig, D extends ServiceDatabase> {
  name: string;
  config: TObject & { static: C };
  /** Faults that no single variable shows. */
  check?: (config: C) => readonly string[];
  database: (config: C, log: Logger) => D;
  /** Created at NATS, or mended, as soon as it is there. */
  streams?: (prefix: string) => StreamDefinition[];
  /** Without NATS it can do nothing: it waits for it and is not ready while it is away. */
  needsNats?: boolean;
  /** What readiness calls its work, which is away until it has begun. */
  work: string;
  start: (parts: Parts<C, D>) => Promise<Work>;
}

/** What `start` gets: the database is ready, and so are NATS and its streams if the service needs them. */
export interface Parts<C extends CommonConfig, D extends ServiceDatabase> {
  config: C;
  log: Logger;
  database: D;
  /** Settles when NATS and the streams are there; rejects by a stop alone. */
  nats: Promise<NatsLink>;
  /** The link to NATS once there has been one. */
  link: () => NatsLink | undefined;
  /** Whether what the work needs was there when readiness last looked: at most a second ago. */
  canWork: () => Promise<boolean>;
  /** Ends waits and intake. */
  signal: AbortSignal;
  /** Settles with `signal`. */
  stopped: Promise<void>;
}

export interface Work {
  /** Whether it has begun; by default when `start` has resolved. */
  hasBegun?: () => boolean;
  /** What goes on until the signal, each until its work in hand is finished. */
  run: () => Promise<unknown>[];
  /** After all of that, before the connections close. */
  close?: () => Promise<void>;
}

/**
 * A service's whole life. Reads its configuration, waits for Postgres and NATS, starts its work and lets
 * it run until a stop (see `listenForStop`); then its work finishes, and everything is closed in reverse.
 * The same at every signal in every phase: while it waits or starts, the wait ends, nothing that has
 * begun is left behind, and the exit code is 0; once something failed it is 1.
 */
export async function runService<C extends CommonConfig, D extends ServiceDatabase>(
  service: Service<C, D>,
): Promise<void> {
  const config = loadConfig(service.config, undefined, service.check);
  const log = createLogger({ service: service.name, level: config.LOG_LEVEL });
  let work: Work | undefined;
  const { stopping, signal, stopped, fail } = listenForStop({
    log,
    // Whoever has not begun has nothing that a load balancer would have to notice.
    delayMs: () => (work === undefined ? 0 : config.SHUTDOWN_DELAY_MS),
    graceMs: config.SHUTDOWN_GRACE_MS,
    stopWithParent: config.STOP_WITH_PARENT,
  });

  const live = async () => {
    await using resources = new AsyncDisposableStack();
    const database = service.database(config, log);
    resources.defer(() => database.close());
    let link: NatsLink | undefined;
    const hasNats = { nats: () => link?.isConnected() ?? false };
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
    resources.defer(() => link?.close());
    resources.defer(() => work?.close?.());

    const connect = async () => {
      link = await connectNats({
        url: config.NATS_URL,
        files: natsFiles(config),
        name: database.applicationName,
        log,
        signal,
      });
      const streams = service.streams?.(config.NATS_PREFIX);
      if (streams !== undefined) {
        // Not every service needs JetStream in its memory.
        const { ensureStreams } = await import("./streams.ts");
        await ensureStreams(link.nc, streams, { replicas: config.NATS_REPLICAS, log, signal });
      }
      return link;
    };
    const begin = async (nats: Promise<NatsLink>) => {
      await database.ready({ log, signal });
      if (service.needsNats) await nats;
      const canWork = async () => (await management.away()).every((name) => name === service.work);
      const parts = { config, log, database, nats, link: () => link, canWork, signal, stopped };
      work = await service.start(parts);
      await Promise.all([stopped, ...work.run()].map((part) => part.catch(fail)));
    };
    // A stop ends the waits by a throw.
    const unlessStopped = (err: unknown) => (signal.aborted ? undefined : fail(err));
    const nats = connect();
    await Promise.all([nats.catch(unlessStopped), begin(nats).catch(unlessStopped)]);
  };
  await live().catch(fail);
  log.info("stopped");
}
