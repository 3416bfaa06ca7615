import { PROVIDER_CHANNELS, type ProviderChannel } from "@belfry/contracts/channels";
import type { DeliveryStatus } from "@belfry/contracts/delivery";
import { type ReasonCode, reasonOf, reasonWords } from "@belfry/contracts/reasons";
import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";

/** The reasons why a delivery waits until a later time. */
export const WAIT_REASONS = ["gathered", "quiet", "unread", "paused", "retry", "other"] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];

const OF_CODES: Readonly<Partial<Record<ReasonCode, WaitReason>>> = {
  gathered: "gathered",
  "gathered-quiet": "gathered",
  quiet: "quiet",
  unread: "unread",
  "provider-paused": "paused",
};

/** Returns why a delivery waits. `reason` is the stored reason. */
export function waitReason(status: string, reason: string | null): WaitReason {
  const code = reasonOf(reason)?.code;
  // In the status `waiting` (after an attempt), every reason except quiet hours and a paused provider means a retry.
  if (status === "waiting" && code !== "quiet" && code !== "provider-paused") return "retry";
  return (code && OF_CODES[code]) ?? "other";
}

/** A delivery that is sent at a later time. */
interface WaitingDelivery {
  id: string;
  channel: ProviderChannel;
  why: WaitReason;
  reason: string | null;
  dueAt: Date;
  eventType: string;
  userId: string;
  /** The event's id; null if the delivery belongs to a digest. */
  eventId: string | null;
  /** The digest's id; null if the delivery belongs to one event. */
  digestId: string | null;
}

interface WaitingGlance {
  /** The group with the earliest delivery first. */
  groups: { why: WaitReason; count: number; soonest: Date }[];
  /** Deliveries with the requested reason, earliest first. */
  deliveries: WaitingDelivery[];
  /**
   * The number of deliveries that were read, if there are more (the earliest were read); undefined if all were read.
   */
  ofSoonest: number | undefined;
}

const MOST_AT_A_GLANCE = 1_000;

/**
 * Finds a tenant's deliveries that wait for a later time, and why. Reads a bounded number by index, the earliest first.
 * A digest counts as one delivery.
 */
export async function glanceAtWaiting(
  db: Database,
  { tenantId, why }: { tenantId: string; why?: WaitReason | undefined },
  { limit, most = MOST_AT_A_GLANCE }: { limit: number; most?: number },
): Promise<WaitingGlance> {
  const soonest = (await soonestDue(db, tenantId, most + 1)).map((row) => ({
    ...row,
    why: waitReason(row.status, row.reason),
    reason: reasonWords(row.reason),
  }));
  const seen = soonest.slice(0, most);
  const groups = WAIT_REASONS.flatMap((one) => {
    const own = seen.filter((row) => row.why === one);
    const [first] = own;
    return first === undefined ? [] : [{ why: one, count: own.length, soonest: first.dueAt }];
  });
  const wanted = seen.filter((row) => why === undefined || row.why === why).slice(0, limit);
  return {
    groups: groups.sort((a, b) => a.soonest.getTime() - b.soonest.getTime()),
    deliveries: await withOrigins(db, tenantId, wanted),
    ofSoonest: soonest.length > most ? most : undefined,
  };
}

interface DueRow {
  id: string;
  /** The id of an event or of a digest. */
  origin: string;
  channel: ProviderChannel;
  status: DeliveryStatus;
  reason: string | null;
  dueAt: Date;
}

async function soonestDue(db: Database, tenantId: string, most: number): Promise<DueRow[]> {
  // Reads channel by channel, as the index does. With a second sort key, Postgres would sort the many deliveries that
  // are due at the same moment.
  const { rows } = await sql<DueRow>`
    select d.* from unnest(${PROVIDER_CHANNELS}::text[]) c (channel)
    cross join lateral (
      select d.id, d.event_id as origin, d.channel, d.status, d.reason, d.due_at as "dueAt"
      from deliveries d
      where d.channel = c.channel and d.tenant_id = ${tenantId} and d.released_at is null and d.broadcast_id is null
        and d.status in ('queued', 'waiting') and d.due_at > now()
      order by d.due_at limit ${most}
    ) d
    order by d."dueAt" limit ${most}`.execute(db);
  return rows;
}

async function withOrigins(
  db: Database,
  tenantId: string,
  rows: readonly (DueRow & { why: WaitReason })[],
): Promise<WaitingDelivery[]> {
  const ids = rows.map(({ origin }) => origin);
  type Origin = { id: string; eventType: string; userId: string; isDigest: boolean };
  const found =
    ids.length === 0
      ? []
      : (
          await sql<Origin>`
            select e.id, e.event_type as "eventType", e.user_id as "userId", false as "isDigest"
            from events e where e.id = any (${ids}::uuid[]) and e.tenant_id = ${tenantId}
            union all
            select g.id, g.event_type, g.user_id, true
            from digests g where g.id = any (${ids}::uuid[]) and g.tenant_id = ${tenantId}`.execute(
            db,
          )
        ).rows;
  const byId = new Map(found.map((one) => [one.id, one]));
  // An event or digest that was deleted in the meantime is left out.
  return rows.flatMap(({ origin, status: _, ...row }) => {
    const of = byId.get(origin);
    if (of === undefined) return [];
    const { eventType, userId, isDigest } = of;
    const [eventId, digestId] = isDigest ? [null, origin] : [origin, null];
    return [{ ...row, eventType, userId, eventId, digestId }];
  });
}
