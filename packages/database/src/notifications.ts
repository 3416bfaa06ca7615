import { IN_APP } from "@belfry/contracts/channels";
import { PLATFORM } from "@belfry/contracts/identifiers";
import type {
  ChangeNotificationRequest,
  InboxTabs,
  InboxView,
  Notification,
  PushAction,
} from "@belfry/contracts/notification";
import { type RawBuilder, sql } from "kysely";
import type { Database } from "./connection.ts";
import type { Schema } from "./schema.ts";

/** The user whose in-app notifications a query reads or changes. It never reaches another user's. */
export interface Owner {
  tenantId: string;
  userId: string;
}

export interface NotificationPage extends Owner {
  limit: number;
  offset?: number;
  /** Only items that the list has after the one with this id (a UUID). Nothing if the user has no such item. */
  before?: string | undefined;
  /** Default: inbox. */
  view?: InboxView | undefined;
  /** Only items of the event types of this category. */
  category?: string | undefined;
}

/** Conditions of each view, for items that are not snoozed and for those that are. */
const VIEWS: Record<InboxView, { steady: RawBuilder<boolean>; snoozed: RawBuilder<boolean> }> = {
  inbox: { steady: sql`n.archived_at is null`, snoozed: sql`n.snoozed_until <= now()` },
  archived: {
    steady: sql`n.archived_at is not null and n.deleted_at is null`,
    snoozed: sql`false`,
  },
  snoozed: { steady: sql`false`, snoozed: sql`n.snoozed_until > now()` },
  all: { steady: sql`n.deleted_at is null`, snoozed: sql`true` },
};

/** Lists notifications, newest first, ties by id. The time of an item that was snoozed is the end of the snooze. */
export async function listNotifications(
  db: Database,
  { tenantId, userId, limit, offset = 0, before, view = "inbox", category }: NotificationPage,
): Promise<Notification[]> {
  const { steady, snoozed } = VIEWS[view];
  // Items with and without a snooze are two lists, so that each is read in the order of an index.
  const listed = (which: RawBuilder<boolean>, by: RawBuilder<Date>) => sql`(
    select n.* from notifications n
    where n.tenant_id = ${tenantId} and n.user_id = ${userId} and ${which}
      ${
        before === undefined
          ? sql``
          : sql`and (${by}, n.id) < (
              select coalesce(b.snoozed_until, b.created_at), b.id from notifications b
              where b.id = ${before}::uuid and b.tenant_id = ${tenantId} and b.user_id = ${userId})`
      }
      ${ofCategory({ tenantId, category })}
    order by ${by} desc, n.id desc limit ${limit + offset})`;
  const { rows } = await sql<Row>`
    select n.id, n.event_type, n.title, n.body, n.created_at, n.read_at, n.url, n.actions,
           n.archived_at, n.snoozed_until
    from (
      ${listed(sql`n.snoozed_until is null and ${steady}`, sql`n.created_at`)}
      union all
      ${listed(sql`n.snoozed_until is not null and ${snoozed}`, sql`n.snoozed_until`)}
    ) n
    order by coalesce(n.snoozed_until, n.created_at) desc, n.id desc
    limit ${limit} offset ${offset}`.execute(db);
  return rows.map((row) => ({
    id: row.id,
    type: row.event_type,
    title: row.title,
    body: row.body,
    status: row.read_at === null ? "UNREAD" : "READ",
    created_at: row.created_at.toISOString(),
    ...notificationLinks(row),
    ...(row.archived_at !== null && { archived_at: row.archived_at.toISOString() }),
    ...(row.snoozed_until !== null && { snoozed_until: row.snoozed_until.toISOString() }),
  }));
}

function ofCategory(part: {
  tenantId: string;
  category?: string | undefined;
}): RawBuilder<unknown> {
  if (part.category === undefined) return sql``;
  return sql`and n.event_type = any (array(
    select c.event_type from event_type_categories c
    where c.tenant_id = ${part.tenantId} and c.category = ${part.category}))`;
}

