import type { Database } from "@belfry/database/connection";

/**
 * The figures of the overviews: sums that the Admin UI's service counts, so that no page counts events. Each range has
 * bars of its own length, so that a page reads one row for each bar and group.
 */

export const RANGES = {
  hour: { title: "Hour", bars: 12, barSeconds: 300 },
  day: { title: "Day", bars: 24, barSeconds: 3600 },
  week: { title: "Week", bars: 28, barSeconds: 6 * 3600 },
  month: { title: "Month", bars: 30, barSeconds: 24 * 3600 },
} as const;
export type RangeName = keyof typeof RANGES;

/**
 * How sums are grouped, with what names a group: `EMAIL`, or `ALL` for the events themselves; `sendgrid primary`, on the
 * platform `sendgrid`; `order.confirmed EMAIL`; `order.confirmed`; `EMAIL credentials`, a code of reasons.ts or a class
 * of dead letters; a tenant's id, on the platform alone.
 */
export const GROUPINGS = ["channel", "provider", "template", "type", "reason", "tenant"] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** The name for the events themselves in the grouping by channel. */
export const EVENTS = "ALL";
/** All groups of a bar beyond the first `MOST_GROUPS`, those that fail most being first. */
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
 * Seconds from acceptance, or from the end of a rest, to the provider: `latencies[i]` counts those up to
 * `LATENCY_BOUNDS[i]`, the last all.
 */
export const LATENCY_BOUNDS = [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3600] as const;

export interface ActivitySum extends Record<Measure, number> {
  startsAt: Date;
  groupedBy: Grouping;
  name: string;
  latencies: number[];
}

/** When the first bar of a range begins that ends with the bar of this moment. */
export function rangeStart(range: RangeName, now: Date): Date {
  const { bars, barSeconds } = RANGES[range];
  const barMs = barSeconds * 1000;
  return new Date((Math.floor(now.getTime() / barMs) - bars + 1) * barMs);
}

/** A tenant's sums since a moment, oldest first; of `PLATFORM` those of all tenants together. */
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
