import { EVENT_PATH } from "@belfry/contracts/event-report";
import { documented, integer, time } from "@belfry/contracts/fields";
import { UUID } from "@belfry/contracts/identifiers";
import { daysOfMs, daysWords, mostRestMs, restRule } from "@belfry/contracts/retention";
import {
  MoveRequest,
  momentOf,
  placeOf,
  SCHEDULED_DEFAULT_LIMIT,
  SCHEDULED_MAX_LIMIT,
  SCHEDULED_PATH,
  ScheduledEvent,
  scheduledPlace,
} from "@belfry/contracts/scheduled";
import { keptDays } from "@belfry/database/configuration-version";
import { Type } from "@sinclair/typebox";
import { sql } from "kysely";
import { defineAct, defineRead, note, optional } from "../act.ts";
import { columnsOf } from "../columns.ts";
import { invalid, NotFound, TooLate } from "../input-error.ts";
import { EXAMPLE_ID } from "./event-example.ts";

const EXAMPLE: ScheduledEvent = {
  id: EXAMPLE_ID,
  eventId: "order-1001",
  eventType: "order.reminder",
  userId: "user-1",
  sendAt: "2026-11-20T08:30:00.000Z",
  cancelKey: "order-1001-reminders",
  acceptedAt: "2026-11-18T09:30:00.000Z",
};

const COLUMNS = columnsOf(ScheduledEvent, "e", {
  eventId: sql`coalesce(e.reference, e.id::text)`,
  sendAt: sql`s.send_at`,
});

export const listScheduled = defineRead({
  name: "event scheduled",
  http: `GET ${SCHEDULED_PATH}`,
  access: { scope: "tenant", person: "viewer", key: "read" },
  tool: true,
  summary: "A tenant's scheduled events, the next one first",
  description: "The answer never contains the variables of an event.",
  input: Type.Object({
    limit: optional(
      integer({ minimum: 1, maximum: SCHEDULED_MAX_LIMIT }),
      `how many at most; default: ${SCHEDULED_DEFAULT_LIMIT}`,
    ),
    after: optional(
      scheduledPlace({
        description: "continue after a page: its next",
        examples: [`2026-11-20T08:30:00.000000Z_${EXAMPLE_ID}`],
      }),
    ),
  }),
  output: Type.Object({
    events: Type.Array(ScheduledEvent),
    next: optional(
      Type.String(),
      "Pass it as `after` to get the next page; absent on the last page",
    ),
  }),
  example: { input: {}, output: { events: [EXAMPLE] } },
  flags: { after: "--after <next>" },
  async run({ db, tenantId }, { after, limit = SCHEDULED_DEFAULT_LIMIT }) {
    const place = after === undefined ? undefined : placeOf(after);
    const { rows } = await sql<ScheduledEvent & { place: string }>`
    select ${COLUMNS},
           to_char(s.send_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '_' || e.id as place
    from (
      select * from scheduled_events s
      where s.tenant_id = ${tenantId}
        ${place === undefined ? sql`` : sql`and (s.send_at, s.event_id) > (${place.time}::timestamptz, ${place.id}::uuid)`}
      order by s.send_at, s.event_id limit ${limit + 1}
    ) s
    cross join lateral (select * from events e where e.id = s.event_id limit 1) e
    order by s.send_at, s.event_id`.execute(db);
    const page = rows.slice(0, limit);
    const events = page.map(({ place: _, ...event }) => event);
    const next = rows.length > limit ? page.at(-1)?.place : undefined;
    return next === undefined ? { events } : { events, next };
  },
});

interface Moved {
  before: Date;
  /** The requested time, or the current time of the database if the requested time is past. */
  after: Date;
}

export const moveEvent = defineAct({
  name: "event move",
  http: `PATCH ${EVENT_PATH}`,
  access: { scope: "tenant", person: "editor", key: "trigger" },
  summary: "Change when a scheduled event is sent; a time in the past means now",
  input: Type.Object({
    eventId: documented({ description: "Belfry's id of the event" }),
    ...MoveRequest.properties,
  }),
  output: Type.Object({ id: Type.String(), sendAt: time("When it is dispatched now") }),
  example: {
    input: { eventId: EXAMPLE_ID, sendAt: "2026-11-21T09:30:00+01:00" },
    output: { id: EXAMPLE_ID, sendAt: "2026-11-21T08:30:00.000Z" },
  },
  flags: { eventId: "--id <id>" },
  async run({ db, tenantId }, { eventId: id, sendAt }) {
    // The input check has already refused anything that is not a time.
    const moment = momentOf(sendAt) ?? new Date(Number.NaN);
    if (!UUID.test(id)) throw new NotFound("id", "no such event");
    const event = await db
      .selectFrom("events")
      .select("accepted_at as acceptedAt")
      .where("id", "=", id)
      .where("tenant_id", "=", tenantId)
      .executeTakeFirst();
    if (event === undefined) throw new NotFound("id", "no such event");
    const kept = await keptDays(db, tenantId);
    const mostMs = mostRestMs(kept);
    // A time in the past means now, so the bound does not apply to it.
    const isLate = moment.getTime() - event.acceptedAt.getTime() > mostMs;
    if (isLate && moment.getTime() > Date.now()) {
      const bound = `must be at most ${daysWords(daysOfMs(mostMs))} after the event was accepted`;
      throw invalid("sendAt", `${bound}: ${restRule(kept)}`);
    }
    const { rows } = await sql<Moved>`
    with resting as materialized (
      select s.event_id, s.send_at from scheduled_events s
      where s.event_id = ${id}::uuid and s.tenant_id = ${tenantId} for update
    ),
    moved as (
      update scheduled_events s set send_at = greatest(${moment}::timestamptz, clock_timestamp())
      from resting r where s.event_id = r.event_id returning s.event_id, s.send_at
    ),
    told as (
      update events e set send_at = m.send_at from moved m where e.id = m.event_id
    )
    select r.send_at as before, m.send_at as after from resting r join moved m using (event_id)
  `.execute(db);
    const [moved] = rows;
    if (moved === undefined) throw new TooLate("the event is not scheduled any more");
    return {
      ...moved,
      output: { id, sendAt: moved.after.toISOString() },
    };
  },
  audit: ({ eventId }, { before, output: { sendAt } }) =>
    note("event.move", `event ${eventId}`, {
      before: { sendAt: before.toISOString() },
      after: { sendAt },
    }),
});
