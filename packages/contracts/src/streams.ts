import { type SentChannel, senderService } from "./channels.ts";

/**
 * Every JetStream name and limit, as data. Postgres is the truth and JetStream the transport: both
 * streams are work queues of ids, small enough to be lost whole and published again.
 *
 * `prefix` keeps environments apart on one NATS server (`NATS_PREFIX`, default `belfry`).
 */

const SECOND_MS = 1000;
const MIB = 1024 * 1024;

/** A tenant above its recent share goes to `bulk`, so that a flood does not hold up the others. */
export const EVENT_LANES = ["express", "bulk"] as const;
export type EventLane = (typeof EVENT_LANES)[number];
/** The share: with more events than this in a minute. */
export const EXPRESS_PER_MINUTE = 1200;

const DUPLICATE_WINDOW_MS = 30 * SECOND_MS;
/** A message delivered more often than this is tried alone, and each try is noted before it begins. */
export const MAX_DELIVERIES_OF_A_MESSAGE = 10;
/** A message of which so many noted tries ended with the process is set aside before any work. */
export const MAX_UNFINISHED_TRIES = 3;
export const EVENT_ACK_WAIT_MS = 30 * SECOND_MS;
/**
 * As long as a sender's lease: a live sender keeps its messages however long they take, and those of a
 * dead one come again as its leases end. What comes while another's lease holds is put off to its end.
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

/** Tenant ids match `^[a-z0-9]{1,32}$`, so they are safe subject tokens. */
export function deliveriesSubject(prefix: string, channel: SentChannel, tenantId: string): string {
  return `${prefix}.deliveries.${channel}.${tenantId}`;
}

/** Core NATS, at most once. `userHash` is from `userSubjectToken`: no client text is a token. */
export function realtimeSubject(prefix: string, tenantId: string, userHash: string): string {
  return `${prefix}.realtime.${tenantId}.${userHash}`;
}

/** Core NATS: "the configuration changed, poll now". Carries nothing. */
export function configurationSubject(prefix: string): string {
  return `${prefix}.configuration.changed`;
}

/**
 * A message of both JetStream streams: ids and trace ids, never content. Content is read from Postgres, with one query for
 * each batch.
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

/** At most this many items a message, so that one message is a small unit of work. */
export const MAX_ITEMS_PER_DELIVERIES_MESSAGE = 20;

export function encodeQueueMessage(items: QueueItem[]): string {
  return JSON.stringify({ version: 1, items } satisfies QueueMessage);
}

/** Returns undefined for what no version of ours has written: the message is rejected, not retried. */
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
