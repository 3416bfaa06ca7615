import { type Static, Type } from "@sinclair/typebox";

/** What a subscriber is given: exactly these four fields (specification, 2.4). */
export const PublicationData = Type.Object({
  title: Type.String(),
  body: Type.String(),
  category: Type.String(),
  eventType: Type.String(),
});
export type PublicationData = Static<typeof PublicationData>;

/**
 * A publication on a realtime channel. `offset` is contiguous per (tenant, channel), from 1.
 * The history item's id and time travel in the tags.
 */
export interface Publication {
  channel: string;
  offset: number;
  data: PublicationData;
  tags: { id: string; createdAt: string };
  /** For the gateway's log line; goes to no browser. Versions before it do not send it. */
  traceId?: string;
}

/**
 * Core NATS messages on a user's subject. Core NATS stores nothing, so a publication travels whole
 * and costs the live path no query; what is lost on the way is read back from Postgres by offset.
 * The subject is a hash, so every message names its user and the gateway compares it.
 */
export type RealtimeMessage =
  | { version: 1; kind: "publication"; userId: string; publications: Publication[] }
  | { version: 1; kind: "marked"; userId: string; notificationId: string | "all"; unread: number }
  | { version: 1; kind: "disconnect"; userId: string };

const utf8 = new TextDecoder();

export function encodeRealtimeMessage(message: RealtimeMessage): string {
  return JSON.stringify(message);
}

export function decodeRealtimeMessage(data: Uint8Array): RealtimeMessage | undefined {
  try {
    const value = JSON.parse(utf8.decode(data)) as RealtimeMessage;
    if (value?.version !== 1 || typeof value.userId !== "string") return undefined;
    return value;
  } catch {
    return undefined;
  }
}