type Row = Omit<Schema["notifications"], "tenant_id" | "user_id">;

/** Returns an item's link and buttons; an empty object if it has none. */
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
 * Returns which of the items the tenant's people may see. Only the user may see an item whose template is sensitive,
 * was sensitive when the item was created, or is deleted.
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

const IS_AWAKE = sql`(n.snoozed_until is null or n.snoozed_until <= now())`;
/** Archived and deleted items count as read. */
const IS_UNREAD = sql`n.read_at is null and ${IS_AWAKE}`;

export interface UnreadState {
  unread: number;
  /** In how many ms the next snoozed item is back; null if none is snoozed. */
  returnsInMs: number | null;
}

export async function readUnread(db: Database, { tenantId, userId }: Owner): Promise<UnreadState> {
  const { rows } = await sql<UnreadState>`
    select (
        select count(*)::integer from notifications n
        where n.tenant_id = ${tenantId} and n.user_id = ${userId} and ${IS_UNREAD}
      ) as unread, (
        select ceil(extract(epoch from snoozed_until - now()) * 1000)::float8 from notifications
        where tenant_id = ${tenantId} and user_id = ${userId} and snoozed_until > now()
        order by snoozed_until limit 1
      ) as "returnsInMs"`.execute(db);
  return rows[0]!;
}

export async function countUnread(db: Database, owner: Owner): Promise<number> {
  return (await readUnread(db, owner)).unread;
}

/** Returns the data of the inbox's tabs. */
export async function inboxTabs(db: Database, { tenantId, userId }: Owner): Promise<InboxTabs> {
  const { rows } = await sql<InboxTabs>`
    with own as materialized (
      select n.event_type, n.archived_at, n.snoozed_until, n.read_at from notifications n
      where n.tenant_id = ${tenantId} and n.user_id = ${userId} and n.deleted_at is null
    ),
    listed as (
      select e.category, count(*) filter (where n.read_at is null)::integer as unread
      from own n join event_type_categories e on e.tenant_id = ${tenantId} and e.event_type = n.event_type
      where n.archived_at is null and ${IS_AWAKE}
      group by e.category
    )
    select exists (select from own where archived_at is not null) as archived,
           exists (select from own where snoozed_until > now()) as snoozed,
           array(
             select json_build_object('key', c.key, 'label', c.label, 'unread', l.unread)
             from listed l join categories c on c.tenant_id = ${tenantId} and c.key = l.category
             order by c.position, c.key
           ) as categories`.execute(db);
  return rows[0]!;
}

/** A change to an item. */
export type NotificationChange =
  | { read: boolean }
  | { archived: boolean }
  /** Null ends the snooze at once. */
  | { snoozedUntil: Date | null }
  | { deleted: true };

export function changeOf({
  read,
  archived,
  snoozedUntil,
}: ChangeNotificationRequest): NotificationChange {
  if (read !== undefined) return { read };
  if (archived !== undefined) return { archived };
  return { snoozedUntil: snoozedUntil ? new Date(snoozedUntil) : null };
}

/** Returns the kind of the message that reports a change to the user's open pages. */
export function kindOfChange(change: NotificationChange): "marked" | "changed" {
  return "read" in change && change.read ? "marked" : "changed";
}

/** Returns the kind for a mark of all items: `changed` for one category, as a page does not know its items. */
export function kindOfMark(category: string | undefined): "marked" | "changed" {
  return category === undefined ? "marked" : "changed";
}

/** Returns an item's `read_at`, `archived_at` and `snoozed_until` after a change. */
function stateAfter(change: NotificationChange): RawBuilder<unknown> {
  const read = sql`coalesce(n.read_at, now())`;
  if ("read" in change) {
    return change.read
      ? sql`${read}, n.archived_at, n.snoozed_until`
      : sql`null::timestamptz, null::timestamptz, n.snoozed_until`;
  }
  if ("snoozedUntil" in change) {
    return change.snoozedUntil === null
      ? sql`n.read_at, n.archived_at, null::timestamptz`
      : sql`null::timestamptz, null::timestamptz, ${change.snoozedUntil}::timestamptz`;
  }
  return "deleted" in change || change.archived
    ? sql`${read}, coalesce(n.archived_at, now()), null::timestamptz`
    : // Unarchiving also undoes the read mark that archiving has set.
      sql`nullif(n.read_at, n.archived_at), null::timestamptz, n.snoozed_until`;
}

