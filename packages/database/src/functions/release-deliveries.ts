import type { SentChannel } from "@belfry/contracts/channels";
import type pg from "pg";
import { callFunction, traceParentOf, withoutTraceParent } from "../connection.ts";

interface ReleasedDelivery {
  id: string;
  tenantId: string;
  channel: SentChannel;
  traceId: string;
  /** W3C `traceparent` of the delivery's spans; null if the trace is not sampled. */
  traceParent: string | null;
}

export interface Release {
  /** Deliveries that the caller must publish now. */
  released: ReleasedDelivery[];
  /** Events of deliveries that ended here, as skipped or expired. */
  settledEvents: string[];
  /** Tenants that may have more due deliveries than they may have outstanding. */
  capped: string[];
  /** Set if the call stopped at a limit: the tenant after which the next call continues. */
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
 * Releases due deliveries of a channel, tenant by tenant, beginning with the first tenant id after `after` ("": the
 * first tenant). A tenant has at most `inFlightPerTenant` released deliveries at a time. A call returns at most `most`
 * deliveries.
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

/** Releases again deliveries that were released more than `olderThanMs` ago and not claimed, or whose sender died. */
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

/** Returns whether a delivery was released more than `olderThanMs` ago and not claimed, or whether its sender died. */
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

/** Undoes the release of deliveries that could not be published, so that a later call releases them again. */
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
 * Erases the variables of events whose deliveries have all ended, if one of their templates is or was sensitive. For
 * the id of a digest, it erases the variables of the digest's events. Call it after the commit that ends a delivery: if
 * two channels end at the same time, the later call then sees that both have ended.
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
         -- The limits make Postgres read the indexes, whatever it believes about the tables' sizes.
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
  /** Another replica is waking events, so this call did nothing. */
  busy: boolean;
  /** In the order in which they are dispatched. */
  events: WokenEvent[];
  /** The value of `after` for the next call; undefined if all tenants were visited. */
  next: string | undefined;
}

/**
 * Makes due scheduled events ready for dispatch: at most `most`, of the tenants whose id is after `after` ("": all).
 * The caller must publish them.
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
