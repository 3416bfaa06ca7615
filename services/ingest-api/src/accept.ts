import {
  type EventLane,
  eventsStream,
  eventsSubject,
  type QueueItem,
} from "@belfry/contracts/streams";
import { MAX_EVENTS_OF_BATCH, MAX_TRIGGER_BATCH_BYTES } from "@belfry/contracts/trigger-batch";
import { isDataFault, type Pool } from "@belfry/database/connection";
import {
  type AcceptResult,
  acceptEvents,
  acknowledgeEvents,
  type EventToAccept,
  refuseEvents,
} from "@belfry/database/functions/accept-events";
import { type ApartOptions, type Batcher, createBatcher, runApart } from "@belfry/service/batcher";
import type { Publisher } from "@belfry/service/publish";
import { endWith, startStatement } from "@belfry/service/tracing";
import type { Logger } from "pino";
import { uuidv7 } from "uuidv7";

/**
 * A request is answered within this time, even if a dependency hangs. The specification requires the 500 within 5 s.
 */
const ANSWER_WITHIN_MS = 4500;
const PUBLISH_TIMEOUT_MS = 2000;
/** An event that waits longer than this for the database fails, because it could not be answered within 5 s. */
const MAX_WAIT_MS = 1500;
/** Rough size of an event without its variables. */
const ROW_BYTES = 400;
/** Bounds of one call of accept_events. They fit the largest batch of a request. */
const MAX_EVENTS = 200;
const MAX_BYTES = MAX_TRIGGER_BATCH_BYTES + MAX_EVENTS_OF_BATCH * ROW_BYTES;
const CALLS_IN_FLIGHT = 2;
/**
 * A second call begins only if a full batch waits or the first call takes longer than this. Two calls for one tenant
 * would wait for each other in the database, and half as many calls of twice the size cost a fifth less CPU time.
 */
const SLOW_CALL_MS = 25;

export interface Acceptor {
  /**
   * Accepts one event. Resolves once Postgres has committed the event and JetStream has acknowledged its id. For a
   * scheduled event, a refusal or a replay of a dispatched event, the commit is enough. Rejects if the acceptance is
   * not certain: the caller then answers 500, and the event is refused unless it was dispatched meanwhile.
   */
  accept(event: EventToAccept): Promise<AcceptResult>;
  /** Resolves when all current work has ended. */
  idle(): Promise<void>;
}

export interface AcceptorDeps {
  /** The pool of the triggers' connections. */
  pool: Pool;
  /** Default: that of the database. Tests pass others. */
  acceptEvents?: typeof acceptEvents;
  publisher: Publisher;
  prefix: string;
  /** Events of a tenant with more than this in the last minute are published to the bulk lane. */
  expressPerMinute: number;
  /** In ms; default: 4,500. */
  answerWithinMs?: number;
  /** Default: `performance.now`. */
  nowMs?: () => number;
  log: Logger;
}

/** A request that waits for the acceptance of its event. Either `settle` or `fail` is called, once. */
interface Pending {
  event: EventToAccept;
  /** Start time, by `performance.now`. */
  since: number;
  /** Whether the caller was already answered 500. */
  late: boolean;
  settle(result: AcceptResult): void;
  fail(error: unknown): void;
}

