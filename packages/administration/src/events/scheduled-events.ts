import { UUID } from "@belfry/contracts/identifiers";
import { daysOfMs, daysWords, mostRestMs, restRule } from "@belfry/contracts/retention";
import {
  NO_PLACE,
  placeOf,
  SCHEDULED_DEFAULT_LIMIT,
  type ScheduledEvent,
} from "@belfry/contracts/scheduled";
import { momentOf, NO_SEND_AT } from "@belfry/contracts/send-at";
import type { Database } from "@belfry/database/connection";
import { keptDays } from "@belfry/database/kept-days";
import { sql } from "kysely";
import type { AuditNote } from "../audited.ts";
import { invalid, NotFound, TooLate } from "../input-error.ts";
import { isoTimes } from "../iso-times.ts";

export interface ScheduledPage {
  events: ScheduledEvent[];
  /** Pass as `after` for what is later; undefined: there is no more. */
  next: string | undefined;
}

/** A tenant's events that rest, the soonest first, by keyset. Throws `InvalidInput`. */
export async function listScheduled(
  db: Database,
  tenantId: string,
  { after, limit = SCHEDULED_DEFAULT_LIMIT }: { after?: string | undefined; limit?: number } = {},
): Promise<ScheduledPage> {
  const place = after === undefined ? undefined : placeOf(after);
  if (after !== undefined && place === undefined) throw invalid("after", NO_PLACE);
  type Row = Omit<ScheduledEvent, "sendAt" | "acceptedAt"> & {
    sendAt: Date;
    acceptedAt: Date;
    place: string;
  };
  const { rows } = await sql<Row>`
    select e.id, coalesce(e.reference, e.id::text) as "eventId", e.event_type as "eventType",
           e.user_id as "userId", s.send_at as "sendAt", e.cancel_key as "cancelKey",
           e.accepted_at as "acceptedAt",
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
  return {
    events: page.map(({ place: _, ...row }) => isoTimes(row)),
    next: rows.length > limit ? page.at(-1)?.place : undefined,
  };
}

export interface Moved {
  before: Date;
  /** Now by the database's clock, where a time was asked for that is past. */
  after: Date;
}

/**
 * Moves an event that rests. Throws `NotFound`, `TooLate` when it rests no more, and `InvalidInput` for what is
 * no time, or is too late for the retention: that counts from the acceptance, however often an event is moved.
 */
export async function moveEvent(
  db: Database,
  tenantId: string,
  { id, sendAt }: { id: string; sendAt: string },
): Promise<Moved> {
  const moment = momentOf(sendAt);
  if (moment === undefined) throw invalid("sendAt", NO_SEND_AT);
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
  // What is past is now, whatever the retention is by then.
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
  return moved;
}

export function moveNote(tenantId: string, id: string, { before, after }: Moved): AuditNote {
  return {
    ...{ tenantId, action: "event.move", target: `event ${id}` },
    ...{ before: { sendAt: before.toISOString() }, after: { sendAt: after.toISOString() } },
  };
}
