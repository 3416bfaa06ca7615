import { CHANNELS, type Channel } from "@belfry/contracts/channels";
import { type ActivityBucket, LATENCY_BOUNDS } from "./activity-buckets.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export const RANGES = {
  hour: { title: "Hour", bars: 12, barMs: 5 * MINUTE_MS },
  day: { title: "Day", bars: 24, barMs: HOUR_MS },
  week: { title: "Week", bars: 28, barMs: 6 * HOUR_MS },
} as const;
export type RangeName = keyof typeof RANGES;

export interface ChannelFigures {
  channel: Channel;
  sent: number;
  failed: number;
  skipped: number;
  pending: number;
  /** Seconds from acceptance to the provider; null: nothing was sent. */
  p50: number | null;
  p99: number | null;
  within10: number | null;
}

/** The sums of a range: how many events, and what became of them by channel. */
export function figuresOf(buckets: readonly ActivityBucket[]): {
  accepted: number;
  channels: ChannelFigures[];
} {
  const channels = CHANNELS.map((channel) => {
    const own = buckets.filter((bucket) => bucket.channel === channel);
    const latencies = LATENCY_BOUNDS.concat().map((_, index) => sum(own, index));
    const all = sum(own, LATENCY_BOUNDS.length);
    return {
      channel,
      sent: total(own, "sent"),
      failed: total(own, "failed"),
      skipped: total(own, "skipped"),
      pending: total(own, "pending"),
      p50: quantile(latencies, all, 0.5),
      p99: quantile(latencies, all, 0.99),
      within10: all === 0 ? null : (latencies[LATENCY_BOUNDS.indexOf(10)] ?? 0) / all,
    };
  });
  const accepted = total(
    buckets.filter((bucket) => bucket.channel === "ALL"),
    "accepted",
  );
  return { accepted, channels };
}

/** Linear between the bounds of the bucket in which the quantile lies; the last bound when it is beyond. */
export function quantile(upTo: readonly number[], all: number, q: number): number | null {
  if (all === 0) return null;
  const wanted = q * all;
  const index = upTo.findIndex((count) => count >= wanted);
  if (index < 0) return LATENCY_BOUNDS.at(-1)!;
  const low = index === 0 ? 0 : LATENCY_BOUNDS[index - 1]!;
  const before = index === 0 ? 0 : upTo[index - 1]!;
  const share = (wanted - before) / Math.max(1, upTo[index]! - before);
  return low + (LATENCY_BOUNDS[index]! - low) * share;
}

export interface Bar {
  startsAt: Date;
  accepted: number;
  sent: number;
  failed: number;
}

/** One bar for each span, also where nothing happened. */
export function seriesOf(
  buckets: readonly ActivityBucket[],
  since: Date,
  bars: number,
  barMs: number,
): Bar[] {
  const series = Array.from({ length: bars }, (_, index) => ({
    startsAt: new Date(since.getTime() + index * barMs),
    accepted: 0,
    sent: 0,
    failed: 0,
  }));
  for (const bucket of buckets) {
    const bar = series[Math.floor((bucket.startsAt.getTime() - since.getTime()) / barMs)];
    if (bar === undefined) continue;
    if (bucket.channel === "ALL") bar.accepted += bucket.accepted;
    else {
      bar.sent += bucket.sent;
      bar.failed += bucket.failed;
    }
  }
  return series;
}

function total(
  buckets: readonly ActivityBucket[],
  field: "accepted" | "sent" | "failed" | "skipped" | "pending",
): number {
  return buckets.reduce((sum, bucket) => sum + bucket[field], 0);
}

function sum(buckets: readonly ActivityBucket[], index: number): number {
  return buckets.reduce((all, bucket) => all + (bucket.latencies[index] ?? 0), 0);
}
