import type { Channel } from "@belfry/contracts/channels";
import { reasonWords } from "@belfry/contracts/reasons";
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

/** With the reasons as they are read. */
export function inWords<E extends FoundEvent>(event: E): E {
  const deliveries = event.deliveries.map((one) => ({ ...one, reason: reasonWords(one.reason) }));
  const outcome = event.outcome && {
    ...event.outcome,
    ...wordsByChannel("skipped", event.outcome),
    ...wordsByChannel("failed", event.outcome),
    ...wordsByChannel("waits", event.outcome),
  };
  return { ...event, outcome, deliveries };
}

function wordsByChannel(what: "skipped" | "failed" | "waits", { [what]: reasons }: EventOutcome) {
  if (reasons === undefined) return undefined;
  const words = Object.entries(reasons).map(([channel, reason]) => [channel, reasonWords(reason)]);
  return { [what]: Object.fromEntries(words) };
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

/** The columns of a `FoundEvent`; without a tenant, what became of it is read of the one of each event. */
export function foundColumns(event: "e" | "f", tenantId?: string) {
  const of = (column: string) => sql.ref(`${event}.${column}`);
  const tenant = tenantId === undefined ? of("tenant_id") : sql`${tenantId}`;
  return sql`
    ${of("id")}, ${of("event_type")} as "eventType", ${of("user_id")} as "userId", ${of("reference")},
    ${of("accepted_at")} as "acceptedAt", ${of("dispatched_at")} as "dispatchedAt",
    ${of("refused_at")} as "refusedAt", ${of("outcome")},
    coalesce((
      select json_agg(json_build_object('channel', d.channel, 'status', d.status, 'reason', d.reason)
                      order by d.channel)
      from ${ownAndGathered(event)} d where d.tenant_id = ${tenant}), '[]') as deliveries,
    exists (select 1 from notifications n
            where n.id = ${of("id")} and n.tenant_id = ${tenant}) as pushed`;
}
