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
  /** Bit mask of channelMask; null if the trigger named no channels. */
  channels: number | null;
  /** The trigger's canonical locale; null if the trigger named none. */
  locale: string | null;
  /** JSON text. */
  variables: string | null;
  /** Whether the event belongs to a broadcast. Such events never join a digest. */
  isBroadcast: boolean;
  traceId: string;
  /** W3C `traceparent` of the event's spans; null if the trace is not sampled. */
  traceParent: string | null;
  acceptedAt: Date;
  /** `acceptedAt` with microseconds. An event that was refused and accepted again has another. */
  acceptedAtText: string;
  /** The time of sending that the trigger or a later change has set; null if the event is sent at once. */
  sendAt: Date | null;
  /** Null if the event was not scheduled, or is not due yet. */
  released: Released | null;
  dispatched: boolean;
  /** Whether the event was refused after it was accepted, or cancelled. */
  refused: boolean;
  /** Whether its tenant names users, has quiet hours or categories, or has users with preferences. */
  mayHavePreferences: boolean;
  /** Whether its tenant has webhooks. */
  tells: boolean;
}

/** When a scheduled event became due: its place in the order of its user, and its notification's time. */
export interface Released {
  at: Date;
  /** `at` with microseconds. */
  text: string;
}

/** The outcome of dispatching one event. */
export interface EventDispatch {
  eventId: string;
  acceptedAtText: string;
  /** Set for an event that was scheduled. */
  released?: Released | null;
  outcome: EventOutcome | null;
  /** Whether a template of the event is sensitive: the variables are erased when all its deliveries have ended. */
  isSensitive: boolean;
  /** Whether the variables are erased now, because nothing needs them any more. */
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
  /** Until when the delivery waits, and why. It ends as expired at once if it expires by then. */
  waits?: { until: Date; reason: string };
  /** Settings that the database applies by its own clock, in the transaction. Undefined if the template has none. */
  timing?: DeliveryTiming;
}

/**
 * The template's settings for when a delivery is sent and how many may be sent (functions/time-deliveries.sql). If a
 * delivery has `timing` and waits for the end of quiet hours, that end is in `waits`, and time_deliveries decides
 * whether the delivery expires before it.
 */
export interface DeliveryTiming {
  userId: string;
  eventType: string;
  /** IANA name; null: UTC. */
  zone: string | null;
  /** Whether the event's variables must be erased when all its deliveries have ended. */
  sensitive: boolean;
  /** Lifetime in seconds, from the end of the digest's window or of the time to read the notification. */
  expiresAfterSeconds?: number;
  /** The end of the current quiet hours, as text. */
  quietEnd?: string;
  throttle?: ThrottleSettings;
  /** Seconds that the user has to read the notification. If it is read by then, the message is not sent. */
  unlessRead?: number;
  digest?: Omit<DigestSettings, "key"> & {
    /** A fresh UUIDv7, for the digest that it may open. */
    id: string;
    /** The variant's locale; empty for the default one. */
    locale: string;
    /** Value of the variable that separates digests; at most 128 bytes, no U+0000. */
    key: string;
    /** The longest window in seconds, from the digest's first event, for every kind of window. */
    maxSeconds: number;
    /** Set for email: an event with its own envelope joins no digest and is sent alone. */
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
  /** Events that must be dispatched before unclaimed events of the batch. Some of them may be in the batch, too. */
  earlier: string[];
  claimed: Set<string>;
  /** Deliveries to publish now. The other deliveries wait in the database. */
  released: Set<string>;
  /** Deliveries that were not stored: the event joined an open digest, or the throttle's limit was reached. */
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

/** Reads a batch in one query. The result has no entry for ids that do not exist. */
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

/** Gives undispatched events a new `traceparent`, by event id. All later spans of an event belong to its new trace. */
export async function moveTraces(pool: pg.Pool, moved: ReadonlyMap<string, string>): Promise<void> {
  const ids = [...moved.keys()].sort();
  await pool.query({
    name: "move_traces",
    // Locks the rows in the order of every other batch, to avoid deadlocks.
    text: `with locked as materialized (
             select e.id from events e where e.id = any ($1::uuid[]) and e.dispatched_at is null
             order by e.id for no key update
           )
           update events set trace_parent = ($2::text[])[array_position($1::uuid[], id)]
           where id = any (array(select id from locked))`,
    values: [ids, ids.map((id) => moved.get(id))],
  });
}

/** The unique index on the offsets of a realtime channel's notifications. */
const OFFSETS = "notifications_by_offset";

/**
 * Claims and dispatches a batch in one call, all or nothing. An event that another call has claimed, or that has
 * changed since it was read, is not in `claimed`, and nothing is written for it. If a realtime channel's next offset is
 * already used, the channel is healed and the call is repeated.
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

/** Returns null if no item has a value. */
function orNone(texts: (string | null | undefined)[]): (string | null | undefined)[] | null {
  return texts.some(Boolean) ? texts : null;
}

/** Returns the events that are neither dispatched nor refused. First waits for transactions that are doing so. */
export async function stillUndispatched(pool: pg.Pool, ids: readonly string[]): Promise<string[]> {
  // Locks the rows in the order of every other batch, to avoid deadlocks.
  const { rows } = await pool.query<{ event_id: string }>({
    name: "still_undispatched",
    text: `select event_id from undispatched_events where event_id = any ($1::uuid[])
           order by event_id for key share`,
    values: [ids],
  });
  return rows.map((row) => row.event_id);
}

/** Parts of an event that was dispatched before. They may not have been published yet. */
export interface DispatchedBefore {
  /** Released, and not yet claimed by a sender. */
  deliveries: {
    id: string;
    tenantId: string;
    channel: ProviderChannel;
    traceId: string;
    traceParent: string | null;
  }[];
  pushes: (NewPush & { eventId: string; offset: number; createdAt: Date })[];
  /** Events that are neither dispatched nor refused: they have changed since they were read, or were never claimed. */
  pending: string[];
}

/** Reads what must be published again for events that have been dispatched already. */
export async function readDispatchedBefore(
  pool: pg.Pool,
  eventIds: readonly string[],
): Promise<DispatchedBefore> {
  // One index look-up per event, even if the statistics of a growing table are wrong.
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
