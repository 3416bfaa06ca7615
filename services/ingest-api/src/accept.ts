import {
  type EventLane,
  eventsStream,
  eventsSubject,
  type QueueItem,
} from "@belfry/contracts/streams";
import { MAX_EVENTS_OF_BATCH, MAX_TRIGGER_BATCH_BYTES } from "@belfry/contracts/trigger-batch";
import { isDataFault } from "@belfry/database/connection";
import type { AcceptResult, EventToAccept } from "@belfry/database/functions/accept-events";
import { type ApartOptions, type Batcher, createBatcher, runApart } from "@belfry/service/batcher";
import type { Publisher } from "@belfry/service/publish";
import { endWith, startStatement } from "@belfry/service/tracing";
import type { Logger } from "pino";
import { uuidv7 } from "uuidv7";

/** The answer leaves before this, whatever hangs: the specification asks for the 500 within 5 s. */
const ANSWER_WITHIN_MS = 4500;
const PUBLISH_TIMEOUT_MS = 2000;
/** An event that has waited longer than this for the database could not be answered within 5 s. */
const MAX_WAIT_MS = 1500;
/** An event without its variables, roughly. */
const ROW_BYTES = 400;
/** Bounds of one call of the accept function: it holds any batch of a request. */
const MAX_EVENTS = 200;
const MAX_BYTES = MAX_TRIGGER_BATCH_BYTES + MAX_EVENTS_OF_BATCH * ROW_BYTES;
const CALLS_IN_FLIGHT = 2;
/**
 * The second call begins when a full one waits, or when the first is slow: two calls for one tenant wait for
 * each other in the database, and half as many, twice as large calls cost a fifth less CPU time.
 */
const SLOW_CALL_MS = 25;

export interface Acceptor {
  /**
   * Accepts one event. Resolves once Postgres has committed it and JetStream has acknowledged its id; one that
   * rests with the commit (or with the refusal or replay that the database found). Rejects where neither is certain: the
   * caller answers 500, and the event is refused unless it was dispatched meanwhile.
   */
  accept(event: EventToAccept): Promise<AcceptResult>;
  /** Resolves when all work in hand has ended. */
  idle(): Promise<void>;
}

export interface AcceptorDeps {
  acceptEvents(batch: EventToAccept[]): Promise<AcceptResult[]>;
  /** Returns the ids that were given back; the others stand. */
  refuseEvents(ids: string[]): Promise<Set<string>>;
  /** Returns the ids that stand; the others were given back meanwhile. */
  acknowledgeEvents(ids: string[]): Promise<Set<string>>;
  publisher: Publisher;
  prefix: string;
  /** A tenant with more than this in its window goes to the bulk lane. */
  expressPerMinute: number;
  /** Default: 4,500. */
  answerWithinMs?: number;
  /** Default: `performance.now`. */
  nowMs?: () => number;
  log: Logger;
}

/** A request that waits for its event. `settle` or `fail` is called once. */
interface Pending {
  event: EventToAccept;
  /** Start time of `performance.now`. */
  since: number;
  /** The caller has its 500 already. */
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

  /** One message a lane for what is new; one each for what an earlier request has claimed. */
  const publishBatch = async (batch: readonly Pending[], results: readonly AcceptResult[]) => {
    const lanes: Record<EventLane, Group[]> = { express: [], bulk: [] };
    const earlier: Group[] = [];
    const resting: Group[] = [];
    let last: Group | undefined;
    for (const [index, result] of results.entries()) {
      const waiter = batch[index]!;
      // Requests for the same event follow one another.
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

  /** The commit was their acceptance; those whose callers were told 500 meanwhile are given back. */
  const settleResting = async (groups: Group[]) => {
    for (const group of groups) if (isWanted(group)) settle(group);
    await refuse(groups.filter((group) => !isWanted(group)));
  };

  const publishNew = async (lane: EventLane, groups: Group[]) => {
    const wanted = groups.filter(isWanted);
    // Their callers were told 500 while the database worked: give them back instead.
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
    // Their callers were told 500 before the acknowledgement: the dispatcher drops what is refused.
    await refuse(late);
  };

  /** The first request may be on a replica that died: no waiting, the second copy is dropped later. */
  const publishAgain = async (group: Group) => {
    try {
      await publish(group.lane, [group.item], group.item.id);
      // Nobody is told that it stands: whoever claimed it may give it back.
      if (!isWanted(group)) return;
      const standing = await deps.acknowledgeEvents([group.item.id]);
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
    // The copy that JetStream remembers may have come and gone while the event stood refused.
    if (duplicate) await publishAs(uuidv7());
  };

  /** Answers 500 only if the claim was given back or could not be. A dispatched event is a 200. */
  const refuse = async (groups: Group[], cause?: unknown) => {
    if (groups.length === 0) return;
    const error = cause ?? new Error("the event was not published in time");
    let refused: Set<string> | undefined;
    try {
      refused = await deps.refuseEvents(groups.map((group) => group.item.id));
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

/** Whether somebody still waits for its answer. */
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

/** A flood of one tenant waits behind its own events, not before the others'. */
function laneOf(result: AcceptResult, expressPerMinute: number): EventLane {
  const limits = result.limits;
  if (limits === null) return "express";
  return limits.perMinute - limits.minuteRemaining > expressPerMinute ? "bulk" : "express";
}

function traceParentOf({ event }: Pending): string | undefined {
  return event.options?.traceParent;
}

/**
 * Groups what arrives at the same time into one call of the database, with at most two calls in flight.
 * A batch that fails on its data is run again item by item, so that one poisoned event fails alone.
 * `settled` is told of every batch whose events are stored, before anybody else.
 */
function createAcceptBatches(
  deps: Pick<AcceptorDeps, "acceptEvents" | "log">,
  settled: (batch: readonly Pending[], results: readonly AcceptResult[]) => void,
): Batcher<Pending> {
  const accept: ApartOptions<Pending> = {
    async run(batch) {
      const span = startStatement("accept_events", batch, traceParentOf);
      const accepting = deps.acceptEvents(batch.map(({ event }) => event));
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
    // Two calls at a time may be accepted in either order.
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
 * Tenant by tenant, in the order in which every replica takes their rows: no deadlock. The events of a tenant stay in the
 * order in which they came, as its limits count them, but those of one key come together.
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
 * Uses one timer for all items that wait equally long: a timer for each costs a request more than its checks. Calls
 * `onLate` with an item that was not deleted within the time.
 */
export function createDeadlines<T>(
  withinMs: number,
  onLate: (item: T) => void,
  nowMs: () => number,
) {
  /** When each item is late, in `nowMs`; the oldest first. */
  const waiting = new Map<T, number>();
  let timer: NodeJS.Timeout | undefined;

  const arm = (delayMs: number) => {
    // After a pause of this process an answer may have come that is not read yet: it is read first.
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
