import { type Channel, IN_APP } from "@belfry/contracts/channels";
import type { EventOutcome } from "@belfry/contracts/delivery";
import { reasonWords } from "@belfry/contracts/reasons";
import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import { inRange, reachOf, type ScannedRange, type ScannedRow, scannedPage } from "../pages.ts";

/**
 * Searches a tenant's events, newest first, page by page. Only the tenant and the id are indexed, because each further
 * index would slow down accepting events. So a page scans a bounded number of events and reports how far back it came,
 * and the next page continues from there.
 */

export const STATUS_GROUPS = ["sent", "waiting", "failed", "skipped", "undispatched"] as const;
type StatusGroup = (typeof STATUS_GROUPS)[number];

export interface EventSearch extends ScannedRange {
  tenantId: string;
  /** Rows on the page. */
  limit: number;
  eventType?: string | undefined;
  userId?: string | undefined;
  traceId?: string | undefined;
  channel?: Channel | undefined;
  status?: StatusGroup | undefined;
}

interface EventPage {
  events: (FoundEvent & { addresses: string[] })[];
  /** The value of `before` for the next page, with older events; undefined if there are none. */
  next: string | undefined;
  /** When the oldest scanned event was accepted. */
  searchedTo: Date | undefined;
}

/** Maximum number of events that one page scans. */
const MAX_SCANNED = 5_000;

const STATUSES: Readonly<Record<"sent" | "waiting" | "failed", readonly string[]>> = {
  sent: ["accepted", "delivered"],
  waiting: ["queued", "sending", "waiting"],
  failed: ["failed", "bounced", "complained", "expired", "unknown", "discarded"],
};

/** Finds one page of events. The reasons are as stored; `inWords` turns them into words. */
export async function searchEvents(db: Database, search: EventSearch): Promise<EventPage> {
  const { tenantId, limit } = search;
  const filter = filterOf(search);
  const scanned = filter === undefined ? limit + 1 : MAX_SCANNED;
  const { rows } = await sql<ScannedRow<EventPage["events"][number]>>`
    with scanned as materialized (
      select e.id, e.event_type, e.user_id, e.reference, e.trace_id, e.accepted_at, e.dispatched_at,
             e.refused_at, e.cancelled_at, e.outcome
      from events e
      where e.tenant_id = ${tenantId}
        ${inRange("e", search)}
      order by e.id desc limit ${scanned}
    ),
    reach as (${reachOf("accepted_at")}),
    found as (
      select * from scanned e ${filter === undefined ? sql`` : sql`where ${filter}`}
      order by e.id desc limit ${limit + 1}
    )
    select r.*, ${foundColumns("f", tenantId)},
           array(select distinct d.recipient from ${deliveriesOfEvent("f")} d
                 where d.tenant_id = ${tenantId} and d.recipient is not null) as addresses
    from reach r left join found f on true
    order by f.id desc`.execute(db);
  const { page, ...reached } = scannedPage(rows, limit, scanned);
  return { events: page, ...reached };
}

function filterOf(search: EventSearch) {
  const conditions = [];
  if (search.eventType !== undefined) conditions.push(sql`e.event_type = ${search.eventType}`);
  if (search.userId !== undefined) conditions.push(sql`e.user_id = ${search.userId}`);
  if (search.traceId !== undefined) conditions.push(sql`e.trace_id = ${search.traceId}`);
  if (search.channel !== undefined || search.status !== undefined) {
    conditions.push(stateCondition(search.channel, search.status));
  }
  return conditions.length === 0 ? undefined : sql`${sql.join(conditions, sql` and `)}`;
}

