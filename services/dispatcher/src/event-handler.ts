import { CHANNELS } from "@belfry/contracts/channels";
import { UUID } from "@belfry/contracts/identifiers";
import { REASONS, storedReason } from "@belfry/contracts/reasons";
import { decodeQueueMessage, MAX_DELIVERIES_OF_A_MESSAGE } from "@belfry/contracts/streams";
import { chunks, type Pool } from "@belfry/database/connection";
import { stillUndispatched } from "@belfry/database/functions/dispatch-events";
import { storeDeadMessage } from "@belfry/database/message-tries";
import {
  DONE,
  type Message,
  type MessageHandler,
  type MessageOutcome,
  type SetAside,
} from "@belfry/service/message-batch";
import type { Publisher } from "@belfry/service/publish";
import { createSemaphore } from "@belfry/service/semaphore";
import type pg from "pg";
import {
  type DispatchDeps,
  type Dispatched,
  dispatchBatch,
  isEventFault,
} from "./dispatch-batch.ts";
import { countFailed } from "./dispatcher-metrics.ts";

/** Most events in one transaction. */
const EVENTS_PER_BATCH = 200;
const CHANGED_DELAY_MS = 200;
const POISONED_DELAY_MS = 2000;
/** Events that still wait for earlier ones after this many rounds are retried later. */
const MOST_ROUNDS = 3;

type BatchDeps = Parameters<typeof dispatchBatch>[0];
type Troubles = Map<string, "changed" | "poisoned">;

/**
 * Returns a handler of messages that carry ids of accepted events. A poisoned event does not stop the other events of
 * its batch: they are dispatched, its message is redelivered, and after the last delivery the event ends as failed,
 * which people can see. If the cause is not the event (Postgres or NATS is not reachable), the handler throws.
 */
export function createEventHandler(deps: DispatchDeps & { concurrency: number }): MessageHandler {
  // Shared by all calls, so that events are dispatched in the order in which they arrive.
  const dispatching = createSemaphore(deps.concurrency);
  const reading = createSemaphore(1);
  return async (messages, { log }) => {
    const own = { ...deps, log, reading };
    const idsOfMessages = messages.map(idsOf);
    // In the order of the stream: the order of acceptance, except for retried events and events of the other lane.
    const ids = [...new Set(idsOfMessages.flatMap((ids) => ids ?? []))];
    const troubles: Troubles = new Map();
    // A message that may have ended a process is handled without earlier events, so that only its own are at risk.
    const inTurn = messages.every(({ unfinishedTries = 0 }) => unfinishedTries === 0);
    const batches = chunks(ids, EVENTS_PER_BATCH).map((slice) =>
      dispatching.run(() => dispatchInTurn(own, slice, inTurn, troubles)),
    );
    const ended = await Promise.allSettled(batches);
    const fault = ended.find((one) => one.status === "rejected");
    if (fault !== undefined) throw fault.reason;
    const outcomes: MessageOutcome[] = [];
    for (const [at, message] of messages.entries()) {
      outcomes.push(await outcomeOf(deps.pool, message, idsOfMessages[at], troubles));
    }
    return outcomes;
  };
}

function idsOf(message: Message): string[] | undefined {
  const ids = decodeQueueMessage(message.data)?.items.map((item) => item.id.toLowerCase());
  return ids?.every((id) => UUID.test(id)) ? ids : undefined;
}

/**
 * Dispatches a batch. If earlier events of its users must be dispatched first, dispatches those that still wait in a
 * lane of the stream or were lost there, and then the events of the batch that waited for them.
 */
async function dispatchInTurn(
  deps: BatchDeps,
  ids: readonly string[],
  inTurn: boolean,
  troubles: Troubles,
): Promise<void> {
  const known = new Set<string>();
  let mustWait = inTurn;
  let { again, earlier } = await dispatchApart(deps, ids, mustWait, troubles);
  for (let round = 0; earlier.length > 0 && round < MOST_ROUNDS; round += 1) {
    // The same earlier events as before cannot be dispatched now, so the batch no longer waits for them.
    if (earlier.every((id) => known.has(id))) mustWait = false;
    for (const id of earlier) known.add(id);
    // Their troubles are dropped here, because each event's own message reports them.
    const waiting = await stillUndispatched(deps.pool, earlier);
    for (const slice of chunks(waiting, EVENTS_PER_BATCH)) {
      await dispatchApart(deps, slice, false, new Map());
    }
    ({ again, earlier } = await dispatchApart(deps, again, mustWait, troubles));
  }
  for (const id of again) troubles.set(id, "changed");
}