/**
 * Changes an item of the user. Returns `already` if the item had this state, and `unknown` if the user has no such
 * item. The id must be a UUID. A deleted item keeps its row without the content, as the history of its event.
 */
export async function changeNotification(
  db: Database,
  { tenantId, userId, notificationId }: Owner & { notificationId: string },
  change: NotificationChange,
): Promise<"changed" | "already" | "unknown"> {
  const emptied = sql`, deleted_at = now(), title = '', body = '', url = null, actions = null`;
  const isDeleted = "deleted" in change;
  const { rows } = await sql<{ found: boolean; changed: boolean }>`
    with found as materialized (
      select n.id, n.read_at, n.archived_at, n.snoozed_until from notifications n
      where n.id = ${notificationId} and n.tenant_id = ${tenantId} and n.user_id = ${userId}
        and n.deleted_at is null
      for update
    ),
    wanted (id, was_read, read_at, archived_at, snoozed_until) as (
      select n.id, n.read_at is not null, ${stateAfter(change)} from found n
    ),
    changed as (
      update notifications n
      set (read_at, archived_at, snoozed_until) = (w.read_at, w.archived_at, w.snoozed_until)
        ${isDeleted ? emptied : sql``}
      from wanted w
      where n.id = w.id and (${isDeleted} or (n.read_at, n.archived_at, n.snoozed_until)
        is distinct from (w.read_at, w.archived_at, w.snoozed_until))
      returning n.id, n.read_at is not null and not w.was_read as is_read
    )
    select exists (select from found) as found, exists (select from changed) as changed,
           tell_notifications(array(select id from changed where is_read), 'notification.read')
  `.execute(db);
  const { found, changed } = rows[0]!;
  return changed ? "changed" : found ? "already" : "unknown";
}

/** A part of an inbox: items that are neither archived nor snoozed, in all categories or in one. */
export interface InboxPart extends Owner {
  category?: string | undefined;
}

/** Items per statement: it also writes a webhook message for each, and must end before its timeout. */
const CHANGED_AT_ONCE = 5_000;

/** Returns how many items changed. */
export async function markAllNotificationsRead(db: Database, part: InboxPart): Promise<number> {
  return await changeAll(db, part, { which: IS_UNREAD, values: sql`read_at = now()` });
}

/** Returns how many items changed. Unread items are also marked and reported as read. */
export async function archiveAllNotifications(db: Database, part: InboxPart): Promise<number> {
  return await changeAll(db, part, {
    which: sql`n.archived_at is null and ${IS_AWAKE}`,
    values: sql`read_at = coalesce(n.read_at, now()), archived_at = now(), snoozed_until = null`,
  });
}

async function changeAll(
  db: Database,
  part: InboxPart,
  { which, values }: { which: RawBuilder<unknown>; values: RawBuilder<unknown> },
): Promise<number> {
  for (let all = 0; ; ) {
    const { rows } = await sql<{ changed: number }>`
      with locked as materialized (
        select n.id, n.read_at is null as was_unread from notifications n
        where n.tenant_id = ${part.tenantId} and n.user_id = ${part.userId} and ${which} ${ofCategory(part)}
        order by n.id limit ${CHANGED_AT_ONCE} for update
      ),
      changed as (
        update notifications n set ${values} where n.id = any (array(select id from locked)) returning n.id
      )
      select count(*)::integer as changed,
             tell_notifications(array(select id from locked where was_unread), 'notification.read')
      from changed`.execute(db);
    const { changed } = rows[0]!;
    all += changed;
    if (changed < CHANGED_AT_ONCE) return all;
  }
}