function stateCondition(channel: Channel | undefined, status: StatusGroup | undefined) {
  if (status === "undispatched") {
    return sql`e.dispatched_at is null and e.refused_at is null and e.cancelled_at is null`;
  }
  const ofChannel = channel === undefined ? sql`` : sql`and d.channel = ${channel}`;
  // `offset 0` makes Postgres look up each scanned event instead of hashing the whole table.
  const delivery = (statuses: readonly string[] | undefined) => sql`exists (
    select 1 from ${deliveriesOfEvent("e")} d where true ${ofChannel}
      ${statuses === undefined ? sql`` : sql`and d.status = any (${statuses}::text[])`} offset 0)`;
  const push =
    channel === undefined || channel === IN_APP
      ? sql`exists (select 1 from notifications n where n.id = e.id offset 0)`
      : sql`false`;
  const outcomeHas = (what: "skipped" | "failed") =>
    channel === undefined
      ? sql`coalesce(e.outcome -> ${what}::text, '{}') <> '{}'`
      : sql`coalesce(e.outcome -> ${what}::text, '{}') ? ${channel}`;
  switch (status) {
    case undefined:
      return sql`(${delivery(undefined)} or ${push})`;
    case "sent":
      return sql`(${delivery(STATUSES.sent)} or ${push})`;
    case "waiting":
      return delivery(STATUSES.waiting);
    case "failed":
      return sql`(${delivery(STATUSES.failed)} or ${outcomeHas("failed")})`;
    case "skipped":
      return sql`(${delivery(["skipped"])} or ${outcomeHas("skipped")})`;
  }
}

/** An event as lists show it. */
export interface FoundEvent {
  id: string;
  eventType: string;
  userId: string;
  reference: string | null;
  acceptedAt: Date;
  dispatchedAt: Date | null;
  refusedAt: Date | null;
  outcome: EventOutcome | null;
  deliveries: { channel: Channel; status: string; reason: string | null }[];
  pushed: boolean;
}

/** Returns the event with its stored reasons as words. */
export function inWords<E extends FoundEvent>(event: E): E {
  const deliveries = event.deliveries.map((one) => ({ ...one, reason: reasonWords(one.reason) }));
  const outcome = event.outcome && {
    ...event.outcome,
    ...wordsByChannel("skipped", event.outcome),
    ...wordsByChannel("failed", event.outcome),
    ...wordsByChannel("waits", event.outcome),
  };
  return { ...event, outcome, deliveries };
}

function wordsByChannel(what: "skipped" | "failed" | "waits", { [what]: reasons }: EventOutcome) {
  if (reasons === undefined) return undefined;
  const words = Object.entries(reasons).map(([channel, reason]) => [channel, reasonWords(reason)]);
  return { [what]: Object.fromEntries(words) };
}

/** SQL for the event's own deliveries and those of the digests that contain it. */
function deliveriesOfEvent(event: "e" | "f") {
  const id = sql.ref(`${event}.id`);
  return sql`lateral (
    select d.* from deliveries d where d.event_id = ${id}
    union all
    select d.* from digest_items i cross join lateral (
      select d.* from deliveries d where d.event_id = i.digest_id limit 1) d
    where i.event_id = ${id} and i.state = 'in')`;
}

/**
 * SQL for the columns of a `FoundEvent`. Without `tenantId`, finds deliveries and notifications of each event's tenant.
 */
export function foundColumns(event: "e" | "f", tenantId?: string) {
  const of = (column: string) => sql.ref(`${event}.${column}`);
  const tenant = tenantId === undefined ? of("tenant_id") : sql`${tenantId}`;
  return sql`
    ${of("id")}, ${of("event_type")} as "eventType", ${of("user_id")} as "userId", ${of("reference")},
    ${of("accepted_at")} as "acceptedAt", ${of("dispatched_at")} as "dispatchedAt",
    ${of("refused_at")} as "refusedAt", ${of("outcome")},
    coalesce((
      select json_agg(json_build_object('channel', d.channel, 'status', d.status, 'reason', d.reason)
                      order by d.channel)
      from ${deliveriesOfEvent(event)} d where d.tenant_id = ${tenant}), '[]') as deliveries,
    exists (select 1 from notifications n
            where n.id = ${of("id")} and n.tenant_id = ${tenant}) as pushed`;
}
