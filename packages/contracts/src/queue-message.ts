/**
 * What travels on JetStream, in both streams: ids and trace ids, never content. Content is read from
 * Postgres, one query a batch.
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