/** Dispatches a batch. If its data cause a failure, halves the batch until each poisoned event is alone. */
async function dispatchApart(
  deps: BatchDeps,
  ids: readonly string[],
  inTurn: boolean,
  troubles: Troubles,
): Promise<Dispatched> {
  const all: Dispatched = { again: [], earlier: [] };
  const parts = [ids];
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    try {
      const { again, earlier } = await dispatchBatch(deps, part, inTurn);
      all.again.push(...again);
      all.earlier.push(...earlier);
    } catch (err) {
      if (!isEventFault(err)) throw err;
      const [only] = part;
      if (part.length === 1 && only !== undefined) {
        deps.log.error({ err, eventId: only }, "event cannot be dispatched");
        troubles.set(only, "poisoned");
        continue;
      }
      deps.log.warn({ err, events: part.length }, "a batch failed on its data: halving it");
      const middle = Math.ceil(part.length / 2);
      parts.unshift(part.slice(0, middle), part.slice(middle));
    }
  }
  return all;
}

async function outcomeOf(
  pool: Pool,
  message: Message,
  ids: readonly string[] | undefined,
  troubles: Troubles,
): Promise<MessageOutcome> {
  if (ids === undefined) return { kind: "reject", reason: "undecodable" };
  let poisoned = false;
  let changed = false;
  for (const id of ids) {
    const trouble = troubles.get(id);
    if (trouble === "changed") changed = true;
    if (trouble !== "poisoned") continue;
    if (message.deliveryCount < MAX_DELIVERIES_OF_A_MESSAGE) poisoned = true;
    else {
      await failDispatch(pool, id);
      countFailed();
    }
  }
  if (changed) return { kind: "retry", delayMs: CHANGED_DELAY_MS, reason: "changed" };
  if (poisoned) return { kind: "retry", delayMs: POISONED_DELAY_MS, reason: "poisoned" };
  const failed = ids.some((id) => troubles.get(id) === "poisoned");
  return failed ? { kind: "reject", reason: REASONS["dispatch-failed"] } : DONE;
}

/**
 * Ends an event that cannot be dispatched: all its channels fail. Does nothing if the event has been dispatched or
 * refused meanwhile.
 */
export async function failDispatch(pool: pg.Pool, eventId: string): Promise<void> {
  const reason = storedReason("dispatch-failed");
  const failed = Object.fromEntries(CHANNELS.map((channel) => [channel, reason]));
  await pool.query("select fail_dispatch(p_id => $1, p_outcome => $2)", [
    eventId,
    JSON.stringify({ failed }),
  ]);
}

/**
 * Returns a function that stores a message that will not be handled any more, so that people see it. If the message has
 * one event, which ended the process each time, the event ends as failed. If it has several events, each open one is
 * published again in a message of its own, to find the one that ends the process.
 */
export function createSetAside(pool: Pool, stream: string, publisher: Publisher): SetAside {
  return async (message, reason) => {
    const items = decodeQueueMessage(message.data)?.items ?? [];
    const [only, ...others] = items;
    if (only !== undefined && others.length === 0) {
      await failDispatch(pool, only.id).catch((err) => {
        // 22P02: the text is not a UUID, so there is no such event.
        if ((err as { code?: string }).code !== "22P02") throw err;
      });
    } else {
      const ids = items.map(({ id }) => id.toLowerCase()).filter((id) => UUID.test(id));
      const open = new Set(await stillUndispatched(pool, ids));
      for (const item of items) {
        if (!open.has(item.id.toLowerCase())) continue;
        await publisher.publishIds(message.subject, [item], { expectStream: stream });
      }
    }
    await storeDeadMessage(pool, {
      stream,
      subject: message.subject,
      data: message.data,
      deliveries: message.deliveryCount,
      reason,
    });
  };
}
