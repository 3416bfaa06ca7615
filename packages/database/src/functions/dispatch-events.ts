import type { ProviderChannel } from "@belfry/contracts/channels";
import type { DigestSettings, EventOutcome, ThrottleSettings } from "@belfry/contracts/delivery";
import type pg from "pg";
import { resolveVariables } from "../broadcast-variables.ts";
import {
  callFunction,
  isReference,
  readRows,
  traceParentOf,
  withoutTraceParent,
} from "../connection.ts";
import { healChannels } from "./realtime-channels.ts";

/** An event as the dispatcher reads it. */
export interface StoredEvent {
  id: string;
  tenantId: string;
  eventType: string;
  userId: string;
  recipientEmail: string | null;
  recipientPhone: string | null;
  /** The mask of channelMask. */
  channels: number | null;
  /** The trigger's canonical locale; null if it named none. */
  locale: string | null;
  /** JSON text. */
  variables: string | null;
  /** One of many of one broadcast: it is gathered with nothing. */
  isBroadcast: boolean;
  traceId: string;
  /** W3C `traceparent` that its spans belong to; null: not sampled. */
  traceParent: string | null;
  acceptedAt: Date;
  /** To the microsecond: tells a reopened event from the one that was read. */
  acceptedAtText: string;
  /** The time that the trigger asked for or that it was moved to; null: at once. */
  sendAt: Date | null;
  /** Null: it had no rest, or rests. */
  released: Released | null;
  dispatched: boolean;
  /** Given back, or cancelled. */
  refused: boolean;
  /** Its tenant names its users, has quiet hours or categories, or its users have said what they want. */
  mayHavePreferences: boolean;
  /** Its tenant has webhooks. */
  tells: boolean;
}

/** When an event left its rest: its place in the order of its user, and the time of its notification. */
export interface Released {
  at: Date;
  /** To the microsecond. */
  text: string;
}

/** The outcome of dispatching one event. */
export interface EventDispatch {
  eventId: string;
  acceptedAtText: string;
  /** Set for an event that was scheduled. */
  released?: Released | null;
  outcome: EventOutcome | null;
  /** A template of it is sensitive: its variables must not stay when all has ended. */
  isSensitive: boolean;
  /** They are not needed any more. */
  eraseVariables: boolean;
  deliveries: NewDelivery[];
  push: NewPush | null;
}

export interface DispatchOptions {
  inFlightPerTenant: number;
  /** Whether an event waits for earlier ones of its user. */
  inTurn: boolean;
  /** Whether a tenant of the batch has webhooks. */
  tells?: boolean;
}

export interface NewDelivery {
  /** A fresh UUIDv7. */
  id: string;
  tenantId: string;
  channel: ProviderChannel;
  recipient: string | null;
  templateVersionId: string;
  expiresAt: Date | null;
  /** Until when it waits, and why. It ends as expired at once where it would not live to see that. */
  waits?: { until: Date; reason: string };
  /** Decided with the database's clock, in the transaction: see DeliveryTiming. Undefined: nothing of it. */
  timing?: DeliveryTiming;
}

/**
 * The template's settings for when a delivery leaves and how many there may be (functions/time-deliveries.sql). `waits`
 * also holds the end of quiet hours. That function decides whether the delivery would expire before it.
 */
export interface DeliveryTiming {
  userId: string;
  eventType: string;
  /** IANA name; null: UTC. */
  zone: string | null;
  /** Its event's variables must not stay when all has ended. */
  sensitive: boolean;
  /** Counts from the end of the window, or of the time to read the notification. */
  expiresAfterSeconds?: number;
  /** When the quiet hours end that last now, in words. */
  quietEnd?: string;
  throttle?: ThrottleSettings;
  /** So many seconds to read its notification first. */
  unlessRead?: number;
  digest?: Omit<DigestSettings, "key"> & {
    /** A fresh UUIDv7, for the digest that it may open. */
    id: string;
    /** The variant's locale; empty for the default one. */
    locale: string;
    /** Value of the variable that keeps events apart; at most 128 bytes, no U+0000. */
    key: string;
    /** Counts from its first event, for every kind of window. */
    maxSeconds: number;
    /** An event that says something of its mail leaves by itself. */
    ofMail?: true;
  };
}

export interface NewPush {
  tenantId: string;
  userId: string;
  eventType: string;
  title: string;
  body: string;
  channelName: string;
  /** The checked link; usually absent. */
  url?: string | null;
  /** JSON text of PushAction[]. */
  actions?: string | null;
}

