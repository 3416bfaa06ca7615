import { storedReason } from "@belfry/contracts/reasons";
import { isDataFault, type Pool } from "@belfry/database/connection";
import {
  type DispatchResult,
  dispatchEvents,
  type EventDispatch,
  moveTraces,
  readDispatchedBefore,
  readEvents,
  type StoredEvent,
} from "@belfry/database/functions/dispatch-events";
import { suppressionsOf } from "@belfry/database/functions/recipients";
import { takeBackRelease } from "@belfry/database/functions/release-deliveries";
import type { KeyedSerialQueue, QueuePlace } from "@belfry/service/keyed-serial-queue";
import type { Logger } from "@belfry/service/logger";
import type { Semaphore } from "@belfry/service/semaphore";
import { endWith, type Span, spanFields, startStatement, tracer } from "@belfry/service/tracing";
import type { DispatchPublisher, OutgoingDelivery, OutgoingPush } from "./dispatch-publisher.ts";
import { countDispatched } from "./dispatcher-metrics.ts";
import { routeEvent } from "./route-event.ts";
import { type Routing, type RoutingCache, readsUser } from "./routing-cache.ts";
import { noteSensitiveEvents } from "./sensitive-events.ts";
import { readUserPreferences, type UserPreferences } from "./user-preferences.ts";

export interface DispatchDeps {
  pool: Pool;
  routing: RoutingCache;
  dispatchPublisher: DispatchPublisher;
  inFlightPerTenant: number;
  /**
   * Makes batches with a common user wait for each other. All dispatching in this process shares this queue. Postgres
   * keeps the order of a user's events by itself, over all replicas; the queue only avoids most of the conflicts.
   */
  userQueue: KeyedSerialQueue;
  /** Called when deliveries were stored unreleased, so that the release loop looks at once. */
  onRest: () => void;
  log: Logger;
}

/** The result of dispatching a batch. */
export interface Dispatched {
  /** Events that have changed meanwhile, or wait for earlier ones. They must be read again. */
  again: string[];
  /** Events of the batch's users that must be dispatched before these; some of them may be in the batch, too. */
  earlier: string[];
}

/**
 * Dispatches the events with these ids: reads them, routes them, stores the result in one transaction and publishes it.
 * It is safe to repeat: an event that is already dispatched gets no new deliveries, but ids that may not have been
 * published are published again. With `inTurn`, an event waits for earlier ones of its user. Throws if any step may be
 * incomplete.
 */
export async function dispatchBatch(
  deps: DispatchDeps & {
    /** Lets batches read one after the other, in the order in which they arrive. */
    reading: Semaphore;
  },
  ids: readonly string[],
  inTurn: boolean,
): Promise<Dispatched> {
  const startedAt = Date.now();
  const read = await deps.reading.run(async () => {
    const events = await readEvents(deps.pool, ids);
    const open = events.filter((event) => !event.dispatched && !event.refused);
    const users = new Set(open.map(({ tenantId, userId }) => `${tenantId} ${userId}`));
    return { events, open, place: deps.userQueue.enter(users) };
  });
  // Missing events have expired, or their acceptance was rolled back.
  if (read.events.length < ids.length)
    deps.log.warn({ missing: ids.length - read.events.length }, "no such event");
  const spans = startDispatches(read.open, startedAt);
  const dispatching = dispatchRead(deps, read, inTurn, spans);
  if (spans !== undefined) for (const span of spans.values()) void endWith(span, dispatching);
  return await dispatching;
}

interface ReadBatch {
  events: StoredEvent[];
  /** Events that are neither dispatched nor refused. */
  open: StoredEvent[];
  place: QueuePlace;
}

/** Spans by event id; undefined if tracing is off or no event is sampled. */
type Spans = ReadonlyMap<string, Span> | undefined;

