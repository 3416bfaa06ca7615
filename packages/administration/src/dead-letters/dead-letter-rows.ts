import { type ProviderChannel, WEBHOOK } from "@belfry/contracts/channels";
import {
  DELIVERY_STATUSES,
  DELIVERY_TRANSITIONS,
  type DeliveryStatus,
} from "@belfry/contracts/delivery";
import { OUTCOME_CLASSES, type OutcomeClass } from "@belfry/contracts/sending";
import type { Database } from "@belfry/database/connection";
import { type RawBuilder, sql } from "kysely";

/** Queries on dead letters: deliveries that ended without being sent, until a person replays or discards them. */

/** The class of the last attempt. `untried`: there was no attempt. `expired`, `unknown`: the status of the delivery. */
export type DeadClass = OutcomeClass | "untried" | "expired" | "unknown";

export interface DeadSelection {
  /** Only these deliveries. */
  ids?: readonly string[] | undefined;
  tenantId?: string | undefined;
  channel?: ProviderChannel | undefined;
  class?: DeadClass | undefined;
  /** Kind of the provider. */
  provider?: string | undefined;
  /** Only dead letters that ended at this time or later. */
  since?: Date | undefined;
  /** Only dead letters that ended before this time. */
  until?: Date | undefined;
  /** Classes to leave out. */
  except?: readonly DeadClass[] | undefined;
  /** Only dead letters that ended at this time of `databaseNow` or before; exact to the microsecond. */
  endedBefore?: string | undefined;
}

/** `message`: a NATS message that could not be decoded, or that crashed the process too often. */
export const DEAD_CLASSES = [
  ...OUTCOME_CLASSES.filter((one) => one !== "accepted"),
  "untried",
  "expired",
  "unknown",
  "message",
] as const satisfies readonly (DeadClass | "message")[];

/** Selects dead letters by common properties. `since` and `until` are about the time of the end. */
export interface DeadLetterFilter
  extends Pick<DeadSelection, "tenantId" | "channel" | "provider" | "since" | "until"> {
  class?: (typeof DEAD_CLASSES)[number] | undefined;
}

/** Dead letters by their ids, or by a filter. */
export type DeadLetters =
  | { ids: readonly string[]; tenantId?: string | undefined }
  | DeadLetterFilter;

export interface DeadGroupRow {
  tenantId: string;
  channel: ProviderChannel;
  provider: string | null;
  class: DeadClass;
  count: number;
  oldest: Date;
  newest: Date;
  /** The newest dead letters of the group, at most 3. */
  examples: { id: string; eventId: string; reason: string | null; endedAt: string }[];
}

export interface DeadDeliveryRow {
  id: string;
  /** The event's id, or the digest's id if the delivery belongs to a digest. */
  eventId: string;
  /** null if the event was deleted. */
  eventType: string | null;
  userId: string | null;
  tenantId: string;
  channel: ProviderChannel;
  status: DeliveryStatus;
  class: DeadClass;
  provider: string | null;
  reason: string | null;
  createdAt: Date;
  endedAt: Date | null;
  expiresAt: Date | null;
  /** Why the delivery cannot be replayed; null if it can. */
  obstacle: string | null;
}

/** Statuses from which `DELIVERY_TRANSITIONS` allows the given one. */
function statusesBefore(next: DeliveryStatus): DeliveryStatus[] {
  return DELIVERY_STATUSES.filter((status) => DELIVERY_TRANSITIONS[status].includes(next));
}

const REPLAYABLE = literals(statusesBefore("queued"));
/** The statuses of dead letters, for `in (…)`. */
export const DISCARDABLE = literals(statusesBefore("discarded"));

const CLASS = sql<DeadClass>`case d.status when 'expired' then 'expired' when 'unknown' then 'unknown'
  else coalesce(a.class, 'untried') end`;
const PROVIDER = sql<string | null>`coalesce(a.provider_kind, p.kind)`;
const ATTEMPT_AND_PROVIDER = sql`
  left join attempts a on a.delivery_id = d.id and a.number = d.attempts
  left join providers p on p.id = d.provider_id`;
const DELIVERIES = sql`deliveries d ${ATTEMPT_AND_PROVIDER}`;
const ORIGINS = sql`left join tenants t on t.id = d.tenant_id
  left join events e on e.id = d.event_id and e.tenant_id = d.tenant_id
  left join digests g on g.id = d.event_id and g.tenant_id = d.tenant_id
  left join template_versions v on v.id = d.template_version_id
  left join templates m on m.id = v.template_id`;
