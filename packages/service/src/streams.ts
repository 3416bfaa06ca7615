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

/** A stream or consumer on the server that differs in a way that no update can mend. */
export class StreamMismatch extends Error {
  override readonly name = "StreamMismatch";
}

export interface EnsureOptions {
  /** Copies of each stream; default 1. */
  replicas?: number;
  log: Logger;
  /** Ends the wait for JetStream; throws its reason. */
  signal?: AbortSignal;
}

/**
 * Creates the streams, or mends them, and reads back what the server has. Waits while JetStream is
 * away; throws StreamMismatch, naming the field, where it cannot mend.
 */
export async function ensureStreams(
  nc: NatsConnection,
  definitions: readonly StreamDefinition[],
  options: EnsureOptions,
): Promise<void> {
  await persist(options, async () => {
    const manager = await apiOf(nc);
    for (const definition of definitions) {
      await ensureStreamOnce(manager, definition, options.replicas ?? 1);
    }
  });
}

/** The same for a stream and one durable consumer of it. */
export async function ensureConsumer(
  nc: NatsConnection,
  stream: StreamDefinition,
  consumer: ConsumerDefinition,
  options: EnsureOptions,
): Promise<void> {
  await persist(options, async () => {
    const manager = await apiOf(nc);
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

function apiOf(nc: NatsConnection): Promise<JetStreamManager> {
  return jetstreamManager(nc, { checkAPI: false, timeout: API_TIMEOUT_MS });
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

/** "replicas > 1 not supported in non-clustered mode", which the server calls a 500. */
const TOO_MANY_REPLICAS = 10074;

/** What the server refuses as a bad request will be refused again: no point in waiting. */
async function orMismatch(what: string, request: Promise<unknown>): Promise<void> {
  try {
    await request;
  } catch (cause) {
    const isFinal =
      cause instanceof JetStreamApiError &&
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
