import type { Database } from "@belfry/database/connection";

/**
 * The sums of the overviews. The Admin UI's service counts them, so that no page counts events. Each range has its own
 * length of bars, so that a page reads one row for each bar and group.
 */

export const RANGES = {
  hour: { title: "Hour", bars: 12, barSeconds: 300 },
  day: { title: "Day", bars: 24, barSeconds: 3600 },
  week: { title: "Week", bars: 28, barSeconds: 6 * 3600 },
  month: { title: "Month", bars: 30, barSeconds: 24 * 3600 },
} as const;
export type RangeName = keyof typeof RANGES;

/**
 * The groupings of sums, with the names of their groups:
 * - channel: `EMAIL`, or `ALL` for the events themselves;
 * - provider: `sendgrid primary`, on the platform `sendgrid`;
 * - template: `order.confirmed EMAIL`;
 * - type: `order.confirmed`;
 * - reason: `EMAIL credentials`, with a code of reasons.ts or a class of dead letters;
 * - tenant: a tenant's id, on the platform only.
 */
export const GROUPINGS = ["channel", "provider", "template", "type", "reason", "tenant"] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** The name of the group of the events themselves in the grouping by channel. */
export const EVENTS = "ALL";
/** The name of the group that contains all groups of a bar after the `MOST_GROUPS` groups with the most failures. */
export const OTHER = "*";
export const MOST_GROUPS = 30;

export const MEASURES = [
  "accepted",
  "sent",
  "delivered",
  "failed",
  "skipped",
  "waiting",
  "read",
] as const;
export type Measure = (typeof MEASURES)[number];

/**
 * Upper bounds of the seconds from acceptance, or from the end of a planned wait, to the provider. `latencies[i]`
 * counts the messages up to `LATENCY_BOUNDS[i]`; the last item counts all messages.
 */
export const LATENCY_BOUNDS = [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3600] as const;

export interface ActivitySum extends Record<Measure, number> {
  startsAt: Date;
  groupedBy: Grouping;
  name: string;
  latencies: number[];
}

/** Returns when the first bar of a range begins, if the bar of `now` is the last one. */
export function rangeStart(range: RangeName, now: Date): Date {
  const { bars, barSeconds } = RANGES[range];
  const barMs = barSeconds * 1000;
  return new Date((Math.floor(now.getTime() / barMs) - bars + 1) * barMs);
}

/** Finds a tenant's sums since a time, oldest first. `PLATFORM` has the sums of all tenants together. */
export async function activitySums(
  db: Database,
  tenantId: string,
  wanted: { range: RangeName; since: Date; groupings: readonly Grouping[] },
): Promise<ActivitySum[]> {
  const rows = await db
    .selectFrom("activity_sums")
    .select(["starts_at as startsAt", "grouped_by as groupedBy", "name", "latencies"])
    .select(MEASURES)
    .where("tenant_id", "=", tenantId)
    .where("bar_seconds", "=", RANGES[wanted.range].barSeconds)
    .where("grouped_by", "in", wanted.groupings)
    .where("starts_at", ">=", wanted.since)
    .orderBy("starts_at")
    .execute();
  return rows as ActivitySum[];
}

export function total(sums: readonly ActivitySum[], measure: Measure): number {
  return sums.reduce((all, one) => all + one[measure], 0);
}
