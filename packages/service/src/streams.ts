import type { ConsumerDefinition, StreamDefinition } from "@belfry/contracts/streams";
import {
  type ConsumerConfig,
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
  type StreamConfig,
} from "@nats-io/jetstream";
import { type NatsConnection, nanos } from "@nats-io/transport-node";
import type { Logger } from "./logger.ts";
import { pause } from "./pause.ts";

const RETRY_MS = 1000;
const MENTION_EVERY_MS = 5000;
const API_TIMEOUT_MS = 3000;
const READ_TIMEOUT_MS = 2000;

/** Thrown if a stream or consumer on the server differs in a way that no update can change. */
export class StreamMismatch extends Error {
  override readonly name = "StreamMismatch";
}

export interface EnsureOptions {
  /** Copies of each stream; default 1. */
  replicas?: number;
  log: Logger;
  /** Ends the wait for JetStream, which then throws the signal's reason. */
  signal?: AbortSignal;
}

/**
 * Creates or updates the streams, and checks the configuration that the server then has. Waits while JetStream is away.
 * Throws StreamMismatch with the name of the field if an update cannot help.
 */
export async function ensureStreams(
  nc: NatsConnection,
  definitions: readonly StreamDefinition[],
  options: EnsureOptions,
): Promise<void> {
  await persist(options, async () => {
    const manager = await managerOf(nc, API_TIMEOUT_MS);
    for (const definition of definitions) {
      await ensureStreamOnce(manager, definition, options.replicas ?? 1);
    }
  });
}

/** Does the same as `ensureStreams` for a stream and one of its durable consumers. */
export async function ensureConsumer(
  nc: NatsConnection,
  stream: StreamDefinition,
  consumer: ConsumerDefinition,
  options: EnsureOptions,
): Promise<void> {
  await persist(options, async () => {
    const manager = await managerOf(nc, API_TIMEOUT_MS);
    await ensureStreamOnce(manager, stream, options.replicas ?? 1);
    await ensureConsumerOnce(manager, consumer);
  });
}

async function persist(options: EnsureOptions, attempt: () => Promise<void>): Promise<void> {
  let mentionedAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    options.signal?.throwIfAborted();
    try {
      await attempt();
      return;
    } catch (err) {
      if (err instanceof StreamMismatch) throw err;
      if (performance.now() - mentionedAt >= MENTION_EVERY_MS) {
        mentionedAt = performance.now();
        options.log.warn({ err }, "JetStream does not answer: waiting for it");
      }
      await pause(RETRY_MS, options.signal);
    }
  }
}

/** Returns the client of the JetStream API. It sends nothing before its first call. */
export function managerOf(
  nc: NatsConnection,
  timeout = READ_TIMEOUT_MS,
): Promise<JetStreamManager> {
  return jetstreamManager(nc, { checkAPI: false, timeout });
}

async function ensureStreamOnce(
  manager: JetStreamManager,
  definition: StreamDefinition,
  replicas: number,
): Promise<void> {
  const wanted = {
    name: definition.name,
    subjects: definition.subjects,
    retention: "workqueue",
    storage: "file",
    discard: "new",
    max_bytes: definition.maxBytes,
    duplicate_window: nanos(definition.duplicateWindowMs),
    num_replicas: replicas,
  } satisfies Partial<StreamConfig>;
  const what = `stream ${definition.name}`;
  const existing = await ifFound(manager.streams.info(definition.name));
  if (existing === undefined) {
    await orMismatch(what, manager.streams.add(wanted));
  } else if (faultyField(wanted, existing.config) !== undefined) {
    for (const fixed of ["retention", "storage"] as const) {
      refuseMismatch(what, { [fixed]: wanted[fixed] }, existing.config);
    }
    await orMismatch(what, manager.streams.update(definition.name, wanted));
  }
  refuseMismatch(what, wanted, (await manager.streams.info(definition.name)).config);
}

