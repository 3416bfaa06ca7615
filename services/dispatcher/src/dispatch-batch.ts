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
import { endWith, type Span, spanFields, startStatement, tracer } from "@belfry/service/tracing";
import type { DispatchPublisher, OutgoingDelivery, OutgoingPush } from "./dispatch-publisher.ts";
import { countDispatched } from "./dispatcher-metrics.ts";
import { routeEvent } from "./route-event.ts";
import type { Routing, RoutingCache } from "./routing-cache.ts";
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

/** How a batch keeps the order with earlier events of its users. */
export interface Order {
  /** Runs the read of a batch; reads run in the order in which batches arrive. */
  read: <T>(work: () => Promise<T>) => Promise<T>;
  /** Dispatches these earlier events of the batch's users; undefined if the batch does not wait for earlier events. */
  dispatchFirst: ((ids: readonly string[]) => Promise<void>) | undefined;
}

/** Events that still wait for earlier ones after this many rounds are retried later. */
const MOST_ROUNDS = 3;
const NOTHING_WRITTEN: Written = { deliveries: [], pushes: [], resting: false };

/**
 * Dispatches the events with these ids: reads them, routes them, stores the result in one transaction and publishes it.
 * It is safe to repeat: an event that is already dispatched gets no new deliveries, but ids that may not have been
 * published are published again. Returns the ids of events that have changed meanwhile and must be read again. Throws
 * if any step may be incomplete.
 */
