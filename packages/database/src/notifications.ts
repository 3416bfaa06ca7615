import { IN_APP } from "@belfry/contracts/channels";
import { PLATFORM } from "@belfry/contracts/identifiers";
import type { Notification, PushAction } from "@belfry/contracts/notification";
import { sql } from "kysely";
import type { Database } from "./connection.ts";

/** The in-app history of one user of one tenant: no query here can reach another's. */
export interface Owner {
  tenantId: string;
  userId: string;
}

export interface NotificationPage extends Owner {
  limit: number;
  offset?: number;
  /** Only items older than the one with this id (a UUID); unknown to the user: nothing. */
  before?: string | undefined;
}

/** Newest first, ties by id. */
export async function listNotifications(
  db: Database,
  page: NotificationPage,
): Promise<Notification[]> {
  let query = db
    .selectFrom("notifications as n")
    .select(["n.id", "n.event_type", "n.title", "n.body", "n.created_at", "n.read_at"])
    .select(["n.url", "n.actions"])
    .where("n.tenant_id", "=", page.tenantId)
    .where("n.user_id", "=", page.userId);
  if (page.before !== undefined) {
    query = query.where(
      sql<boolean>`(n.created_at, n.id) < (
        select b.created_at, b.id from notifications b
        where b.id = ${page.before}::uuid and b.tenant_id = ${page.tenantId} and b.user_id = ${page.userId}
      )`,
    );
  }
  const rows = await query
    .orderBy("n.created_at", "desc")
    .orderBy("n.id", "desc")
    .limit(page.limit)
    .offset(page.offset ?? 0)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    type: row.event_type,
    title: row.title,
    body: row.body,
    status: row.read_at === null ? "UNREAD" : "READ",
    created_at: row.created_at.toISOString(),
    ...notificationLinks(row),
  }));
}

/** Where an item leads; nothing where it leads nowhere. */
export function notificationLinks(row: {
  url: string | null;
  actions: string | null;
}): Pick<Notification, "url" | "actions"> {
  return {
    ...(row.url !== null && { url: row.url }),
    ...(row.actions !== null && { actions: JSON.parse(row.actions) as PushAction[] }),
  };
}

/**
 * Of these items those that anybody may see. The others are their user's alone: what made them is, or then was,
 * sensitive, or its template is gone and nobody knows.
 */
export async function shownNotifications(
  db: Database,
  tenantId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom("notifications as n")
    .innerJoin("templates as t", (join) =>
      join
        .onRef("t.event_type", "=", "n.event_type")
        .on("t.tenant_id", "in", [tenantId, PLATFORM])
        .on("t.channel", "=", IN_APP),
    )
    .select("n.id")
    .where("n.tenant_id", "=", tenantId)
    .where("n.id", "in", [...ids])
    .groupBy("n.id")
    .having(
      sql<boolean>`not bool_or(t.sensitive or coalesce(n.created_at <= t.sensitive_until, false))`,
    )
    .execute();
  return new Set(rows.map(({ id }) => id));
}

export async function countUnread(db: Database, owner: Owner): Promise<number> {
  const { unread } = await db
    .selectFrom("notifications")
    .select(sql<number>`count(*)::integer`.as("unread"))
    .where("tenant_id", "=", owner.tenantId)
    .where("user_id", "=", owner.userId)
    .where("read_at", "is", null)
    .executeTakeFirstOrThrow();
  return unread;
}

/** `already`: nothing changed; `unknown`: the user has no such item. The id must be a UUID. */
export async function markNotificationRead(
  db: Database,
  item: Owner & { notificationId: string },
): Promise<"marked" | "already" | "unknown"> {
  const { rows } = await sql<{ marked: number }>`
    with marked as (
      update notifications set read_at = now()
      where id = ${item.notificationId} and tenant_id = ${item.tenantId}
        and user_id = ${item.userId} and read_at is null
      returning id
    )
    ${TOLD}`.execute(db);
  if (rows[0]!.marked > 0) return "marked";
  const found = await db
    .selectFrom("notifications")
    .select("id")
    .where("id", "=", item.notificationId)
    .where("tenant_id", "=", item.tenantId)
    .where("user_id", "=", item.userId)
    .executeTakeFirst();
  return found === undefined ? "unknown" : "already";
}

/** So that a statement that tells of each stays short of its timeout, however many there are. */
const MARKED_AT_ONCE = 5_000;

/** Returns how many items changed. */
export async function markAllNotificationsRead(db: Database, owner: Owner): Promise<number> {
  for (let all = 0; ; ) {
    const marked = await markSomeRead(db, owner);
    all += marked;
    if (marked < MARKED_AT_ONCE) return all;
  }
}

async function markSomeRead(db: Database, { tenantId, userId }: Owner): Promise<number> {
  const { rows } = await sql<{ marked: number }>`
    with locked as materialized (
      select id from notifications
      where tenant_id = ${tenantId} and user_id = ${userId} and read_at is null
      order by id limit ${MARKED_AT_ONCE} for update
    ),
    marked as (
      update notifications set read_at = now() where id = any (array(select id from locked)) returning id
    )
    ${TOLD}`.execute(db);
  return rows[0]!.marked;
}

/** Counts what was marked, and tells of it whom the tenant wants to be told. */
const TOLD = sql`
  select count(*)::integer as marked, tell_notifications(array_agg(id), 'notification.read')
  from marked`;