export interface DispatchResult {
  /** Not all were claimed, as others come before them: these go first, some of the batch among them. */
  earlier: string[];
  claimed: Set<string>;
  /** Deliveries to publish now; the others rest. */
  released: Set<string>;
  /** Deliveries that were not made: gathered in an open digest, or more than the throttle lets through. */
  unwritten: Set<string>;
  /** Published notifications by event id. */
  published: Map<string, { offset: number; createdAt: Date }>;
}

interface Row {
  kind: "earlier" | "claimed" | "released" | "unwritten" | "published";
  id: string;
  channelOffset: string;
  createdAt: Date;
}

/** Reads a batch in one query; ids that do not exist are missing from the answer. */
export async function readEvents(pool: pg.Pool, ids: readonly string[]): Promise<StoredEvent[]> {
  type Row = Omit<
    StoredEvent,
    "released" | "mayHavePreferences" | "traceParent" | "isBroadcast"
  > & {
    releasedAt: Date | null;
    releasedAtText: string;
    hasRecipients: boolean;
    hasPreferences: boolean;
  };
  const rows = await callFunction<Row>(pool, "read_events", { p_ids: ids });
  const events = rows.map((row) => ({
    ...row,
    isBroadcast: isReference(row.variables),
    traceId: withoutTraceParent(row.traceId),
    traceParent: traceParentOf(row.traceId),
    released: row.releasedAt === null ? null : { at: row.releasedAt, text: row.releasedAtText },
    mayHavePreferences: row.hasRecipients || row.hasPreferences,
  }));
  if (events.some(({ isBroadcast }) => isBroadcast)) await resolveVariables(pool, events);
  return events;
}

/** Moves events that are not dispatched yet into traces of their own, by id: what follows of them belongs there. */
export async function moveTraces(pool: pg.Pool, moved: ReadonlyMap<string, string>): Promise<void> {
  const ids = [...moved.keys()].sort();
  await pool.query({
    name: "move_traces",
    // Locked in the order in which every batch takes its rows: no deadlock.
    text: `with locked as materialized (
             select e.id from events e where e.id = any ($1::uuid[]) and e.dispatched_at is null
             order by e.id for no key update
           )
           update events set trace_parent = ($2::text[])[array_position($1::uuid[], id)]
           where id = any (array(select id from locked))`,
    values: [ids, ids.map((id) => moved.get(id))],
  });
}

/** No two notifications of a channel have one offset. */
const OFFSETS = "notifications_by_offset";

/**
 * Claims and dispatches a batch in one call, all or nothing. What another call has
 * claimed before, or what has changed since it was read, is not in `claimed` and nothing is written for it.
 * A realtime channel whose next offset is taken is healed on the way.
 */
export async function dispatchEvents(
  pool: pg.Pool,
  batch: readonly EventDispatch[],
  options: DispatchOptions,
): Promise<DispatchResult> {
  try {
    return await dispatchOnce(pool, batch, options);
  } catch (err) {
    if ((err as { constraint?: string }).constraint !== OFFSETS) throw err;
    await healChannels(
      pool,
      batch.flatMap(({ push }) => (push === null ? [] : [{ ...push, name: push.channelName }])),
    );
    return await dispatchOnce(pool, batch, options);
  }
}