async function dispatchRead(
  deps: DispatchDeps,
  { events, open, place }: ReadBatch,
  inTurn: boolean,
  spans: Spans,
): Promise<Dispatched> {
  const { pool, dispatchPublisher, inFlightPerTenant } = deps;
  let batch: EventDispatch[];
  let result: DispatchResult = NOTHING_CLAIMED;
  try {
    // Preferences are read as late as possible, because a change binds all events that are dispatched after it.
    if (open.some((event) => event.mayHavePreferences)) await place.ready;
    batch = await routeAll(deps, open);
    await place.ready;
    if (spans !== undefined) await beginTraces(pool, open, spans);
    if (batch.length > 0) {
      const parentOf = ({ eventId }: EventDispatch) => spans?.get(eventId)?.traceParent;
      const statement = spans && startStatement("dispatch_events", batch, parentOf);
      const tells = open.some((event) => event.tells);
      const written = dispatchEvents(pool, batch, { inFlightPerTenant, inTurn, tells });
      result = await endWith(statement, written);
    }
  } finally {
    place.leave();
  }
  countDispatched(batch, result);
  const written = takeWritten(deps.log, batch, open, result, spans);
  // The events that wait for earlier ones get another span.
  if (spans !== undefined && result.earlier.length === 0) endRepeated(spans, result);
  if (written.resting) deps.onRest();

  const unclaimed = events.filter(({ id, refused }) => !refused && !result.claimed.has(id));
  const before = await readBefore(pool, unclaimed);
  const [failed] = await Promise.all([
    dispatchPublisher.publishDeliveries([...written.deliveries, ...before.deliveries]),
    dispatchPublisher.publishPushes([...written.pushes, ...before.pushes]),
  ]);
  if (failed.length > 0) {
    // They are stored in Postgres. Without their release mark, the release loop publishes them.
    await takeBackRelease(
      pool,
      failed.map((delivery) => delivery.id),
    );
  }
  return { again: before.pending, earlier: result.earlier };
}

const NOTHING_CLAIMED: DispatchResult = {
  earlier: [],
  claimed: new Set(),
  released: new Set(),
  unwritten: new Set(),
  published: new Map(),
};

/** Reads what must be published again of events that this batch did not claim. */
async function readBefore(pool: Pool, events: readonly StoredEvent[]) {
  if (events.length === 0) return { deliveries: [], pushes: [], pending: [] };
  const byId = new Map(events.map((event) => [event.id, event]));
  const before = await readDispatchedBefore(pool, [...byId.keys()]);
  const pushes = before.pushes.map((push) => {
    const { traceId, traceParent } = byId.get(push.eventId)!;
    return { ...push, traceId, traceParent };
  });
  return { ...before, pushes };
}

/** Starts a span for each sampled event. A scheduled event begins a new trace, with a link to its acceptance. */
function startDispatches(events: readonly StoredEvent[], startedAt: number): Spans {
  const tracing = tracer();
  if (tracing === undefined) return undefined;
  const spans = new Map<string, Span>();
  for (const { id, tenantId, eventType, traceParent, sendAt } of events) {
    if (traceParent === null) continue;
    const span = tracing.start("dispatch", {
      kind: "consumer",
      ...(sendAt === null ? { parent: traceParent } : { links: [traceParent] }),
      attributes: {
        "belfry.tenant.id": tenantId,
        "belfry.event.id": id,
        "belfry.event.type": eventType,
      },
      startedAt,
    });
    spans.set(id, span);
  }
  return spans.size === 0 ? undefined : spans;
}

/** Ends the spans of events that this batch did not claim, with the outcome `repeated`. */
function endRepeated(spans: NonNullable<Spans>, { claimed }: DispatchResult): void {
  for (const [id, span] of spans) {
    if (!claimed.has(id)) span.end({ "belfry.outcome": "repeated" });
  }
}

/** Stores the new traces of scheduled events, so that the senders continue them. */
async function beginTraces(
  pool: Pool,
  events: readonly StoredEvent[],
  spans: NonNullable<Spans>,
): Promise<void> {
  const moved = new Map<string, string>();
  for (const { id, sendAt } of events) {
    const span = sendAt === null ? undefined : spans.get(id);
    if (span !== undefined) moved.set(id, span.traceParent);
  }
  if (moved.size > 0) await moveTraces(pool, moved);
}

async function routeAll(deps: DispatchDeps, events: readonly StoredEvent[]) {
  const routing = await deps.routing.routingFor(events);
  const preferences = events.some((event) => readsUser(event, routing))
    ? await readUserPreferences(deps.pool, events, routing)
    : undefined;
  const batch = events.map((event, at) => route(event, routing, preferences?.[at]));
  await leaveSuppressed(deps.pool, batch);
  const sensitive = batch.filter((one) => one.isSensitive && !one.eraseVariables);
  if (sensitive.length > 0) {
    await noteSensitiveEvents(
      deps.pool,
      sensitive.map((one) => one.eventId),
    );
  }
  return batch;
}