async function ensureConsumerOnce(manager: JetStreamManager, definition: ConsumerDefinition) {
  const { stream, durable } = definition;
  const wanted = {
    durable_name: durable,
    filter_subject: definition.filterSubject,
    ack_policy: "explicit",
    ack_wait: nanos(definition.ackWaitMs),
    max_ack_pending: definition.maxAckPending,
    max_deliver: -1,
    deliver_policy: "all",
    replay_policy: "instant",
  } satisfies Partial<ConsumerConfig>;
  const what = `consumer ${durable} of stream ${stream}`;
  const existing = await ifFound(manager.consumers.info(stream, durable));
  if (existing === undefined) {
    await orMismatch(what, manager.consumers.add(stream, wanted));
  } else if (faultyField(wanted, existing.config) !== undefined) {
    for (const fixed of ["ack_policy", "deliver_policy", "replay_policy"] as const) {
      refuseMismatch(what, { [fixed]: wanted[fixed] }, existing.config);
    }
    await orMismatch(what, manager.consumers.update(stream, durable, wanted));
  }
  refuseMismatch(what, wanted, (await manager.consumers.info(stream, durable)).config);
}

async function ifFound<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof JetStreamApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** "replicas > 1 not supported in non-clustered mode". The server's status for this is 500. */
const TOO_MANY_REPLICAS = 10074;

/** "no suitable peers for placement": too few servers of the cluster are up. The server's status for this is 400. */
const NO_SUITABLE_PEERS = 10005;

/** Turns a refusal for which a retry would not help into a StreamMismatch. */
async function orMismatch(what: string, request: Promise<unknown>): Promise<void> {
  try {
    await request;
  } catch (cause) {
    const isFinal =
      cause instanceof JetStreamApiError &&
      cause.code !== NO_SUITABLE_PEERS &&
      (cause.status === 400 || cause.code === TOO_MANY_REPLICAS);
    if (isFinal) {
      throw new StreamMismatch(`${what}: the server refuses it: ${cause.message}`, { cause });
    }
    throw cause;
  }
}

function refuseMismatch(what: string, wanted: object, actual: object): void {
  const field = faultyField(wanted, actual);
  if (field === undefined) return;
  const [has, needs] = [actual, wanted].map((config) =>
    JSON.stringify((config as Record<string, unknown>)[field]),
  );
  throw new StreamMismatch(`${what}: ${field} is ${has} and must be ${needs}`);
}

function faultyField(wanted: object, actual: object): string | undefined {
  const config = actual as Record<string, unknown>;
  return Object.entries(wanted).find(
    ([field, value]) => JSON.stringify(config[field]) !== JSON.stringify(value),
  )?.[0];
}

/** Returns the age of the oldest message of a stream in ms, or undefined if the stream is empty. */
export async function oldestMessageMs(nc: NatsConnection, stream: StreamDefinition) {
  const manager = await managerOf(nc);
  const { state } = await manager.streams.info(stream.name);
  return state.messages === 0 ? undefined : Date.now() - Date.parse(state.first_ts);
}

/** Returns the age in ms of the oldest message that a consumer has not delivered; undefined if it has delivered all. */
export async function oldestUndeliveredMs(
  nc: NatsConnection,
  { stream, durable, filterSubject }: ConsumerDefinition,
) {
  const manager = await managerOf(nc);
  const { delivered, num_pending } = await manager.consumers.info(stream, durable);
  if (num_pending === 0) return undefined;
  const after = { seq: delivered.stream_seq + 1, next_by_subj: filterSubject };
  const message = await manager.streams.getMessage(stream, after);
  // The server's clock may be ahead of ours.
  return message === null ? undefined : Math.max(0, Date.now() - message.time.getTime());
}

export interface StoreWatchOptions {
  nc: NatsConnection;
  streams: readonly StreamDefinition[];
  /** At the first call, a stream that is younger than this, in ms, counts as created again. */
  recentMs: number;
  /** Called when the messages of a stream are lost, to publish them again. If it throws, the next call retries. */
  onLost: (stream: string, ageMs: number) => Promise<void>;
  now: () => number;
}

/**
 * Returns a function that checks, by the creation times, whether a stream was lost and created again by any process.
 * Without this check, the lost messages would only be published again when a periodic sweep is due.
 */
export function createStoreWatch(options: StoreWatchOptions): () => Promise<void> {
  const { nc, streams, recentMs, onLost, now } = options;
  const births = new Map<string, string>();
  return async () => {
    const manager = await managerOf(nc);
    // The requests are sent together, so that the server and this process wake up once.
    const looks = await Promise.allSettled(
      streams.map(async ({ name }) => {
        const { created } = await manager.streams.info(name);
        const before = births.get(name);
        const ageMs = now() - Date.parse(created);
        const isLost = before === undefined ? ageMs < recentMs : before !== created;
        if (isLost) await onLost(name, ageMs);
        births.set(name, created);
      }),
    );
    for (const look of looks) if (look.status === "rejected") throw look.reason;
  };
}
