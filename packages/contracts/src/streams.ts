import { type SentChannel, senderService } from "./channels.ts";

// Names and limits of JetStream, as data. Postgres stores the data and JetStream only transports ids: both streams are
// work queues, so small that they can be lost completely and published again.
//
// `prefix` separates environments on one NATS server (`NATS_PREFIX`, default `belfry`).

const SECOND_MS = 1000;
const MIB = 1024 * 1024;

/**
 * A tenant that sends more than `EXPRESS_PER_MINUTE` uses the lane `bulk`, so that a flood does not delay other
 * tenants.
 */
export const EVENT_LANES = ["express", "bulk"] as const;
export type EventLane = (typeof EVENT_LANES)[number];
/** A tenant with more events than this in a minute uses the lane `bulk`. */
export const EXPRESS_PER_MINUTE = 1200;

const DUPLICATE_WINDOW_MS = 30 * SECOND_MS;
/** A message that was delivered more often than this is processed alone, and each try is recorded before it begins. */
export const MAX_DELIVERIES_OF_A_MESSAGE = 10;
/** A message is set aside before any work once so many recorded tries have ended with the process. */
export const MAX_UNFINISHED_TRIES = 3;
export const EVENT_ACK_WAIT_MS = 30 * SECOND_MS;
/**
 * The same time as a sender's lease. A live sender keeps its messages for as long as it needs, and those of a dead one
 * are redelivered when its leases end. A message that arrives while another sender has a lease is delayed until the
 * lease ends.
 */
export const DELIVERY_ACK_WAIT_MS = 30 * SECOND_MS;

export interface StreamDefinition {
  name: string;
  subjects: string[];
  maxBytes: number;
  duplicateWindowMs: number;
}

export interface ConsumerDefinition {
  stream: string;
  durable: string;
  filterSubject: string;
  ackWaitMs: number;
  maxAckPending: number;
}

export function eventsStream(prefix: string): StreamDefinition {
  return {
    name: `${prefix}-events`,
    subjects: [`${prefix}.events.*`],
    maxBytes: 512 * MIB,
    duplicateWindowMs: DUPLICATE_WINDOW_MS,
  };
}

export function deliveriesStream(prefix: string): StreamDefinition {
  return {
    name: `${prefix}-deliveries`,
    subjects: [`${prefix}.deliveries.>`],
    maxBytes: 512 * MIB,
    duplicateWindowMs: DUPLICATE_WINDOW_MS,
  };
}

export function eventsConsumer(
  prefix: string,
  lane: EventLane,
  ackWaitMs: number = EVENT_ACK_WAIT_MS,
): ConsumerDefinition {
  return {
    stream: eventsStream(prefix).name,
    durable: `${prefix}-dispatcher-${lane}`,
    filterSubject: eventsSubject(prefix, lane),
    ackWaitMs,
    maxAckPending: 500,
  };
}

export function deliveriesConsumer(
  prefix: string,
  channel: SentChannel,
  ackWaitMs: number = DELIVERY_ACK_WAIT_MS,
): ConsumerDefinition {
  return {
    stream: deliveriesStream(prefix).name,
    durable: `${prefix}-${senderService(channel)}`,
    filterSubject: `${prefix}.deliveries.${channel}.*`,
    ackWaitMs,
    maxAckPending: 2000,
  };
}

export function eventsSubject(prefix: string, lane: EventLane): string {
  return `${prefix}.events.${lane}`;
}

/** Returns the subject of a tenant's deliveries. Tenant ids match `^[a-z0-9]{1,32}$`, so they are safe in subjects. */
export function deliveriesSubject(prefix: string, channel: SentChannel, tenantId: string): string {
  return `${prefix}.deliveries.${channel}.${tenantId}`;
}

/**
 * Returns a subject of core NATS, which delivers at most once. `userHash` is from `userSubjectToken`, so that no text
 * of a client is part of a subject.
 */
export function realtimeSubject(prefix: string, tenantId: string, userHash: string): string {
  return `${prefix}.realtime.${tenantId}.${userHash}`;
}

/** Returns the core NATS subject for "the configuration changed, poll now". Its messages have no content. */
export function configurationSubject(prefix: string): string {
  return `${prefix}.configuration.changed`;
}

/**
 * A message of both JetStream streams: ids and trace ids, but no content. Content is read from Postgres, with one query
 * for each batch.
 */
export interface QueueItem {
  /** Belfry's own id (UUIDv7) of the event or of the delivery. */
  id: string;
  traceId: string;
}

export interface QueueMessage {
  version: 1;
  items: QueueItem[];
}

/** The maximum of items in a message, so that one message is a small unit of work. */
export const MAX_ITEMS_PER_DELIVERIES_MESSAGE = 20;

export function encodeQueueMessage(items: QueueItem[]): string {
  return JSON.stringify({ version: 1, items } satisfies QueueMessage);
}

/** Returns undefined for data that no version of Belfry writes. Such a message is rejected and not retried. */
export function decodeQueueMessage(data: Uint8Array): QueueMessage | undefined {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(data));
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { version, items } = value as Partial<QueueMessage>;
  if (version !== 1 || !Array.isArray(items)) return undefined;
  for (const item of items) {
    if (typeof item?.id !== "string" || typeof item.traceId !== "string") return undefined;
  }
  return { version, items };
}