/** SQL for the reason why a delivery cannot be replayed. A message that a provider has must never be sent twice. */
const OBSTACLE = sql<string | null>`case
  when d.status not in (${REPLAYABLE}) then 'it is ' || d.status
  when exists (select from attempts x where x.delivery_id = d.id and x.class = 'accepted')
    then 'a provider accepted an earlier attempt'
  when exists (select from receipts r where r.delivery_id = d.id and r.tenant_id = d.tenant_id)
    then 'a provider has it, by its receipt'
  when t.active is not true then 'tenant inactive'
  when e.id is null and g.id is null then 'the event is gone'
  when v.id is null then 'the template is gone'
  when (m.sensitive or e.accepted_at <= m.sensitive_until) and e.variables is null then 'its variables were erased: the template is sensitive'
  end`;

/**
 * Groups dead letters by tenant, channel, provider and class, largest group first. If `most` is given, reads at most
 * that many dead letters (the newest, if a tenant is given) before it applies any other condition.
 */
export async function deadGroups(db: Database, selection: DeadSelection, most?: number) {
  const { tenantId } = selection;
  const order = tenantId === undefined ? sql`` : sql`order by l.settled_at desc, l.id desc`;
  const looked =
    most === undefined
      ? sql`deliveries`
      : sql`(select l.* from deliveries l where l.status in (${DISCARDABLE}) and l.channel <> ${sql.lit(WEBHOOK)}
             ${tenantId === undefined ? sql`` : sql`and l.tenant_id = ${tenantId}`}
             ${order} limit ${most})`;
  const { rows } = await sql<DeadGroupRow>`
    with dead as (
      select d.id, d.event_id, d.tenant_id, d.channel, d.reason, d.settled_at,
             ${PROVIDER} as provider, ${CLASS} as class
      from ${looked} d ${ATTEMPT_AND_PROVIDER}
      where d.status in (${DISCARDABLE}) and ${conditions(selection)}
    ),
    ranked as (
      select *, row_number() over (
        partition by tenant_id, channel, provider, class order by settled_at desc, id desc) as place
      from dead
    )
    select tenant_id as "tenantId", channel, provider, class, count(*)::integer as count,
           min(settled_at) as oldest, max(settled_at) as newest,
           json_agg(json_build_object('id', id, 'eventId', event_id, 'reason', reason,
             'endedAt', to_char(settled_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
             order by place) filter (where place <= 3) as examples
    from ranked group by tenant_id, channel, provider, class
    order by count(*) desc, tenant_id, channel, provider, class`.execute(db);
  return rows;
}

/** Finds dead letters, newest first. With `ids`, finds the deliveries with these ids, dead or not. */
export async function deadDeliveries(db: Database, selection: DeadSelection, most: number) {
  const status = selection.ids === undefined ? sql`d.status in (${DISCARDABLE})` : sql`true`;
  const { rows } = await sql<DeadDeliveryRow>`
    select d.id, d.event_id as "eventId", coalesce(e.event_type, g.event_type) as "eventType",
           coalesce(e.user_id, g.user_id) as "userId", d.tenant_id as "tenantId", d.channel, d.status,
           ${CLASS} as class, ${PROVIDER} as provider, d.reason, d.created_at as "createdAt",
           d.settled_at as "endedAt", d.expires_at as "expiresAt", ${OBSTACLE} as obstacle
    from ${DELIVERIES} ${ORIGINS}
    where ${status} and ${conditions(selection)}
    order by d.settled_at desc, d.id desc limit ${most}`.execute(db);
  return rows;
}

/** Finds the attempts of a delivery, with the first KB of each vendor answer. */
export async function deadAttempts(db: Database, deliveryId: string) {
  return await db
    .selectFrom("attempts")
    .select([
      "number",
      "provider_kind as provider",
      "started_at as startedAt",
      "ended_at as endedAt",
      "class",
      "reason",
      "vendor_status as vendorStatus",
      "vendor_answer as vendorAnswer",
      "message_id as messageId",
    ])
    .where("delivery_id", "=", deliveryId)
    .orderBy("number")
    .execute();
}

/** Counts a tenant's dead letters, at most `most` of them. */
export async function countDead(db: Database, tenantId: string, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (
      select from deliveries d
      where d.status in (${DISCARDABLE}) and ${conditions({ tenantId })} limit ${most}) dead`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

/** Counts the selected dead letters that can be replayed. */
export async function countReplayable(db: Database, selection: DeadSelection): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from ${DELIVERIES} ${ORIGINS}
    where d.status in (${REPLAYABLE}) and ${conditions(selection)} and (${OBSTACLE}) is null
  `.execute(db);
  return rows[0]?.count ?? 0;
}

/**
 * Queues at most `most` dead letters again, oldest first. They are due now, start the retry schedule anew and lose an
 * expiry that has passed. Their attempts stay. No further event joins a replayed digest. Returns their ids.
 */