function route(event: StoredEvent, routing: Routing, preferences?: UserPreferences): EventDispatch {
  const { id, tenantId, eventType } = event;
  try {
    const templates = routing.templates(tenantId, eventType);
    return routeEvent(event, routing.tenant(tenantId), templates, preferences);
  } catch (cause) {
    throw new EventFault(`event ${id} cannot be routed`, { cause });
  }
}

/**
 * Returns what the batch has written to be published, and logs one line per event, with the trace id to search for.
 * `released`: channels whose delivery is published to a sender. `resting`: channels whose delivery waits for its time or
 * for room of its tenant. `unwritten`: channels whose delivery joined a digest or was throttled. `published`: whether
 * the event has a notification.
 */
function takeWritten(
  log: Logger,
  batch: readonly EventDispatch[],
  events: readonly StoredEvent[],
  result: DispatchResult,
  spans: Spans,
): { deliveries: OutgoingDelivery[]; pushes: OutgoingPush[]; resting: boolean } {
  const deliveries: OutgoingDelivery[] = [];
  const pushes: OutgoingPush[] = [];
  let rests = false;
  for (const [at, dispatch] of batch.entries()) {
    const { eventId } = dispatch;
    if (!result.claimed.has(eventId)) continue;
    const { tenantId, traceId } = events[at]!;
    const span = spans?.get(eventId);
    const traceParent = span?.traceParent ?? null;
    const released: string[] = [];
    const resting: string[] = [];
    const unwritten: string[] = [];
    for (const { id, channel } of dispatch.deliveries) {
      if (result.released.has(id)) {
        released.push(channel);
        deliveries.push({ id, tenantId, channel, traceId, traceParent });
      } else (result.unwritten.has(id) ? unwritten : resting).push(channel);
    }
    if (resting.length > 0) rests = true;
    const published = result.published.get(eventId);
    if (dispatch.push !== null && published !== undefined) {
      pushes.push({ ...dispatch.push, ...published, eventId, traceId, traceParent });
    }
    const more = unwritten.length > 0 && { unwritten };
    const isPublished = published !== undefined;
    const fields = {
      tenantId,
      eventId,
      traceId,
      released,
      resting,
      ...more,
      published: isPublished,
    };
    log.info(span === undefined ? fields : { ...fields, ...spanFields(span) }, "dispatched");
  }
  return { deliveries, pushes, resting: rests };
}

/**
 * Skips deliveries to suppressed addresses that would first wait (for the end of quiet hours or of a digest's window,
 * or for the notification to be read) or count for a throttle. So the timeline shows the skip now, not after the wait.
 * Runs one statement per batch with such deliveries. For deliveries that are sent at once, the claim checks the
 * suppression.
 */
async function leaveSuppressed(pool: Pool, batch: readonly EventDispatch[]): Promise<void> {
  const waiting = batch.flatMap((dispatch) =>
    dispatch.deliveries
      .filter(({ waits, timing }) => waits !== undefined || timing !== undefined)
      .map((delivery) => ({ dispatch, delivery })),
  );
  if (waiting.length === 0) return;
  const reasons = await suppressionsOf(
    pool,
    waiting.map(({ delivery }) => delivery),
  );
  for (const [at, { dispatch, delivery }] of waiting.entries()) {
    const reason = reasons[at];
    if (reason === undefined) continue;
    const { channel } = delivery;
    const { [channel]: _, ...waits } = dispatch.outcome?.waits ?? {};
    const why = storedReason("address-suppressed", { reason });
    const skipped = { ...dispatch.outcome?.skipped, [channel]: why };
    dispatch.outcome = { ...dispatch.outcome, skipped, waits };
    if (Object.keys(waits).length === 0) delete dispatch.outcome.waits;
    dispatch.deliveries = dispatch.deliveries.filter((one) => one !== delivery);
    // If no delivery is left, the event has ended on all channels.
    dispatch.eraseVariables = dispatch.isSensitive && dispatch.deliveries.length === 0;
  }
}

/** An event could not be routed or rendered because of its own data or its template. */
class EventFault extends Error {
  override readonly name = "EventFault";
}

/**
 * Returns whether an error comes from an event of the batch, so that the other events may succeed without it. Any other
 * error (a lost connection, missing rights, a bug in publishing) would repeat for every event.
 */
export function isEventFault(err: unknown): boolean {
  return err instanceof EventFault || isDataFault(err);
}