export function createAcceptor(deps: AcceptorDeps): Acceptor {
  const { log, prefix } = deps;
  const stream = eventsStream(prefix).name;
  const following = new Set<Promise<void>>();
  const { answerWithinMs = ANSWER_WITHIN_MS, nowMs = () => performance.now() } = deps;
  const giveUp = (pending: Pending) => {
    pending.late = true;
    pending.fail(new Error("the event could not be accepted in time"));
  };
  const waiting = createDeadlines(answerWithinMs, giveUp, nowMs);
  const batches = createAcceptBatches(deps, (batch, results) => {
    const work = publishBatch(batch, results).finally(() => following.delete(work));
    following.add(work);
  });

  /**
   * Publishes new events in one message per lane, and events that an earlier request has stored in one message each.
   */
  const publishBatch = async (batch: readonly Pending[], results: readonly AcceptResult[]) => {
    const lanes: Record<EventLane, Group[]> = { express: [], bulk: [] };
    const earlier: Group[] = [];
    const resting: Group[] = [];
    let last: Group | undefined;
    for (const [index, result] of results.entries()) {
      const waiter = batch[index]!;
      // Requests for the same event are next to each other in the batch.
      if (result.eventId !== null && result.eventId === last?.item.id) {
        last.waiters.push({ waiter, result });
        continue;
      }
      if (result.eventId === null || !(result.pending || isNew(result))) {
        waiter.settle(result);
        continue;
      }
      const lane = laneOf(result, deps.expressPerMinute);
      last = {
        item: { id: result.eventId, traceId: waiter.event.traceId },
        lane,
        waiters: [{ waiter, result }],
      };
      if (!result.pending) resting.push(last);
      else if (isNew(result)) lanes[lane].push(last);
      else earlier.push(last);
    }
    await Promise.all([
      ...Object.entries(lanes).map(([lane, groups]) => publishNew(lane as EventLane, groups)),
      ...earlier.map((group) => publishAgain(group)),
      settleResting(resting),
    ]);
  };

  /** Settles scheduled events, which need no message. Refuses events whose callers were already answered 500. */
  const settleResting = async (groups: Group[]) => {
    for (const group of groups) if (isWanted(group)) settle(group);
    await refuse(groups.filter((group) => !isWanted(group)));
  };

  const publishNew = async (lane: EventLane, groups: Group[]) => {
    const wanted = groups.filter(isWanted);
    // The callers of these events were answered 500 during the database call, so the events are refused.
    await refuse(groups.filter((group) => !wanted.includes(group)));
    if (wanted.length === 0) return;
    try {
      await publish(
        lane,
        wanted.map((group) => group.item),
        wanted.length === 1 ? wanted[0]!.item.id : uuidv7(),
      );
    } catch (error) {
      log.error({ err: error, events: wanted.length }, "events could not be published");
      return await refuse(wanted, error);
    }
    const late = wanted.filter((group) => !isWanted(group));
    for (const group of wanted) if (!late.includes(group)) settle(group);
    // The callers of these events were answered 500 before the acknowledgement. The dispatcher drops refused events.
    await refuse(late);
  };

  /**
   * Publishes an event again that an earlier request has stored. It does not wait for that request, whose replica may
   * have died; the dispatcher drops the second message.
   */
  const publishAgain = async (group: Group) => {
    try {
      await publish(group.lane, [group.item], group.item.id);
      // If no caller waits, the event is not acknowledged here, so the first request may still refuse it.
      if (!isWanted(group)) return;
      const standing = await acknowledgeEvents(deps.pool, [group.item.id]);
      if (!standing.has(group.item.id)) throw new Error("the first request was refused meanwhile");
      settle(group);
    } catch (error) {
      for (const { waiter } of group.waiters) waiter.fail(error);
    }
  };

  const publish = async (lane: EventLane, items: QueueItem[], messageId: string) => {
    const publishAs = (id: string) =>
      deps.publisher.publishIds(eventsSubject(prefix, lane), items, {
        messageId: id,
        expectStream: stream,
        timeoutMs: PUBLISH_TIMEOUT_MS,
      });
    const { duplicate } = await publishAs(messageId);
    // JetStream dropped the message as a duplicate of one that the dispatcher may have dropped while the event was
    // refused.
    if (duplicate) await publishAs(uuidv7());
  };

  /** Refuses events. Fails their requests, but settles those of events that were dispatched meanwhile. */
  const refuse = async (groups: Group[], cause?: unknown) => {
    if (groups.length === 0) return;
    const error = cause ?? new Error("the event was not published in time");
    let refused: Set<string> | undefined;
    try {
      refused = await refuseEvents(
        deps.pool,
        groups.map((group) => group.item.id),
      );
    } catch (err) {
      log.error({ err, events: groups.length }, "refused events could not be stamped");
    }
    for (const group of groups) {
      if (refused !== undefined && !refused.has(group.item.id)) settle(group);
      else for (const { waiter } of group.waiters) waiter.fail(error);
    }
  };

  return {
    accept: (event) =>
      new Promise((resolve, reject) => {
        const pending: Pending = {
          event,
          since: performance.now(),
          late: false,
          settle(result) {
            waiting.delete(pending);
            resolve(result);
          },
          fail(error) {
            waiting.delete(pending);
            reject(error);
          },
        };
        waiting.add(pending);
        batches.add(pending);
      }),
    async idle() {
      await batches.idle();
      while (following.size > 0) await Promise.allSettled(following);
    },
  };
}

interface Group {
  item: QueueItem;
  lane: EventLane;
  waiters: { waiter: Pending; result: AcceptResult }[];
}

/** Returns whether a caller still waits for the answer. */
function isWanted(group: Group): boolean {
  return group.waiters.some(({ waiter }) => !waiter.late);
}

