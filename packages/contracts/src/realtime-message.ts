import { hash } from "node:crypto";
import { type Static, Type } from "@sinclair/typebox";
import { realtimeSubject } from "./streams.ts";

/** The data that a subscriber gets: exactly these four fields (specification, 2.4). */
const PublicationData = Type.Object({
  title: Type.String(),
  body: Type.String(),
  category: Type.String(),
  eventType: Type.String(),
});
type PublicationData = Static<typeof PublicationData>;

/**
 * A publication on a realtime channel. `offset` increases by 1 per (tenant, channel), beginning with 1. The tags
 * contain the history item's id, time and links.
 */
export interface Publication {
  channel: string;
  offset: number;
  data: PublicationData;
  tags: PublicationTags;
}

/** All values are strings, because the protocol requires it. */
interface PublicationTags {
  id: string;
  /** ISO 8601, UTC. */
  createdAt: string;
  /** https, or a path of the page's own site. Absent if the template sets none. */
  url?: string;
  /** JSON of PushAction[]. Absent if the template sets none. */
  actions?: string;
}

/** Returns a stored notification's tags. */
export function publicationTags(item: {
  id: string;
  createdAt: Date;
  url?: string | null;
  actions?: string | null;
}): PublicationTags {
  const tags: PublicationTags = { id: item.id, createdAt: item.createdAt.toISOString() };
  if (item.url) tags.url = item.url;
  if (item.actions) tags.actions = item.actions;
  return tags;
}

/** A publication on its way to the gateways: its channel, and the text for the subscribers. */
export interface PublicationText {
  channel: string;
  offset: number;
  /** The notification's id. */
  id: string;
  /** For the gateway's log. Not sent to browsers. */
  traceId?: string;
  /** W3C `traceparent` for the gateway's span. Absent if the trace is not sampled. Not sent to browsers. */
  traceParent?: string;
  /** JSON of `offset`, `data` and `tags`. The dispatcher writes it once, and it is passed on unchanged. */
  text: string;
}

/**
 * Core NATS messages on a user's subject. Core NATS stores nothing, so a message contains the whole publication and the
 * live path needs no query. Lost publications are read from Postgres by offset. The subject contains only a hash of the
 * user id, so every message also has the user id, and the gateway compares it.
 */
export type RealtimeMessage =
  | { version: 1; kind: "publication"; userId: string; publications: PublicationText[] }
  | { version: 1; kind: "marked"; userId: string; notificationId: string | "all"; unread: number }
  | { version: 1; kind: "changed"; userId: string; notificationId: string; unread: number }
  | { version: 1; kind: "preferences"; userId: string }
  | { version: 1; kind: "disconnect"; userId: string };

export function publicationText({ channel, offset, data, tags }: Publication): PublicationText {
  return { channel, offset, id: tags.id, text: JSON.stringify({ offset, data, tags }) };
}

const BEFORE_DATA = ',"data":';
const BEFORE_TAGS = ',"tags":';

/**
 * Cuts the JSON of the data and the JSON of the tags out of a text of `publicationText`, for another encoding. The
 * first of each mark is the right one, because quotation marks in a title or a body are escaped. Returns undefined for
 * a text of another form.
 */
export function cutPublicationText(text: string): { data: string; tags: string } | undefined {
  const dataAt = text.indexOf(BEFORE_DATA);
  const tagsAt = text.indexOf(BEFORE_TAGS, dataAt);
  if (!text.startsWith('{"offset":') || dataAt < 0 || tagsAt < 0) return undefined;
  const data = text.slice(dataAt + BEFORE_DATA.length, tagsAt);
  return { data, tags: text.slice(tagsAt + BEFORE_TAGS.length, -1) };
}

const decoder = new TextDecoder();

/** Writes a line of JSON, followed by one line for the text of each publication. JSON contains no line feeds. */
export function encodeRealtimeMessage(message: RealtimeMessage): string {
  if (message.kind !== "publication") return JSON.stringify(message);
  const publications = message.publications.map(({ text, ...head }) => head);
  const texts = message.publications.map(({ text }) => text);
  return [JSON.stringify({ ...message, publications }), ...texts].join("\n");
}

/** Returns undefined for data that no version of Belfry writes. The texts are not parsed. */
export function decodeRealtimeMessage(data: Uint8Array): RealtimeMessage | undefined {
  const [head = "", ...texts] = decoder.decode(data).split("\n");
  try {
    const message = JSON.parse(head) as RealtimeMessage;
    if (message?.version !== 1 || typeof message.userId !== "string") return undefined;
    if (message.kind !== "publication") return message;
    if (message.publications.length !== texts.length) return undefined;
    for (const [index, text] of texts.entries()) message.publications[index]!.text = text;
    return message;
  } catch {
    return undefined;
  }
}

/** Returns the subject and data to publish on core NATS. Each gateway with connections of the message's user gets it. */
export function addressedMessage(prefix: string, tenantId: string, message: RealtimeMessage) {
  return {
    subject: realtimeSubject(prefix, tenantId, userSubjectToken(message.userId)),
    message: encodeRealtimeMessage(message),
  };
}

/** The NATS token of a user: the first 32 hex digits of SHA-256 over the user id. */
export function userSubjectToken(userId: string): string {
  return hash("sha256", userId, "hex").slice(0, 32);
}

/** Replaces a user's hash in subjects for all users. No hash equals it. */
const ALL_USERS = "all";

/** Returns the subject that every gateway subscribes to. */
export function tenantDisconnects(prefix: string): string {
  return realtimeSubject(prefix, "*", ALL_USERS);
}

/** Returns the subject and data to publish on core NATS, so that every gateway closes a tenant's connections. */
export function tenantDisconnect(prefix: string, tenantId: string) {
  return {
    subject: realtimeSubject(prefix, tenantId, ALL_USERS),
    message: JSON.stringify({ version: 1, kind: "disconnect", tenantId }),
  };
}

/** Returns the tenant whose connections end; undefined for data that no version of Belfry has written. */
export function disconnectedTenant(data: Uint8Array): string | undefined {
  try {
    const { version, kind, tenantId } = JSON.parse(new TextDecoder().decode(data)) ?? {};
    const isKnown = version === 1 && kind === "disconnect" && typeof tenantId === "string";
    return isKnown ? tenantId : undefined;
  } catch {
    return undefined;
  }
}
