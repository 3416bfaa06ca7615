import {
  CANCEL_PATH,
  Cancelled,
  CancelRequest,
  MAX_CANCELLED_EVENTS,
  MAX_EVENTS_OF_EVENT_IDS,
} from "@belfry/contracts/cancel";
import { type Channel, PROVIDER_CHANNELS } from "@belfry/contracts/channels";
import { documented } from "@belfry/contracts/fields";
import { UUID } from "@belfry/contracts/identifiers";
import { chunks, type Database } from "@belfry/database/connection";
import {
  type CancelledEvent,
  cancelEvents as cancel,
  eventsToCancel,
  type FoundToCancel,
} from "@belfry/database/functions/cancel-events";
import { Type } from "@sinclair/typebox";
import { type Access, defineAct, EDIT, isUnaudited, type Note, note } from "../act.ts";
import { audited } from "../audited.ts";
import { invalid, NotFound } from "../input-error.ts";
import { EXAMPLE_ID } from "./event-example.ts";

/**
 * Number of events per transaction. Concurrent calls about the same events wait for each other's row locks. The parts
 * are small, so that several calls can wait one after the other before their statements time out.
 */
const EVENTS_AT_A_TIME = 100;

const CANCEL: Access = { scope: "tenant", person: "editor", key: "trigger" };
const STOPPED: Cancelled = {
  cancelled: [EXAMPLE_ID],
  partly: [
    {
      eventId: "0198c0de-0000-7000-8000-000000000002",
      stopped: PROVIDER_CHANNELS.slice(0, 1),
    },
  ],
  pending: [],
  tooLate: [],
};

export const cancelEvents = defineAct({
  name: "event cancel",
  http: `POST ${CANCEL_PATH}`,
  access: CANCEL,
  effect: "steps",
  summary: "Cancel what has not been sent yet of a tenant's events; at most 1,000 events per call",
  description:
    "A final result does not change later. `pending` means that an attempt is in progress: repeat the call to learn the result. Each call processes events first that no earlier call has processed. A failed call may have cancelled some events: a repeated call reports them.",
  input: CancelRequest,
  output: Cancelled,
  example: { input: { cancelKeys: ["order-1001"] }, output: STOPPED },
  flags: {
    cancelKeys: "--cancel-key <key...>",
    eventIds: "--event-id <id...>",
    userIds: "--user <id...>",
  },
  async run({ db, tenantId, actor }, request) {
    const { cancelKeys = [], eventIds = [], userIds } = request;
    const found = await eventsToCancel(db, {
      tenantId,
      keys: withoutDuplicates(cancelKeys),
      references: withoutDuplicates(eventIds),
      ids: withoutDuplicates(eventIds.filter((id) => UUID.test(id)).map((id) => id.toLowerCase())),
      users: userIds === undefined ? null : withoutDuplicates(userIds),
      most: MAX_CANCELLED_EVENTS,
    });
    if (found.some(({ id, name }) => id === null && name === null)) {
      const message = `more than ${MAX_EVENTS_OF_EVENT_IDS} events have these eventIds: use Belfry's ids, or send a cancelKey with triggers`;
      throw invalid("eventIds", message);
    }
    const ids = withoutDuplicates(found.flatMap(({ id }) => id ?? []));
    const more = found.some(({ id, isNew }) => id === null && isNew);
    const events: CancelledEvent[] = [];
    const parts = chunks(ids, EVENTS_AT_A_TIME);
    // A call that found no event is written to the audit log, too.
    if (parts.length === 0) parts.push([]);
    for (const part of parts) {
      const change = async (to: Database) =>
        part.length > 0 ? await cancel(to, tenantId, part) : [];
      const noteOf = (done: CancelledEvent[]) => ({
        tenantId,
        ...cancelNote(request, { ...byVerdict(done), more: more && part === parts.at(-1) }),
      });
      const done = isUnaudited(CANCEL, actor) ? change(db) : audited(db, actor, change, noteOf);
      events.push(...(await done));
    }
    const unknown = eventIds.filter((name) => !isKnown(name, found));
    return {
      output: {
        ...byVerdict(events),
        ...(unknown.length > 0 && { unknown }),
        ...(more && { more }),
      },
    };
  },
});

export const cancelEvent = defineAct({
  name: "event cancel-one",
  http: "POST /events/:id/cancel",
  access: EDIT,
  summary: "Cancel what has not been sent yet of one event, by Belfry's id only",
  description: "It does not cancel events that have the same text as their eventId.",
  input: Type.Object({ id: documented({ description: "Belfry's id of the event" }) }),
  output: Cancelled,
  example: { input: { id: EXAMPLE_ID }, output: { ...STOPPED, partly: [] } },
  command: false,
  async run({ db, tenantId }, { id }) {
    const events = UUID.test(id) ? await cancel(db, tenantId, [id.toLowerCase()]) : [];
    if (events.length === 0) throw new NotFound("id", "no such event");
    return { output: byVerdict(events) };
  },
  audit: ({ id }, { output }) => cancelNote({ eventIds: [id] }, output),
});

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

/**
 * Returns the audit note. It names the keys or event ids of the request and counts the results. It contains no user
 * ids.
 */
function cancelNote(
  { cancelKeys, eventIds = [], userIds }: CancelRequest,
  { cancelled, partly, pending, tooLate, more }: Cancelled,
): Note {
  const names = cancelKeys ?? eventIds;
  const [one, many] = cancelKeys === undefined ? ["event", "events"] : ["key", "keys"];
  const target = names.length === 1 ? `${one} ${names[0]}` : `${names.length} ${many}`;
  return note("event.cancel", target, {
    after: {
      cancelled: cancelled.length,
      partly: partly.length,
      pending: pending.length,
      tooLate: tooLate.length,
      ...(userIds && { users: userIds.length }),
      ...(more && { more }),
    },
  });
}

function isKnown(name: string, found: readonly FoundToCancel[]): boolean {
  return found.some((one) => one.name === name || one.id === name.toLowerCase());
}

function withoutDuplicates(names: readonly string[]): string[] {
  return [...new Set(names)];
}
