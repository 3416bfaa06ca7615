import {
  type MessageStatus,
  WebhookAttempt,
  WebhookMessage,
} from "@belfry/contracts/webhook-endpoints";
import type { Database } from "@belfry/database/connection";
import { type RawBuilder, sql } from "kysely";
import { columnsOf } from "../columns.ts";

// Queries on `webhook_messages` with their deliveries. Each of them filters by tenant and endpoint.

export interface WebhookPlace {
  tenantId: string;
  webhookId: string;
}

const MESSAGE = columnsOf(WebhookMessage, "m", {
  headerId: sql`coalesce(m.resend_of, m.id)`,
  status: sql`d.status`,
  reason: sql`reason_in_words(d.reason)`,
  nextAt: sql`case when d.status in ('queued', 'waiting') then coalesce(d.due_at, (
    select w.paused_until from webhooks w where w.id = d.held_for and w.tenant_id = d.tenant_id)) end`,
});

/**
 * The number of messages that one page reads at most. A page filtered by status may match few of very many messages.
 */
const LOOKED_AT = 5_000;

interface MessagesQuery extends WebhookPlace {
  status: MessageStatus | undefined;
  /** Returns only messages with an id below this one; undefined: begins with the newest. */
  before: string | undefined;
  limit: number;
}

/**
 * Returns messages, the newest first. `next` is the `before` of the next page, or undefined if this is the last one.
 */
export async function messagesOfWebhook(db: Database, query: MessagesQuery) {
  const { tenantId, webhookId, status, before, limit } = query;
  const older = before === undefined ? sql`` : sql`and m.id < ${before}`;
  const looked = await lookedAt(db, { tenantId, webhookId }, older);
  const { rows } = await sql<WebhookMessage>`
    ${looked.rows}
    select ${MESSAGE}
    from looked m
    ${deliveryOf(tenantId)}
    where ${status ?? null}::text is null or d.status = ${status ?? null}
    order by m.id desc limit ${limit + 1}`.execute(db);
  const page = rows.slice(0, limit);
  return { rows: page, next: rows.length > limit ? page.at(-1)?.id : looked.end };
}

export async function messageById(
  db: Database,
  { tenantId, webhookId }: WebhookPlace,
  messageId: string,
): Promise<(WebhookMessage & { payload: string }) | undefined> {
  const { rows } = await sql<WebhookMessage & { payload: string }>`
    select ${MESSAGE}, m.payload
    from (select * from webhook_messages m where m.id = ${messageId} limit 1) m
    join deliveries d on d.event_id = m.id and d.channel = 'WEBHOOK' and d.tenant_id = ${tenantId}
    where m.tenant_id = ${tenantId} and m.webhook_id = ${webhookId}`.execute(db);
  return rows[0];
}

export interface AttemptPlace {
  messageId: string;
  number: number;
}

interface AttemptsQuery extends WebhookPlace {
  status: MessageStatus | undefined;
  before: AttemptPlace | undefined;
  limit: number;
}

const ATTEMPT = columnsOf(WebhookAttempt, "a", {
  messageId: sql`m.id`,
  headerId: sql`coalesce(m.resend_of, m.id)`,
  type: sql`m.type`,
  eventId: sql`m.event_id`,
  at: sql`a.started_at`,
  durationMs: sql`case when a.ended_at is not null then (1000 * extract(epoch from greatest(interval '0',
    date_trunc('milliseconds', a.ended_at) - date_trunc('milliseconds', a.started_at))))::integer end`,
  status: sql`a.vendor_status::integer`,
  outcome: sql`case when a.class is null then 'under way' when a.class = 'accepted' then 'arrived'
    when a.class = 'ambiguous' then 'unknown' else 'failed' end`,
  reason: sql`reason_in_words(a.reason)`,
  answer: sql`a.vendor_answer`,
  messageStatus: sql`d.status`,
});

/** Returns attempts: those of the newest message first, and each message's newest attempt first. */
export async function attemptsOfWebhook(db: Database, query: AttemptsQuery) {
  const { tenantId, webhookId, status, before, limit } = query;
  const from = before === undefined ? sql`` : sql`and m.id <= ${before.messageId}`;
  const looked = await lookedAt(db, { tenantId, webhookId }, from);
  const { rows } = await sql<WebhookAttempt>`
    ${looked.rows}
    select ${ATTEMPT}
    from looked m
    ${deliveryOf(tenantId)}
    join attempts a on a.delivery_id = d.id
    where (${status ?? null}::text is null or d.status = ${status ?? null})
      ${before === undefined ? sql`` : sql`and (m.id, a.number) < (${before.messageId}::uuid, ${before.number}::integer)`}
    order by m.id desc, a.number desc limit ${limit + 1}`.execute(db);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  if (rows.length > limit && last !== undefined) {
    return { rows: page, next: { messageId: last.messageId, number: last.number } };
  }
  return {
    rows: page,
    next: looked.end === undefined ? undefined : { messageId: looked.end, number: 0 },
  };
}

