import type { MessageStatus } from "@belfry/contracts/webhook-endpoints";
import type { WebhookMessageType } from "@belfry/contracts/webhook-payload";
import type { Database } from "@belfry/database/connection";
import { type RawBuilder, sql } from "kysely";

/** Queries on `webhook_messages` with their deliveries. All name the tenant and the endpoint. */

export interface WebhookPlace {
  tenantId: string;
  webhookId: string;
}

export interface MessageRow {
  id: string;
  headerId: string;
  type: WebhookMessageType;
  eventId: string | null;
  status: MessageStatus;
  reason: string | null;
  createdAt: Date;
  nextAt: Date | null;
}

const MESSAGE = sql`
  m.id, coalesce(m.resend_of, m.id) as "headerId", m.type, m.event_id as "eventId", d.status, d.reason,
  m.created_at as "createdAt", case when d.status in ('queued', 'waiting') then coalesce(d.due_at, (
    select w.paused_until from webhooks w where w.id = d.held_for and w.tenant_id = d.tenant_id)) end as "nextAt"`;

/** Most rows that one page reads: filtered by status, it may find nothing among many. */
const LOOKED_AT = 5_000;

interface MessagesQuery extends WebhookPlace {
  status: MessageStatus | undefined;
  /** Older ones only. */
  before: string | undefined;
  limit: number;
}

/** The newest first; `next`: pass as `before` for older ones. */
export async function messagesOfWebhook(db: Database, query: MessagesQuery) {
  const { tenantId, webhookId, status, before, limit } = query;
  const older = before === undefined ? sql`` : sql`and m.id < ${before}`;
  const looked = await lookedAt(db, { tenantId, webhookId }, older);
  const { rows } = await sql<MessageRow>`
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
): Promise<(MessageRow & { payload: string }) | undefined> {
  const { rows } = await sql<MessageRow & { payload: string }>`
    select ${MESSAGE}, m.payload
    from (select * from webhook_messages m where m.id = ${messageId} limit 1) m
    join deliveries d on d.event_id = m.id and d.channel = 'WEBHOOK' and d.tenant_id = ${tenantId}
    where m.tenant_id = ${tenantId} and m.webhook_id = ${webhookId}`.execute(db);
  return rows[0];
}

export interface AttemptRow {
  messageId: string;
  headerId: string;
  type: WebhookMessageType;
  eventId: string | null;
  messageStatus: MessageStatus;
  number: number;
  at: Date;
  endedAt: Date | null;
  class: string | null;
  status: string | null;
  reason: string | null;
  answer: string | null;
  nextAt: Date | null;
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

const ATTEMPT = sql`
  m.id as "messageId", coalesce(m.resend_of, m.id) as "headerId", m.type, m.event_id as "eventId",
  d.status as "messageStatus", a.number, a.started_at as at, a.ended_at as "endedAt", a.class,
  a.vendor_status as status, a.reason, a.vendor_answer as answer, a.next_at as "nextAt"`;

/** Those of the newest message first, and of each message the newest first. */
export async function attemptsOfWebhook(db: Database, query: AttemptsQuery) {
  const { tenantId, webhookId, status, before, limit } = query;
  const from = before === undefined ? sql`` : sql`and m.id <= ${before.messageId}`;
  const looked = await lookedAt(db, { tenantId, webhookId }, from);
  const { rows } = await sql<AttemptRow>`
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
): Promise<AttemptRow[]> {
  const { rows } = await sql<AttemptRow>`
    select ${ATTEMPT}
    from webhook_messages m
    join deliveries d on d.event_id = m.id and d.channel = 'WEBHOOK' and d.tenant_id = ${tenantId}
    join attempts a on a.delivery_id = d.id
    where m.id = ${idsUnder(headerId)}
      and m.tenant_id = ${tenantId} and m.webhook_id = ${webhookId}
    order by m.id desc, a.number desc limit 100`.execute(db);
  return rows;
}

/** The messages that a page may look at; `end` is the oldest of them where there are more. */
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
  // Before anything is joined: so many are looked at, however the rest is planned.
  const looked = sql`with looked as materialized (
    select * from webhook_messages m where ${range} order by m.id desc limit ${LOOKED_AT})`;
  return { rows: looked, end: rows.length === 2 ? rows[0]?.id : undefined };
}

/** Looked up message by message: a join would read all deliveries where a page looks at many messages. */
function deliveryOf(tenantId: string): RawBuilder<unknown> {
  return sql`cross join lateral (
    select * from deliveries d
    where d.event_id = m.id and d.channel = 'WEBHOOK' and d.tenant_id = ${tenantId} limit 1) d`;
}

/** A message and its copies; each by its own index, which an `or` leaves to the planner. */
function idsUnder(headerId: string): RawBuilder<unknown> {
  return sql`any (array(
    select ${headerId}::uuid union all select c.id from webhook_messages c where c.resend_of = ${headerId}))`;
}

/**
 * Until the transaction ends: a replay is the only one of its tenant, and nothing is sent again by hand beside it. Never
 * waits: false, where somebody else has it.
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

/** Whether one with this header is under way; until the transaction ends nobody else sends it again. */
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
  // A statement of its own: it sees what was written while the one before it waited.
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