export async function requeueDead(
  db: Database,
  selection: DeadSelection,
  options: { most: number; reason: string },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with picked as materialized (
      select d.id, d.event_id from ${DELIVERIES} ${ORIGINS}
      where d.status in (${REPLAYABLE}) and ${conditions(selection)} and (${OBSTACLE}) is null
      order by d.settled_at, d.id limit ${options.most} for update of d skip locked
    ),
    closed as (
      update digests g set closed_at = clock_timestamp()
      where g.closed_at is null and g.id = any (array(select event_id from picked))
    ),
    -- They are already indexed for search, but the new attempt will bring another message id of the vendor.
    searched as (
      insert into search_waiting (delivery_id, look_at)
      select id, clock_timestamp() + interval '5 seconds' from picked order by id
      on conflict do nothing
    )
    update deliveries d
    set status = 'queued', reason = ${options.reason}, retries = 0, due_at = clock_timestamp(),
        released_at = null, claimed_until = null, settled_at = null, cancel_asked_at = null,
        expires_at = case when d.expires_at > clock_timestamp() then d.expires_at end
    from picked where d.id = picked.id returning d.id`.execute(db);
  return rows.map((row) => row.id);
}

/**
 * Returns the progress of a tenant's replays since a time: how many deliveries wait for their new attempt or are in it,
 * and how many have failed (again, or for the first time). Counts at most `most` of each. `reason` is the one that
 * `requeueDead` wrote, which marks replayed deliveries. `released_at` is set while a sender has the delivery.
 */
export async function replayProgress(
  db: Database,
  {
    tenantId,
    since,
    reason,
    most,
  }: { tenantId: string; since: Date; reason: string; most: number },
): Promise<{ trying: number; failed: number }> {
  // The three conditions about `released_at` are those of three partial indexes, so that Postgres uses these.
  const { rows } = await sql<{ trying: number; failed: number }>`
    select (select count(*)::integer from (
        select from deliveries d
        where d.tenant_id = ${tenantId} and d.channel <> ${WEBHOOK} and d.reason = ${reason} and
          ((d.released_at is null and d.status in ('queued', 'waiting') and d.broadcast_id is null)
            or (d.released_at is null and d.status in ('queued', 'waiting') and d.broadcast_id is not null)
            or d.released_at is not null)
        limit ${most}) as t) as trying,
      (select count(*)::integer from (
        select from deliveries d
        where d.tenant_id = ${tenantId} and d.channel <> ${WEBHOOK} and d.status in (${DISCARDABLE})
          and d.settled_at >= ${since}
        limit ${most}) as f) as failed`.execute(db);
  return rows[0]!;
}

/** Ends at most `most` dead letters for good; returns their ids. */
export async function endDead(db: Database, selection: DeadSelection, most: number) {
  const { rows } = await sql<{ id: string }>`
    with picked as materialized (
      select d.id from ${DELIVERIES}
      where d.status in (${DISCARDABLE}) and ${conditions(selection)}
      order by d.settled_at, d.id limit ${most} for update of d skip locked
    )
    update deliveries d set status = 'discarded', due_at = null
    from picked where d.id = picked.id returning d.id`.execute(db);
  return rows.map((row) => row.id);
}

/** Returns the database's time in ISO 8601, exact to the microsecond. */
export async function databaseNow(db: Database): Promise<string> {
  const { rows } = await sql<{ now: string }>`
    select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as now`.execute(
    db,
  );
  return rows[0]!.now;
}

function conditions(selection: DeadSelection): RawBuilder<unknown> {
  const { ids, tenantId, channel, provider, since, until, endedBefore, except = [] } = selection;
  // Webhook messages have their own list and replay. The partial index needs this condition, too.
  const parts = [sql`d.channel <> ${sql.lit(WEBHOOK)}`];
  if (ids !== undefined) parts.push(sql`d.id = any (${ids}::uuid[])`);
  if (tenantId !== undefined) parts.push(sql`d.tenant_id = ${tenantId}`);
  if (channel !== undefined) parts.push(sql`d.channel = ${channel}`);
  if (selection.class !== undefined) parts.push(sql`(${CLASS}) = ${selection.class}`);
  if (provider !== undefined) parts.push(sql`(${PROVIDER}) = ${provider}`);
  if (since !== undefined) parts.push(sql`d.settled_at >= ${since}`);
  if (until !== undefined) parts.push(sql`d.settled_at < ${until}`);
  if (endedBefore !== undefined) parts.push(sql`d.settled_at <= ${endedBefore}::timestamptz`);
  if (except.length > 0) parts.push(sql`(${CLASS}) <> all (${except}::text[])`);
  return sql.join(parts, sql` and `);
}

/** Returns the statuses as constants, not as parameters, so that the planner can use the partial index. */
function literals(statuses: readonly DeliveryStatus[]): RawBuilder<unknown> {
  return sql.join(statuses.map((status) => sql.lit(status)));
}
