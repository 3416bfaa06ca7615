import type { SentChannel } from "@belfry/contracts/channels";
import type pg from "pg";
import { callFunction, traceParentOf, withoutTraceParent } from "../connection.ts";

interface ReleasedDelivery {
  id: string;
  tenantId: string;
  channel: SentChannel;
  traceId: string;
  /** W3C `traceparent` that its spans belong to; null: not sampled. */
  traceParent: string | null;
}

export interface Release {
  /** On their way now: publish them. */
  released: ReleasedDelivery[];
  /** Events of deliveries that ended here, as skipped or expired. */
  settledEvents: string[];
  /** Tenants that have more due than they may have outstanding. */
  capped: string[];
  /** The turn was cut short after this tenant: go on from there. */
  cutAfter: string | undefined;
  /** Another replica is releasing this channel. */
  busy: boolean;
}

interface Row {
  kind: "released" | "settled" | "capped" | "cut" | "busy";
  tenantId: string;
  deliveryId: string;
  eventId: string;
  traceId: string | null;
}

/**
 * One turn over the tenants with deliveries due on a channel, from the one after `after` ("" for the
 * first) to the last: each gets at most what it lacks to `inFlightPerTenant` outstanding.
 */
export async function releaseDeliveries(
  pool: pg.Pool,
  options: { channel: SentChannel; inFlightPerTenant: number; after: string; most: number },
): Promise<Release> {
  const rows = await callFunction<Row>(pool, "release_deliveries", {
    p_channel: options.channel,
    p_in_flight: options.inFlightPerTenant,
    p_after: options.after,
    p_most: options.most,
  });
  return toRelease(options.channel, rows);
}

/** Releases once more what was released longer ago than `olderThanMs` and has not moved since. */
export async function releaseAgain(
  pool: pg.Pool,
  options: { channel: SentChannel; olderThanMs: number; most: number },
): Promise<Release> {
  const rows = await callFunction<Row>(pool, "release_again", {
    p_channel: options.channel,
    p_older_than: `${options.olderThanMs} milliseconds`,
    p_most: options.most,
  });
  return toRelease(options.channel, rows);
}

/** Whether anything was released longer ago than `olderThanMs` that no sender has claimed, or whose sender died. */
export async function hasUnclaimed(
  pool: pg.Pool,
  channel: SentChannel,
  olderThanMs: number,
): Promise<boolean> {
  const [row] = await callFunction<{ hasUnclaimed: boolean }>(pool, "has_unclaimed", {
    p_channel: channel,
    p_older_than: `${olderThanMs} milliseconds`,
  });
  return row?.hasUnclaimed === true;
}

/** Back to rest: what could not be published waits for the next turn. */
export async function takeBackRelease(pool: pg.Pool, ids: readonly string[]): Promise<void> {
  await pool.query(
    `with locked as materialized (
       select id from deliveries
       where id = any ($1::uuid[]) and released_at is not null and status in ('queued', 'waiting')
       order by id for update
     )
     update deliveries set released_at = null where id = any (array(select id from locked))`,
    [ids],
  );
}

/**
 * Erases the variables of events of which every delivery has ended, where a template was flagged
 * sensitive; of a digest's id those of its events. Call after the commit that ended them, so that of two channels the later one sees both.
 */
export async function eraseSensitiveVariables(pool: pg.Pool, eventIds: readonly string[]) {
  await pool.query(
    `with wanted as materialized (
       select id from unnest($1::uuid[]) w (id)
       union select i.event_id from digest_items i where i.digest_id = any ($1::uuid[])
     ),
     ended as materialized (
       select e.id from events e
       where e.id = any (array(select id from wanted)) and e.variables is not null
         -- With limits: these stay looks into indexes, whatever the planner believes of the tables.
         and exists (select from (
                       (select * from deliveries d where d.event_id = e.id limit 32)
                       union all
                       (select d.* from digest_items i join deliveries d on d.event_id = i.digest_id
                        where i.event_id = e.id limit 32)
                     ) d
                     cross join lateral (
                       select t.* from template_versions v join templates t on t.id = v.template_id
                       where v.id = d.template_version_id limit 1
                     ) t
                     where t.sensitive or e.accepted_at <= t.sensitive_until)
         and not exists (select from deliveries d
                         where d.event_id = e.id and d.status in ('queued', 'sending', 'waiting'))
         and not exists (select from digest_items i join deliveries d on d.event_id = i.digest_id
                         where i.event_id = e.id and i.state = 'in'
                           and d.status in ('queued', 'sending', 'waiting'))
       order by e.id for update of e
     )
     update events set variables = null where id = any (array(select id from ended))`,
    [eventIds],
  );
}

function toRelease(channel: SentChannel, rows: Row[]): Release {
  const release: Release = {
    released: [],
    settledEvents: [],
    capped: [],
    cutAfter: undefined,
    busy: false,
  };
  for (const { kind, deliveryId: id, tenantId, eventId, traceId } of rows) {
    if (kind === "released") {
      release.released.push({
        id,
        tenantId,
        channel,
        traceId: withoutTraceParent(traceId ?? eventId),
        traceParent: traceParentOf(traceId),
      });
    } else if (kind === "settled") release.settledEvents.push(eventId);
    else if (kind === "capped") release.capped.push(tenantId);
    else if (kind === "cut") release.cutAfter = tenantId;
    else release.busy = true;
  }
  return release;
}

export interface WokenEvent {
  eventId: string;
  tenantId: string;
  traceId: string;
}

interface Waking {
  /** Another replica is at it. */
  busy: boolean;
  /** In the order in which they were let go. */
  events: WokenEvent[];
  /** The tenant to go on from; undefined: that was the last one. */
  next: string | undefined;
}

/**
 * Lets at most `most` events go that are due, of the tenants after `after` (an id; empty: from the first one on).
 * They are to be published now.
 */
export async function wakeEvents(pool: pg.Pool, after: string, most: number): Promise<Waking> {
  type Row = Omit<WokenEvent, "tenantId"> & { state: string; tenantId: string | null };
  const rows = await callFunction<Row>(pool, "wake_events", { p_after: after, p_most: most });
  const last = rows.at(-1);
  if (last === undefined) throw new Error("wake_events returned nothing");
  const events = rows
    .slice(0, -1)
    .map(({ eventId, tenantId, traceId }) => ({ eventId, tenantId: tenantId!, traceId }));
  return { busy: last.state === "busy", events, next: last.tenantId ?? undefined };
}
