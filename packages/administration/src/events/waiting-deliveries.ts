import { PROVIDER_CHANNELS, type ProviderChannel } from "@belfry/contracts/channels";
import type { DeliveryStatus } from "@belfry/contracts/delivery";
import { type ReasonCode, reasonOf, reasonWords } from "@belfry/contracts/reasons";
import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";

/** Why a delivery waits for a time. */
export const WAIT_REASONS = ["gathered", "quiet", "unread", "retry", "other"] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];

const OF_CODES: Readonly<Partial<Record<ReasonCode, WaitReason>>> = {
  gathered: "gathered",
  "gathered-quiet": "gathered",
  quiet: "quiet",
  unread: "unread",
};

/** By a delivery's status and its reason as it is stored. */
export function waitReason(status: string, reason: string | null): WaitReason {
  const code = reasonOf(reason)?.code;
  // After a try only quiet hours hold up what is ours to say.
  if (status === "waiting") return code === "quiet" ? "quiet" : "retry";
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
  /** null: it is that of a digest. */
  eventId: string | null;
  /** null: it is an event's own. */
  digestId: string | null;
}

interface WaitingGlance {
  /** The soonest first. */
  groups: { why: WaitReason; count: number; soonest: Date }[];
  /** Of the reason that was asked for, the soonest first. */
  deliveries: WaitingDelivery[];
  /** There are more: the groups and deliveries are of so many, the soonest. undefined: they are of all. */
  ofSoonest: number | undefined;
}

const MOST_AT_A_GLANCE = 1_000;

/**
 * What of a tenant's deliveries waits for a time that has not come, and why. Looks at the soonest by index, however
 * many there are. A digest is one of them.
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
  /** Of an event, or of a digest. */
  origin: string;
  channel: ProviderChannel;
  status: DeliveryStatus;
  reason: string | null;
  dueAt: Date;
}

async function soonestDue(db: Database, tenantId: string, most: number): Promise<DueRow[]> {
  // A channel at a time, as the index has them; without a second key, since many are due in one moment.
  const { rows } = await sql<DueRow>`
    select d.* from unnest(${PROVIDER_CHANNELS}::text[]) c (channel)
    cross join lateral (
      select d.id, d.event_id as origin, d.channel, d.status, d.reason, d.due_at as "dueAt"
      from deliveries d
      where d.channel = c.channel and d.tenant_id = ${tenantId} and d.released_at is null
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
  // Of one that is deleted meanwhile nothing is left to be told.
  return rows.flatMap(({ origin, status: _, ...row }) => {
    const of = byId.get(origin);
    if (of === undefined) return [];
    const { eventType, userId, isDigest } = of;
    const [eventId, digestId] = isDigest ? [null, origin] : [origin, null];
    return [{ ...row, eventType, userId, eventId, digestId }];
  });
}
