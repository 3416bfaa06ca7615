import { ADDRESSES } from "@belfry/contracts/addresses";
import { ADDRESS_CHANNELS } from "@belfry/contracts/channels";
import type { Database } from "@belfry/database/connection";
import type { DeletedEvents } from "@belfry/database/functions/delete-events";
import type { Owner } from "@belfry/database/notifications";
import { sql } from "kysely";
import { USER_ACTIONS } from "./erase-notes.ts";

/**
 * Queries on the data of a tenant's user. `events` has no index by user, because it would slow down every acceptance.
 * So these functions scan all events of the tenant.
 */

interface UserEvents {
  ids: string[];
  /** Addresses as stored in the events, without duplicates. */
  addresses: string[];
  /** The oldest and the newest id that was read; undefined if there was no event. */
  oldest: string | undefined;
  newest: string | undefined;
  /** Whether there may be more events beyond these. */
  more: boolean;
}

const LOOKS = 10_000;
const ADDRESS_COLUMNS = sql.join(Object.values(ADDRESSES).map(({ column }) => sql.ref(column)));

/** Reads the tenant's next 10,000 events, older than `before` or newer than `after`, and finds those of the user. */
export async function userEvents(
  db: Database,
  { tenantId, userId }: Owner,
  from: { before: string | undefined } | { after: string },
): Promise<UserEvents> {
  const range =
    "after" in from
      ? sql`and e.id > ${from.after}::uuid order by e.id`
      : sql`${from.before === undefined ? sql`` : sql`and e.id < ${from.before}::uuid`} order by e.id desc`;
  type Nullable = { oldest: string | null; newest: string | null };
  const { rows } = await sql<Omit<UserEvents, keyof Nullable> & Nullable>`
    with seen as materialized (
      select e.id, e.user_id, ${ADDRESS_COLUMNS} from events e
      where e.tenant_id = ${tenantId} ${range} limit ${sql.lit(LOOKS)}
    ),
    found as materialized (select * from seen where user_id = ${userId})
    select array(select id::text from found) as ids,
           array(select distinct a.address from found, unnest(array[${ADDRESS_COLUMNS}]) a (address)
                 where a.address is not null
                 union
                 -- The address that the directory had at that time.
                 select d.recipient from found cross join lateral (
                   select d.recipient from deliveries d
                   where d.event_id = found.id and d.recipient is not null limit 32
                 ) d
                 union
                 select g.recipient from found
                 join digest_items i on i.event_id = found.id join digests g on g.id = i.digest_id
                 where g.recipient is not null) as addresses,
           (select id from seen order by id limit 1) as oldest,
           (select id from seen order by id desc limit 1) as newest,
           (select count(*) = ${sql.lit(LOOKS)} from seen) as more`.execute(db);
  const [found] = rows;
  if (found === undefined) throw new Error("a query without from returned nothing");
  return { ...found, oldest: found.oldest ?? undefined, newest: found.newest ?? undefined };
}

/** Counts the rows of these events and their deliveries. Changes nothing. */
export async function countEvents(db: Database, ids: readonly string[]) {
  const { rows } = await sql<Omit<DeletedEvents, "held">>`
    with d as materialized (
      select d.id, d.status from unnest(${ids}::uuid[]) u (id)
      cross join lateral (
        select * from deliveries d where d.event_id = u.id limit 32
      ) d
      union all
      -- A digest is erased with its first event, because all its events belong to one user.
      select d.id, d.status from unnest(${ids}::uuid[]) u (id)
      join digest_items i on i.event_id = u.id
      join deliveries d on d.event_id = i.digest_id
      where not exists (
        select from digest_items o where o.digest_id = i.digest_id and o.event_id < i.event_id)
    )
    select cardinality(${ids}::uuid[]) as events,
      (select count(*)::integer from undispatched_events where event_id = any (${ids}::uuid[])) as "undispatchedEvents",
      (select count(*)::integer from d) as deliveries,
      (select count(*)::integer from d where status in ('queued', 'sending', 'waiting')) as unfinished,
      (select count(*)::integer from attempts where delivery_id = any (array(select id from d))) as attempts,
      (select count(*)::integer from receipts where delivery_id = any (array(select id from d))) as receipts
  `.execute(db);
  return rows[0]!;
}

/**
 * Deletes at most `most` notifications of the in-app history; returns their number. The channels keep their offsets:
 * only `forgetChannels` deletes these.
 */
export async function deleteNotifications(db: Database, { tenantId, userId }: Owner, most: number) {
  const result = await sql`
    with picked as materialized (
      select id from notifications
      where tenant_id = ${tenantId} and user_id = ${userId} limit ${most}
    ),
    locked as materialized (
      select id from notifications where id = any (array(select id from picked))
      order by id for update
    )
    delete from notifications where id = any (array(select id from locked))`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}

/**
 * Deletes the user's digests without events, with their deliveries. The other digests were deleted with their events.
 * Returns the number of digests.
 */