/** Returns the attempts of a message and its copies, the newest copy's first, at most 100. */
export async function attemptsOfMessage(
  db: Database,
  { tenantId, webhookId }: WebhookPlace,
  headerId: string,
): Promise<WebhookAttempt[]> {
  const { rows } = await sql<WebhookAttempt>`
    select ${ATTEMPT}
    from webhook_messages m
    join deliveries d on d.event_id = m.id and d.channel = 'WEBHOOK' and d.tenant_id = ${tenantId}
    join attempts a on a.delivery_id = d.id
    where m.id = ${idsUnder(headerId)}
      and m.tenant_id = ${tenantId} and m.webhook_id = ${webhookId}
    order by m.id desc, a.number desc limit 100`.execute(db);
  return rows;
}

/**
 * Returns the SQL for the messages that a page reads, and in `end` the oldest of them, or undefined if no older ones
 * exist.
 */
async function lookedAt(
  db: Database,
  { tenantId, webhookId }: WebhookPlace,
  from: RawBuilder<unknown>,
) {
  const range = sql`m.webhook_id = ${webhookId} and m.tenant_id = ${tenantId} ${from}`;
  const { rows } = await sql<{ id: string }>`
    select m.id from webhook_messages m where ${range} order by m.id desc offset ${LOOKED_AT - 1} limit 2`.execute(
    db,
  );
  // Materialized before any join, so that the bound holds whatever plan Postgres chooses.
  const looked = sql`with looked as materialized (
    select * from webhook_messages m where ${range} order by m.id desc limit ${LOOKED_AT})`;
  return { rows: looked, end: rows.length === 2 ? rows[0]?.id : undefined };
}

/**
 * Returns the join with the delivery of the message `m`, as a lateral subquery: each delivery is looked up by its
 * message. With a plain join Postgres may read all deliveries for each message, if it has no statistics yet.
 */
export function deliveryOf(tenantId: string): RawBuilder<unknown> {
  return sql`cross join lateral (
    select * from deliveries d
    where d.event_id = m.id and d.channel = 'WEBHOOK' and d.tenant_id = ${tenantId} limit 1) d`;
}

/**
 * Returns an SQL condition for the ids of a message and its copies. With `union all` each part uses its index; with
 * `or` the planner might not.
 */
function idsUnder(headerId: string): RawBuilder<unknown> {
  return sql`any (array(
    select ${headerId}::uuid union all select c.id from webhook_messages c where c.resend_of = ${headerId}))`;
}

/**
 * Locks the tenant's messages until the transaction ends. A replay excludes other replays and all resends; resends
 * exclude only replays. Never waits: returns false if another transaction holds a conflicting lock.
 */
export async function holdMessages(
  transaction: Database,
  tenantId: string,
  how: "replay" | "resend",
): Promise<boolean> {
  const key = sql`hashtextextended(${`webhooks ${tenantId}`}, 0)`;
  const { rows } = await (how === "replay"
    ? sql<{ held: boolean }>`select pg_try_advisory_xact_lock(${key}) as held`
    : sql<{ held: boolean }>`select pg_try_advisory_xact_lock_shared(${key}) as held`
  ).execute(transaction);
  return rows[0]?.held === true;
}

/**
 * Returns whether the message or a copy of it has not ended. Locks them all, so that until the transaction ends no
 * other call resends the message.
 */
export async function isUnderWay(
  transaction: Database,
  { tenantId, webhookId }: WebhookPlace,
  headerId: string,
): Promise<boolean> {
  const those = sql`m.id = ${idsUnder(headerId)}
    and m.webhook_id = ${webhookId} and m.tenant_id = ${tenantId}`;
  await sql`select 1 from webhook_messages m where ${those} order by m.id for update`.execute(
    transaction,
  );
  // A separate statement, so that it sees what others committed while the lock was awaited.
  const { rows } = await sql`
    select 1 from webhook_messages m
    join deliveries d on d.event_id = m.id and d.channel = 'WEBHOOK' and d.tenant_id = ${tenantId}
    where ${those} and d.status in ('queued', 'sending', 'waiting') limit 1`.execute(transaction);
  return rows.length > 0;
}

/** Writes a copy of each of these messages, with its delivery, due now. Returns the copies' ids, in no order. */
export async function copyMessages(
  transaction: Database,
  { tenantId, webhookId }: WebhookPlace,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    with copies as (
      insert into webhook_messages
        (id, webhook_id, tenant_id, type, event_id, user_id, payload, resend_of, created_at)
      select id_of_now(), m.webhook_id, m.tenant_id, m.type, m.event_id, m.user_id, m.payload,
             coalesce(m.resend_of, m.id), clock_timestamp()
      from webhook_messages m
      where m.id = any (${ids}::uuid[]) and m.tenant_id = ${tenantId} and m.webhook_id = ${webhookId}
      returning id, created_at
    )
    insert into deliveries (id, event_id, tenant_id, channel, status, due_at, created_at)
    select c.id, c.id, ${tenantId}, 'WEBHOOK', 'queued', c.created_at, c.created_at from copies c
    returning id`.execute(transaction);
  return rows.map(({ id }) => id);
}