function settle(group: Group): void {
  for (const { waiter, result } of group.waiters) waiter.settle(result);
}

function isNew(result: AcceptResult): boolean {
  return (
    result.outcome === "accepted" || result.outcome === "reopened" || result.outcome === "scheduled"
  );
}

/**
 * Returns the lane of an event. If a tenant sends a flood, its events wait in the bulk lane and do not delay others.
 */
function laneOf(result: AcceptResult, expressPerMinute: number): EventLane {
  const limits = result.limits;
  if (limits === null) return "express";
  return limits.perMinute - limits.minuteRemaining > expressPerMinute ? "bulk" : "express";
}

function traceParentOf({ event }: Pending): string | undefined {
  return event.options?.traceParent;
}

/**
 * Groups events that arrive at the same time into one call of the database, with at most two calls in flight. If the
 * data of a batch cause a failure, its events run one by one, so that only the poisoned event fails. `settled` is
 * called with each stored batch and its results.
 */
function createAcceptBatches(
  deps: AcceptorDeps,
  settled: (batch: readonly Pending[], results: readonly AcceptResult[]) => void,
): Batcher<Pending> {
  const call = deps.acceptEvents ?? acceptEvents;
  const accept: ApartOptions<Pending> = {
    async run(batch) {
      const span = startStatement("accept_events", batch, traceParentOf);
      const accepting = call(
        deps.pool,
        batch.map(({ event }) => event),
      );
      settled(batch, await endWith(span, accepting));
    },
    fail: (pending, error) => pending.fail(error),
    isItemFault(err, { length: events }) {
      if (!isDataFault(err)) return false;
      deps.log.warn({ err, events }, "batch failed on its data: item by item");
      return true;
    },
  };
  return createBatcher<Pending>({
    async run(batch) {
      const fresh = batch.filter((pending) => !hasWaitedTooLong(pending));
      if (fresh.length > 0) await runApart(inLockOrder(fresh), accept);
    },
    bytesOf: ({ event }) => ROW_BYTES + (event.variables?.length ?? 0),
    // Events of one request stay in one call, because two concurrent calls may be accepted in either order.
    belongTogether: (one, next) => one.event.traceId === next.event.traceId,
    maxItems: MAX_EVENTS,
    maxBytes: MAX_BYTES,
    maxInFlight: CALLS_IN_FLIGHT,
    slowMs: SLOW_CALL_MS,
  });
}

function hasWaitedTooLong(pending: Pending): boolean {
  if (performance.now() - pending.since <= MAX_WAIT_MS) return false;
  pending.fail(new Error("waited too long for the database"));
  return true;
}

/**
 * Sorts a batch by tenant, the order in which every replica locks the tenants' rows, so that there is no deadlock.
 * Events of a tenant stay in the order of arrival, in which the limits count them, except that events of one key are
 * put together.
 */
function inLockOrder(batch: Pending[]): Pending[] {
  if (batch.length === 1) return batch;
  const tenants = [...Map.groupBy(batch, ({ event }) => event.tenantId)];
  tenants.sort(([a], [b]) => (a < b ? -1 : 1));
  return tenants
    .flatMap(([, events]) => [...Map.groupBy(events, ({ event }) => event.dedupKey).values()])
    .flat();
}

/**
 * Calls `onLate` with each item that was not deleted within the time. All items wait equally long, so one timer is
 * enough; a timer per item would cost a request more than its checks.
 */
export function createDeadlines<T>(
  withinMs: number,
  onLate: (item: T) => void,
  nowMs: () => number,
) {
  /** The time (`nowMs`) at which each item is late, in the order of these times. */
  const waiting = new Map<T, number>();
  let timer: NodeJS.Timeout | undefined;

  const arm = (delayMs: number) => {
    // After a pause of this process, an answer may have arrived that is not read yet. `setImmediate` reads it first.
    timer = setTimeout(() => setImmediate(expire), delayMs);
  };
  const disarm = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  const expire = () => {
    disarm();
    const now = nowMs();
    for (const [item, lateAt] of waiting) {
      if (lateAt > now) return arm(lateAt - now);
      waiting.delete(item);
      onLate(item);
    }
  };

  return {
    add(item: T): void {
      waiting.set(item, nowMs() + withinMs);
      if (timer === undefined) arm(withinMs);
    },
    delete(item: T): void {
      waiting.delete(item);
      if (waiting.size === 0) disarm();
    },
  };
}
