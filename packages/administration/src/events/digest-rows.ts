import type { ProviderChannel } from "@belfry/contracts/channels";
import type { DeliveryStatus, DigestItemState } from "@belfry/contracts/delivery";
import type { Database } from "@belfry/database/connection";
import { type RawBuilder, sql } from "kysely";

/** Queries on messages that gather events. Never the variables of their events. */

export interface DigestRow {
  id: string;
  eventType: string;
  channel: ProviderChannel;
  userId: string;
  recipient: string | null;
  /** Of the template's variant; empty: the default one. */
  locale: string;
  /** Of what keeps events apart; empty: nothing does. */
  key: string;
  openedAt: Date;
  /** Quiet hours may hold it up beyond. */
  windowEndsAt: Date;
  closedAt: Date | null;
  /** How many events the message is of. */
  count: number;
  /** null: until now only its first event, which was sent by itself. */
  delivery: DigestDelivery | null;
  /** Events may join it. */
  open: boolean;
}

export interface DigestDelivery {
  id: string;
  status: DeliveryStatus;
  reason: string | null;
  /** ISO 8601; null once settled. */
  dueAt: string | null;
}

/** While its delivery rests untried; before it has one, until its window ends. */
const OPEN = sql<boolean>`g.closed_at is null and case when d.id is null
  then g.window_ends_at > clock_timestamp()
  else d.status = 'queued' and d.released_at is null and d.attempts = 0 end`;

function select(rows: RawBuilder<unknown>) {
  return sql<DigestRow>`
    select g.id, g.event_type as "eventType", g.channel, g.user_id as "userId", g.recipient, g.locale, g.key,
           g.opened_at as "openedAt", g.window_ends_at as "windowEndsAt", g.closed_at as "closedAt",
           (select count(*)::integer from digest_items i where i.digest_id = g.id and i.state = 'in') as count,
           case when d.id is not null then json_build_object('id', d.id, 'status', d.status, 'reason', d.reason,
             'dueAt', to_char(d.due_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) end as delivery,
           ${OPEN} as open
    from ${rows} g
    left join lateral (select * from deliveries d where d.event_id = g.id limit 1) d on true`;
}

/** A tenant's digests that events may join, the soonest first. */
export async function openDigests(db: Database, tenantId: string, most: number) {
  const found = sql`(
    select g.* from digests g
    left join lateral (select * from deliveries d where d.event_id = g.id limit 1) d on true
    where g.tenant_id = ${tenantId} and ${OPEN}
    order by coalesce(d.due_at, g.window_ends_at), g.id limit ${most})`;
  const { rows } = await sql<DigestRow>`
    ${select(found)} order by coalesce(d.due_at, g.window_ends_at), g.id`.execute(db);
  return rows;
}

/** Those of a tenant that events may join, in the order of their users, which has an index. */
export async function openDigestsByUser(
  db: Database,
  tenantId: string,
  { after, most }: { after?: { userId: string; id: string } | undefined; most: number },
): Promise<DigestRow[]> {
  const beyond =
    after === undefined ? sql`` : sql`and (g.user_id, g.id) > (${after.userId}, ${after.id}::uuid)`;
  const found = sql`(
    select g.* from digests g
    left join lateral (select * from deliveries d where d.event_id = g.id limit 1) d on true
    where g.tenant_id = ${tenantId} and ${OPEN} ${beyond}
    order by g.user_id, g.id limit ${most})`;
  const { rows } = await sql<DigestRow>`${select(found)} order by g.user_id, g.id`.execute(db);
  return rows;
}

export async function digestById(db: Database, tenantId: string, id: string) {
  const found = sql`(select * from digests where id = ${id} and tenant_id = ${tenantId})`;
  const { rows } = await select(found).execute(db);
  return rows[0];
}

/** The oldest of its events first. */
export async function itemsOfDigest(db: Database, id: string, most: number) {
  return await db
    .selectFrom("digest_items")
    .select(["event_id as eventId", "state", "added_at as addedAt"])
    .where("digest_id", "=", id)
    .orderBy("event_id")
    .limit(most)
    .execute();
}

/** What became of one event in the digests that it came to. */
export interface GatheringRow {
  digestId: string;
  channel: ProviderChannel;
  state: DigestItemState;
  addedAt: Date;
  /** A cancel came while the digest was being sent. */
  cancelAskedAt: Date | null;
  windowEndsAt: Date;
  closedAt: Date | null;
  /** Events that the message is of. */
  count: number;
}

export async function gatheringsOfEvent(db: Database, tenantId: string, eventId: string) {
  const { rows } = await sql<GatheringRow>`
    select g.id as "digestId", g.channel, i.state, i.added_at as "addedAt",
           i.cancel_asked_at as "cancelAskedAt", g.window_ends_at as "windowEndsAt", g.closed_at as "closedAt",
           (select count(*)::integer from digest_items o where o.digest_id = g.id and o.state = 'in') as count
    from digest_items i join digests g on g.id = i.digest_id
    where i.event_id = ${eventId} and g.tenant_id = ${tenantId}
    order by g.channel, i.added_at`.execute(db);
  return rows;
}

/** Makes it due now where events may still join it; false: they may not, or it has no delivery. */
export async function makeDue(db: Database, tenantId: string, id: string): Promise<boolean> {
  const { rows } = await sql`
    with locked as materialized (
      select d.id from deliveries d
      where d.event_id = ${id} and d.tenant_id = ${tenantId} order by d.id for update
    ),
    due as (
      update deliveries d set due_at = clock_timestamp()
      from digests g
      where d.id = any (array(select id from locked)) and g.id = d.event_id and ${OPEN}
      returning d.event_id, d.due_at
    )
    update digests g set window_ends_at = least(g.window_ends_at, (select min(due_at) from due))
    where g.id = any (array(select event_id from due)) returning g.id`.execute(db);
  return rows.length > 0;
}
