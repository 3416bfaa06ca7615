import { readProviders } from "@belfry/administration/providers/providers";
import { readTemplates } from "@belfry/administration/templates/templates";
import { showTenant } from "@belfry/administration/tenants/tenants";
import { CHANNELS } from "@belfry/contracts/channels";
import { type Answer, page } from "../page/answer.ts";
import { say } from "../page/language.ts";
import type { PageDeps } from "../page/page-deps.ts";
import { providerChannels } from "../page/words.ts";
import { openCircuits } from "../provider/provider-pages.ts";
import {
  type ActivityBucket,
  bucketsOfTenant,
  LATENCY_BOUNDS,
  quotaUsed,
} from "./activity-buckets.ts";
import { type Bar, barChart } from "./bar-chart.ts";

/** The size of the chart on a phone. */
const NARROW = { width: 350, height: 190 };

/** A tenant at a glance. */
export function overviewPages({ route, db }: PageDeps): void {
  route("GET /tenants/:tenantId", async ({ tenant, query }): Promise<Answer> => {
    const given = query.get("range") ?? "day";
    const range: RangeName = Object.hasOwn(RANGES, given) ? (given as RangeName) : "day";
    const now = new Date();
    const { bars, barMs } = RANGES[range];
    const since = new Date((Math.floor(now.getTime() / barMs) - bars + 1) * barMs);
    const [found, buckets, used, circuits, templates, providers] = await Promise.all([
      showTenant(db, tenant.id),
      bucketsOfTenant(db, tenant.id, since),
      quotaUsed(db, tenant.id),
      openCircuits(db, tenant.id),
      readTemplates(db, tenant.id),
      readProviders(db, tenant.id),
    ]);
    const series = seriesOf(buckets, since, bars, barMs);
    return page("overview", say`Overview`, {
      found,
      used,
      circuits,
      steps: [
        {
          done: templates.some((template) => template.active),
          page: "templates",
          text: "Write a template",
        },
        {
          done: providers.some((provider) => provider.active),
          page: "providers",
          text: `Connect a provider for ${providerChannels("or")}`,
        },
        {
          done: found.apiKeys.some((key) => key.lastUsedAt !== null),
          page: "keys",
          text: "Make an API key and send the first event",
        },
      ],
      range,
      ranges: RANGES,
      figures: figuresOf(buckets),
      chart: barChart(series, barMs),
      narrowChart: barChart(series, barMs, NARROW),
    });
  });
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const RANGES = {
  hour: { title: "Hour", bars: 12, barMs: 5 * MINUTE_MS },
  day: { title: "Day", bars: 24, barMs: HOUR_MS },
  week: { title: "Week", bars: 28, barMs: 6 * HOUR_MS },
} as const;
type RangeName = keyof typeof RANGES;

/** The sums of a range: how many events, and what became of them by channel. */
export function figuresOf(buckets: readonly ActivityBucket[]) {
  const channels = CHANNELS.map((channel) => {
    const own = buckets.filter((bucket) => bucket.channel === channel);
    const latencies = LATENCY_BOUNDS.map((_, index) => sum(own, index));
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

/** Interpolates between the bounds around the quantile; the last bound if it lies beyond. */
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
