import { HISTORY_DEFAULT_LIMIT, HISTORY_MAX_LIMIT } from "@belfry/contracts/bounds";
import { UUID } from "@belfry/contracts/identifiers";
import type { Notification } from "@belfry/contracts/notification";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { ERRORS, type ProtocolError } from "../protocol/protocol-codes.ts";
import { type OwnPreferences, preferenceMethods } from "./preference-rpc.ts";

/** The user of a session: the only one whose inbox its calls reach. */
export interface InboxOwner {
  tenantId: string;
  userId: string;
}

export interface Inbox {
  list(
    page: InboxOwner & { limit: number; offset: number; before?: string },
  ): Promise<Notification[]>;
  countUnread(owner: InboxOwner): Promise<number>;
  markRead(
    item: InboxOwner & { notificationId: string },
  ): Promise<"marked" | "already" | "unknown">;
  markAllRead(owner: InboxOwner): Promise<number>;
  /** Tells all of the user's connections, on every gateway. */
  announceMarked(owner: InboxOwner, notificationId: string | "all", unread: number): void;
}

export type RpcAnswer = { ok: true; data: unknown } | { ok: false; error: ProtocolError };
/** Answers a call; rejects when Postgres does not answer. */
export type Rpc = (owner: InboxOwner, method: string, data: unknown) => Promise<RpcAnswer>;

const ListRequest = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: HISTORY_MAX_LIMIT })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })),
  before: Type.Optional(Type.RegExp(UUID)),
});
type ListRequest = Static<typeof ListRequest>;
const MarkRequest = Type.Object({ id: Type.String() });

const CHANGES = ["notifications.mark_read", "notifications.mark_all_read", "preferences.change"];

/** Whether a call changes something; of all others only the answer counts. */
export function isChange({ method }: { method: string }): boolean {
  return CHANGES.includes(method);
}

const BAD_REQUEST: RpcAnswer = { ok: false, error: ERRORS.badRequest };

/**
 * The inbox over the socket:
 * - `notifications.list` `{limit?, offset?, before?}` → `{notifications: [...]}`, newest first;
 * - `notifications.unread_count` → `{unread}`;
 * - `notifications.mark_read` `{id}` → `{status: "marked" | "already", unread}`; unknown: error 404;
 * - `notifications.mark_all_read` → `{marked, unread}`;
 * - and the user's preferences: see preference-rpc.ts.
 */
export function createRpc(inbox: Inbox, preferences: OwnPreferences): Rpc {
  const methods: Record<string, (owner: InboxOwner, data: unknown) => Promise<RpcAnswer>> = {
    ...preferenceMethods(preferences),
    async "notifications.list"(owner, data) {
      const request = data ?? {};
      if (!Value.Check(ListRequest, request)) return BAD_REQUEST;
      const { limit = HISTORY_DEFAULT_LIMIT, offset = 0, before }: ListRequest = request;
      const page = { ...owner, limit, offset, ...(before === undefined ? {} : { before }) };
      return { ok: true, data: { notifications: await inbox.list(page) } };
    },
    async "notifications.unread_count"(owner) {
      return { ok: true, data: { unread: await inbox.countUnread(owner) } };
    },
    async "notifications.mark_read"(owner, data) {
      if (!Value.Check(MarkRequest, data)) return BAD_REQUEST;
      const unknown: RpcAnswer = { ok: false, error: ERRORS.unknownNotification };
      if (!UUID.test(data.id)) return unknown;
      const notificationId = data.id.toLowerCase();
      const status = await inbox.markRead({ ...owner, notificationId });
      if (status === "unknown") return unknown;
      const unread = await inbox.countUnread(owner);
      if (status === "marked") inbox.announceMarked(owner, notificationId, unread);
      return { ok: true, data: { status, unread } };
    },
    async "notifications.mark_all_read"(owner) {
      const marked = await inbox.markAllRead(owner);
      const unread = await inbox.countUnread(owner);
      if (marked > 0) inbox.announceMarked(owner, "all", unread);
      return { ok: true, data: { marked, unread } };
    },
  };
  return async ({ tenantId, userId }, name, data) => {
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
    if (method === undefined) return { ok: false, error: ERRORS.methodNotFound };
    return await method({ tenantId, userId }, data);
  };
}
