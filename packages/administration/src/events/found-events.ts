import type { Channel } from "@belfry/contracts/channels";
import type { EventOutcome } from "@belfry/database/schema";
import { sql } from "kysely";

/** An event as lists show it. */
export interface FoundEvent {
  id: string;
  eventType: string;
  userId: string;
  reference: string | null;
  acceptedAt: Date;
  dispatchedAt: Date | null;
  refusedAt: Date | null;
  outcome: EventOutcome | null;
  deliveries: { channel: Channel; status: string; reason: string | null }[];
  pushed: boolean;
}

/** The same as a query has it. */
export interface FoundEventRow {
  id: string;
  event_type: string;
  user_id: string;
  reference: string | null;
  accepted_at: Date;
  dispatched_at: Date | null;
  refused_at: Date | null;
  outcome: EventOutcome | null;
  deliveries: FoundEvent["deliveries"] | null;
  pushed: boolean;
}

export function foundEvent(row: FoundEventRow): FoundEvent {
  return {
    id: row.id,
    eventType: row.event_type,
    userId: row.user_id,
    reference: row.reference,
    acceptedAt: row.accepted_at,
    dispatchedAt: row.dispatched_at,
    refusedAt: row.refused_at,
    outcome: row.outcome,
    deliveries: row.deliveries ?? [],
    pushed: row.pushed,
  };
}

/** An event's deliveries, and those of the digests that it is in. */
export function ownAndGathered(event: "e" | "f") {
  const id = sql.ref(`${event}.id`);
  return sql`lateral (
    select d.* from deliveries d where d.event_id = ${id}
    union all
    select d.* from digest_items i cross join lateral (
      select d.* from deliveries d where d.event_id = i.digest_id limit 1) d
    where i.event_id = ${id} and i.state = 'in')`;
}

/** The columns `deliveries` and `pushed`; without a tenant, of the one of each event. */
export function whatBecame(event: "e" | "f", tenantId?: string) {
  const tenant = tenantId === undefined ? sql.ref(`${event}.tenant_id`) : sql`${tenantId}`;
  return sql`
    (select json_agg(json_build_object('channel', d.channel, 'status', d.status, 'reason', d.reason)
                     order by d.channel)
     from ${ownAndGathered(event)} d where d.tenant_id = ${tenant}) as deliveries,
    exists (select 1 from notifications n
            where n.id = ${sql.ref(`${event}.id`)} and n.tenant_id = ${tenant}) as pushed`;
}