async function dispatchOnce(
  pool: pg.Pool,
  batch: readonly EventDispatch[],
  options: DispatchOptions,
): Promise<DispatchResult> {
  const events = batch.toSorted((a, b) => (a.eventId < b.eventId ? -1 : 1));
  const deliveries = events.flatMap((event) => event.deliveries);
  const pushed = events.filter(({ push }) => push !== null);
  const pushes = pushed.map(({ push }) => push!);
  const rows = await callFunction<Row>(pool, "dispatch_events", {
    p_ids: events.map((event) => event.eventId),
    p_accepted: events.map((event) => event.acceptedAtText),
    p_outcomes: events.map(({ outcome }) => (outcome === null ? null : JSON.stringify(outcome))),
    p_erase: events.map((event) => event.eraseVariables),
    p_delivery_ids: deliveries.map((delivery) => delivery.id),
    p_delivery_events: events.flatMap((event) => event.deliveries.map(() => event.eventId)),
    p_delivery_tenants: deliveries.map((delivery) => delivery.tenantId),
    p_delivery_channels: deliveries.map((delivery) => delivery.channel),
    p_delivery_recipients: deliveries.map((delivery) => delivery.recipient),
    p_delivery_versions: deliveries.map((delivery) => delivery.templateVersionId),
    p_delivery_expires: deliveries.map(({ expiresAt }) => expiresAt?.toISOString() ?? null),
    p_delivery_due: orNone(deliveries.map(({ waits }) => waits?.until.toISOString())),
    p_delivery_reasons: orNone(deliveries.map(({ waits }) => waits?.reason)),
    p_delivery_timing: deliveries.some(({ timing }) => timing !== undefined)
      ? deliveries.map(({ timing }) => (timing === undefined ? null : JSON.stringify(timing)))
      : null,
    p_push_ids: pushed.map((event) => event.eventId),
    p_push_tenants: pushes.map((push) => push.tenantId),
    p_push_users: pushes.map((push) => push.userId),
    p_push_types: pushes.map((push) => push.eventType),
    p_push_titles: pushes.map((push) => push.title),
    p_push_bodies: pushes.map((push) => push.body),
    p_push_names: pushes.map((push) => push.channelName),
    p_push_accepted: pushed.map((event) => event.released?.text ?? event.acceptedAtText),
    p_push_urls: orNone(pushes.map((push) => push.url)),
    p_push_actions: orNone(pushes.map((push) => push.actions)),
    p_in_flight: options.inFlightPerTenant,
    p_in_turn: options.inTurn,
    p_tells: options.tells ?? false,
  });
  const result: DispatchResult = {
    earlier: [],
    claimed: new Set(),
    released: new Set(),
    unwritten: new Set(),
    published: new Map(),
  };
  for (const row of rows) {
    if (row.kind === "earlier") result.earlier.push(row.id);
    else if (row.kind === "claimed") result.claimed.add(row.id);
    else if (row.kind === "released") result.released.add(row.id);
    else if (row.kind === "unwritten") result.unwritten.add(row.id);
    else {
      const offset = Number(row.channelOffset);
      result.published.set(row.id, { offset, createdAt: row.createdAt });
    }
  }
  return result;
}

/** Null where all of them are. */
function orNone(texts: (string | null | undefined)[]): (string | null | undefined)[] | null {
  return texts.some(Boolean) ? texts : null;
}

/** Returns those of the events that nobody has dispatched or refused. First waits for transactions that are doing so. */
export async function stillUndispatched(pool: pg.Pool, ids: readonly string[]): Promise<string[]> {
  // In the order in which every batch takes its rows: no deadlock.
  const { rows } = await pool.query<{ event_id: string }>({
    name: "still_undispatched",
    text: `select event_id from undispatched_events where event_id = any ($1::uuid[])
           order by event_id for key share`,
    values: [ids],
  });
  return rows.map((row) => row.event_id);
}

/** Parts of an earlier dispatched event that may not have left yet. */
export interface DispatchedBefore {
  /** Released and not yet taken by a sender. */
  deliveries: {
    id: string;
    tenantId: string;
    channel: ProviderChannel;
    traceId: string;
    traceParent: string | null;
  }[];
  pushes: (NewPush & { eventId: string; offset: number; createdAt: Date })[];
  /** Accepted, and neither dispatched nor refused: changed since it was read, or never claimed. */
  pending: string[];
}

/** Reads what must be published again for events that somebody has dispatched already. */
export async function readDispatchedBefore(
  pool: pg.Pool,
  eventIds: readonly string[],
): Promise<DispatchedBefore> {
  // One look into an index an event, whatever the statistics of a growing table say.
  type Delivery = DispatchedBefore["deliveries"][number];
  const deliveries = await readRows<Delivery>(pool, {
    name: "deliveries_dispatched_before",
    text: `select d.id, d.tenant_id, d.channel, e.trace_id, e.trace_parent
           from unnest($1::uuid[]) as item (id)
           cross join lateral (
             select * from deliveries d where d.event_id = item.id limit 32
           ) d
           cross join lateral (select trace_id, trace_parent from events e where e.id = item.id limit 1) e
           where d.status = 'queued' and d.released_at is not null`,
    values: [eventIds],
  });
  type Push = Omit<DispatchedBefore["pushes"][number], "offset"> & { channelOffset: string };
  const pushes = await readRows<Push>(pool, {
    name: "pushes_dispatched_before",
    text: `select id as event_id, tenant_id, user_id, event_type, title, body, channel_name, channel_offset,
                  created_at, url, actions
           from notifications where id = any ($1::uuid[]) order by channel_offset`,
    values: [eventIds],
  });
  const pending = await pool.query({
    name: "events_pending",
    text: "select event_id from undispatched_events where event_id = any ($1::uuid[])",
    values: [eventIds],
  });
  return {
    deliveries,
    pushes: pushes.map(({ channelOffset, url, actions, ...push }) => ({
      ...push,
      ...(url !== null && { url }),
      ...(actions !== null && { actions }),
      offset: Number(channelOffset),
    })),
    pending: pending.rows.map((row) => row.event_id),
  };
}