export async function deleteEmptyDigests(db: Database, { tenantId, userId }: Owner) {
  const { rows } = await sql<{ id: string }>`
    select g.id from digests g
    where g.tenant_id = ${tenantId} and g.user_id = ${userId}
      -- Each branch has an index of its own.
      and (g.closed_at is null or g.closed_at is not null)
      and not exists (select from digest_items i where i.digest_id = g.id)`.execute(db);
  const ids = rows.map(({ id }) => id);
  // All transactions lock deliveries before digests, so this one does, too.
  await sql`
    with locked as materialized (
      select id from deliveries where event_id = any (${ids}::uuid[]) order by id for update
    )
    delete from deliveries where id = any (array(select id from locked))`.execute(db);
  const result = await sql`
    delete from digests g where g.id = any (${ids}::uuid[])
      and not exists (select from digest_items i where i.digest_id = g.id)`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}

export async function deleteThrottles(db: Database, { tenantId, userId }: Owner): Promise<number> {
  const result = await db
    .deleteFrom("throttles")
    .where("tenant_id", "=", tenantId)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

/**
 * Deletes the stored answers to repeatable calls of the tenant: all of them, because they are encrypted and may contain
 * anybody's data.
 */
export async function forgetRepeatedCalls(db: Database, tenantId: string): Promise<void> {
  await db.deleteFrom("repeated_calls").where("caller", "=", tenantId).execute();
}

/** Counts the user's rows in a table. */
export async function countOf(
  db: Database,
  table:
    | "devices"
    | "notifications"
    | "realtime_channels"
    | "digests"
    | "throttles"
    | "webhook_messages",
  { tenantId, userId }: Owner,
) {
  const { count } = await db
    .selectFrom(table)
    .select(sql<number>`count(*)::integer`.as("count"))
    .where("tenant_id", "=", tenantId)
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  return count;
}

interface UserOutbox {
  /** Ids of the messages of the user's events and digests. */
  ids: string[];
  /** Ids of messages whose event or digest was deleted. */
  orphans: string[];
  /** The last id that was read, from which the next call continues; undefined if there was no message. */
  reached: string | undefined;
}

/** Reads the tenant's next 10,000 outbox messages after an id. */
export async function outboxOfUser(
  db: Database,
  { tenantId, userId }: Owner,
  after: string | undefined,
): Promise<UserOutbox> {
  const { rows } = await sql<Omit<UserOutbox, "reached"> & { reached: string | null }>`
    with seen as materialized (
      select o.id, o.event_id from outbox o
      where o.tenant_id = ${tenantId} ${after === undefined ? sql`` : sql`and o.id > ${after}::uuid`}
      order by o.id limit ${sql.lit(LOOKS)}
    ),
    owned as materialized (
      select seen.id, coalesce(e.user_id, g.user_id) as user_id from seen
      left join lateral (select e.user_id from events e where e.id = seen.event_id limit 1) e on true
      left join lateral (
        select g.user_id from digests g where e.user_id is null and g.id = seen.event_id limit 1
      ) g on true
    )
    select array(select id::text from owned where user_id = ${userId}) as ids,
           array(select id::text from owned where user_id is null) as orphans,
           (select id from seen order by id desc limit 1) as reached`.execute(db);
  const [found] = rows;
  if (found === undefined) throw new Error("a query without from returned nothing");
  return { ...found, reached: found.reached ?? undefined };
}

export async function deleteOutbox(db: Database, ids: readonly string[]): Promise<number> {
  const result = await sql`
    with locked as materialized (
      select id from outbox where id = any (${ids}::uuid[]) order by id for update
    )
    delete from outbox where id = any (array(select id from locked))`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}

/** Returns the dead NATS messages after an id, in the order of ids. */
export async function deadMessagesAfter(db: Database, after: string | undefined, most: number) {
  let query = db.selectFrom("dead_messages").select(["id", "data"]);
  if (after !== undefined) query = query.where("id", ">", after);
  return await query.orderBy("id").limit(most).execute();
}

export async function replaceDeadMessage(db: Database, id: string, data: string): Promise<void> {
  await db
    .updateTable("dead_messages")
    .set({ data: Buffer.from(data) })
    .where("id", "=", id)
    .execute();
}

/** Returns those ids that still belong to an event or a delivery. */
export async function existingIds(db: Database, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from events where id = any (${ids}::uuid[])
    union all
    select id from deliveries where id = any (${ids}::uuid[])`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** Counts the tenant's suppressions of these addresses, which have the form that `suppressedForm` returns. */
export async function countSuppressions(
  db: Database,
  tenantId: string,
  addresses: readonly string[],
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from suppressions
    where tenant_id = ${tenantId} and channel = any (${ADDRESS_CHANNELS}::text[])
      and address = any (${addresses}::text[])`.execute(db);
  return rows[0]?.count ?? 0;
}

/**
 * Counts the entries of the tenant's audit log that contain one of these words in upper or lower case. Entries about
 * the user only are left out, because an erasure removes the user from them.
 */
export async function countAuditEntries(
  db: Database,
  { tenantId, userId }: Owner,
  words: readonly string[],
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from audit_log a
    where a.tenant_id = ${tenantId}
      and not (a.action = any (${[...USER_ACTIONS]}::text[]) and a.target = ${userId})
      and exists (
      select from unnest(${words}::text[]) w (word)
      where position(lower(w.word) in lower(a.target || coalesce(a.before::text, '') || coalesce(a.after::text, ''))) > 0
    )`.execute(db);
  return rows[0]?.count ?? 0;
}
