import {
  type Cancelled,
  type CancelRequest,
  cancelFault,
  MAX_CANCEL_NAMES,
  MAX_CANCELLED_EVENTS,
  MAX_EVENTS_OF_EVENT_IDS,
} from "@belfry/contracts/cancel";
import type { Channel } from "@belfry/contracts/channels";
import { textFault, UUID } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import {
  type CancelledEvent,
  cancelEvents as cancel,
  eventsToCancel,
  type FoundToCancel,
} from "@belfry/database/functions/cancel-events";
import { type InputFault, NotFound, refuseFaults } from "../input-error.ts";

/**
 * Calls about the same events wait for each other's rows. A part is short enough that several can wait in turn
 * within one statement's time.
 */
const EVENTS_AT_A_TIME = 200;

/**
 * Stops what has not reached anybody of a tenant's events. The answer is true from the moment it is given. An event
 * of which a try is under way is pending: asked again, the answer says what became of it. A call takes at most 1,000
 * events, those first that no call has looked at, and says `more` where any is left. A call that fails may have
 * stopped some: asked again, it says so. Ids and users of others are as unknown as none. Throws `InvalidInput`.
 */
export async function cancelEvents(
  db: Database,
  tenantId: string,
  request: CancelRequest,
): Promise<Cancelled> {
  const { cancelKeys = [], eventIds = [], userIds } = request;
  refuseFaults(faultsOf(request));
  const found = await eventsToCancel(db, {
    ...{ tenantId, keys: distinct(cancelKeys), references: distinct(eventIds) },
    ids: distinct(eventIds.filter((id) => UUID.test(id)).map((id) => id.toLowerCase())),
    ...{ users: userIds === undefined ? null : distinct(userIds), most: MAX_CANCELLED_EVENTS },
  });
  if (found.some(({ id, name }) => id === null && name === null)) {
    const message = `more than ${MAX_EVENTS_OF_EVENT_IDS} events have these: name some by Belfry's ids, or give triggers a cancelKey`;
    refuseFaults([{ field: "eventIds", message }]);
  }
  const ids = distinct(found.flatMap(({ id }) => id ?? []));
  const events: CancelledEvent[] = [];
  // In a transaction all at once: parts of two such calls could wait for each other.
  const atATime = db.isTransaction ? MAX_CANCELLED_EVENTS : EVENTS_AT_A_TIME;
  for (let at = 0; at < ids.length; at += atATime) {
    events.push(...(await cancel(db, tenantId, ids.slice(at, at + atATime))));
  }
  const unknown = eventIds.filter((name) => !isKnown(name, found));
  return {
    ...byVerdict(events),
    ...(unknown.length > 0 ? { unknown } : {}),
    ...(found.some(({ id, isNew }) => id === null && isNew) ? { more: true } : {}),
  };
}

/**
 * The same of one event, by Belfry's id alone: what has it for a reference is left alone. Throws `NotFound`, also
 * for another tenant's and for a refused one.
 */
export async function cancelEvent(db: Database, tenantId: string, id: string): Promise<Cancelled> {
  const events = UUID.test(id) ? await cancel(db, tenantId, [id.toLowerCase()]) : [];
  if (events.length === 0) throw new NotFound("id", "no such event");
  return byVerdict(events);
}

function byVerdict(events: readonly CancelledEvent[]): Cancelled {
  const of = (wanted: CancelledEvent["verdict"]) =>
    events.filter(({ verdict }) => verdict === wanted).map(({ id }) => id);
  return {
    cancelled: of("cancelled"),
    partly: events
      .filter(({ verdict }) => verdict === "partly")
      .map(({ id, stopped }) => ({ eventId: id, stopped: stopped as Channel[] })),
    pending: of("pending"),
    tooLate: of("too late"),
  };
}

/** In the words of every door: the API has checked most of it already. */
function faultsOf(request: CancelRequest): InputFault[] {
  const faults: InputFault[] = [];
  const whole = cancelFault(request);
  if (whole !== undefined) faults.push({ field: "body", message: whole });
  for (const field of ["cancelKeys", "eventIds", "userIds"] as const) {
    const names = request[field];
    if (names === undefined) continue;
    if (names.length < 1 || names.length > MAX_CANCEL_NAMES) {
      faults.push({ field, message: `must have 1 to ${MAX_CANCEL_NAMES} items` });
    }
    const message = names.map(textFault).find((fault) => fault !== undefined);
    if (message !== undefined) faults.push({ field, message });
  }
  return faults;
}

function isKnown(name: string, found: readonly FoundToCancel[]): boolean {
  return found.some((one) => one.name === name || one.id === name.toLowerCase());
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)];
}