export async function dispatchBatch(deps: DispatchDeps, ids: readonly string[], order: Order) {
  const { pool, log } = deps;
  const startedAt = Date.now();
  const read = await order.read(async () => {
    const events = await readEvents(pool, ids);
    const open = events.filter((event) => !event.dispatched && !event.refused);
    const users = new Set(open.map(({ tenantId, userId }) => `${tenantId} ${userId}`));
    return { events, open, place: deps.userQueue.enter(users) };
  });
  // Missing events have expired, or their acceptance was rolled back.
  if (read.events.length < ids.length)
    log.warn({ missing: ids.length - read.events.length }, "no such event");
  const spans = startDispatches(read.open, startedAt);
  const dispatching = dispatchRead(deps, read, order, spans);
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
  order: Order,
  spans: Spans,
): Promise<string[]> {
  const { pool, log } = deps;
  let batch: EventDispatch[];
  let result: DispatchResult | undefined;
  try {
    // Preferences are read as late as possible, because a change binds all events that are dispatched after it.
    if (open.some((event) => event.mayHavePreferences)) await place.ready;
    batch = await routeAll(deps, open);
    await place.ready;
    if (spans !== undefined) await beginTraces(pool, open, spans);
    if (batch.length > 0) {
      const statement =
        spans &&
        startStatement("dispatch_events", batch, ({ eventId }) => spans.get(eventId)?.traceParent);
      const options = { ...order, tells: open.some(({ tells }) => tells) };
      result = await endWith(statement, dispatchInTurn(deps, batch, options));
    }
  } finally {
    place.leave();
  }
  const written = result === undefined ? NOTHING_WRITTEN : writtenBy(batch, open, result, spans);
  if (result !== undefined) {
    countDispatched(batch, result);
    for (const [at, one] of batch.entries()) {
      if (!result.claimed.has(one.eventId)) continue;
      logDispatched(log, open[at]!, one, result, spans?.get(one.eventId));
    }
  }
  if (spans !== undefined) endRepeated(spans, result);
  if (written.resting) deps.onRest();

  const again = events.filter((event) => event.dispatched || isUnclaimed(event, result));
  const before =
    again.length === 0
      ? { deliveries: [], pushes: [], pending: [] }
      : await readDispatchedBefore(
          pool,
          again.map((event) => event.id),
        );
  const byId = new Map(again.map((event) => [event.id, event]));
  const pushesAgain = before.pushes.map((push) => ({
    ...push,
    traceId: byId.get(push.eventId)?.traceId ?? push.eventId,
    traceParent: byId.get(push.eventId)?.traceParent ?? null,
  }));
  const [failed] = await Promise.all([
    deps.dispatchPublisher.publishDeliveries([...written.deliveries, ...before.deliveries]),
    deps.dispatchPublisher.publishPushes([...written.pushes, ...pushesAgain]),
  ]);
  if (failed.length > 0) {
    // They are stored in Postgres. Without their release mark, the release loop publishes them.
    await takeBackRelease(
      pool,
      failed.map((delivery) => delivery.id),
    );
  }
  return before.pending;
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
function endRepeated(spans: NonNullable<Spans>, result: DispatchResult | undefined): void {
  for (const [id, span] of spans) {
    if (!result?.claimed.has(id)) span.end({ "belfry.outcome": "repeated" });
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
  const preferences = events.some((event) => event.mayHavePreferences)
    ? await readUserPreferences(deps.pool, events, routing)
    : undefined;
  const batch = events.map((event, at) => route(event, routing, preferences?.[at]));
  await leaveSuppressed(deps.pool, batch);
  await noteSensitiveEvents(
    deps.pool,
    batch.filter((one) => one.isSensitive && !one.eraseVariables).map((one) => one.eventId),
  );
  return batch;
}

/**
 * Dispatches a batch. If earlier events of the same users must be dispatched first, dispatches a bounded number of them
 * and then the events of the batch that waited.
 */
async function dispatchInTurn(
  { pool, inFlightPerTenant }: DispatchDeps,
  batch: readonly EventDispatch[],
  { dispatchFirst, tells }: Order & { tells: boolean },
): Promise<DispatchResult> {
  const options = { inFlightPerTenant, inTurn: dispatchFirst !== undefined, tells };
  const all = await dispatchEvents(pool, batch, options);
  const known = new Set<string>();
  let { earlier } = all;
  for (let round = 0; earlier.length > 0 && round < MOST_ROUNDS; round += 1) {
    // The same earlier events as before cannot be dispatched now, so the batch no longer waits for them.
    if (earlier.every((id) => known.has(id))) options.inTurn = false;
    for (const id of earlier) known.add(id);
    await dispatchFirst?.(earlier);
    const rest = batch.filter(({ eventId }) => !all.claimed.has(eventId));
    const result = await dispatchEvents(pool, rest, options);
    for (const id of result.claimed) all.claimed.add(id);
    for (const id of result.released) all.released.add(id);
    for (const id of result.unwritten) all.unwritten.add(id);
    for (const [id, published] of result.published) all.published.set(id, published);
    earlier = result.earlier;
  }
  return all;
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

function isUnclaimed(event: StoredEvent, result: DispatchResult | undefined): boolean {
  return !event.dispatched && !event.refused && !result?.claimed.has(event.id);
}

interface Written {
  deliveries: OutgoingDelivery[];
  pushes: OutgoingPush[];
  resting: boolean;
}

function writtenBy(
  batch: readonly EventDispatch[],
  events: readonly StoredEvent[],
  result: DispatchResult,
  spans: Spans,
): Written {
  const deliveries: OutgoingDelivery[] = [];
  const pushes: OutgoingPush[] = [];
  let resting = false;
  for (const [at, dispatch] of batch.entries()) {
    if (!result.claimed.has(dispatch.eventId)) continue;
    const { traceId } = events[at]!;
    const traceParent = spans?.get(dispatch.eventId)?.traceParent ?? null;
    for (const { id, tenantId, channel } of dispatch.deliveries) {
      if (result.released.has(id)) {
        deliveries.push({ id, tenantId, channel, traceId, traceParent });
      } else if (!result.unwritten.has(id)) resting = true;
    }
    const published = result.published.get(dispatch.eventId);
    if (dispatch.push !== null && published !== undefined) {
      const { eventId } = dispatch;
      pushes.push({ ...dispatch.push, ...published, eventId, traceId, traceParent });
    }
  }
  return { deliveries, pushes, resting };
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

/**
 * Logs one line per event, with the trace id to search for. `released`: channels whose delivery is published to a
 * sender. `resting`: channels whose delivery waits for its time or for room of its tenant. `unwritten`: channels whose
 * delivery joined a digest or was throttled. `published`: whether the event has a notification.
 */
function logDispatched(
  log: Logger,
  event: StoredEvent,
  dispatch: EventDispatch,
  result: DispatchResult,
  span: Span | undefined,
): void {
  const { id: eventId, tenantId, traceId } = event;
  const released: string[] = [];
  const resting: string[] = [];
  const unwritten: string[] = [];
  for (const { id, channel } of dispatch.deliveries) {
    if (result.unwritten.has(id)) unwritten.push(channel);
    else (result.released.has(id) ? released : resting).push(channel);
  }
  const published = result.published.has(eventId);
  const more = unwritten.length > 0 && { unwritten };
  const fields = { tenantId, eventId, traceId, released, resting, ...more, published };
  log.info(span === undefined ? fields : { ...fields, ...spanFields(span) }, "dispatched");
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
