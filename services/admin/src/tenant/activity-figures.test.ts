import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type ActivitySum,
  LATENCY_BOUNDS,
  OTHER,
} from "@belfry/administration/health/activity-sums";
import { assertEach } from "@belfry/testing/assert-each";
import {
  barStarts,
  comparison,
  figuresOf,
  groupsOf,
  latenciesByChannel,
  ofMessages,
  overTime,
  quantile,
  readSince,
  type Span,
  seriesOfGroups,
} from "./activity-figures.ts";
import { groupLabel, THE_REST } from "./activity-words.ts";
import { niceTop, plotOf, short } from "./bar-chart.ts";

const HOUR_MS = 3_600_000;
/** A quarter of its bar has passed. */
const NOW = new Date("2026-01-02T10:15:00Z");
/** The first bar of the day that ends now. */
const SINCE = Date.parse("2026-01-01T11:00:00Z");

function sum(hours: number, more: Partial<ActivitySum>): ActivitySum {
  const none = { accepted: 0, sent: 0, delivered: 0, failed: 0, skipped: 0, waiting: 0, read: 0 };
  const startsAt = new Date(SINCE + hours * HOUR_MS);
  return { ...none, startsAt, groupedBy: "channel", name: "EMAIL", latencies: [], ...more };
}

const day = (...sums: ActivitySum[]): Span => ({ range: "day", now: NOW, sums });

/** Returns how many of these durations in seconds are within each bound, and the total. */
function latencies(...seconds: number[]): number[] {
  const upTo = LATENCY_BOUNDS.map((bound) => seconds.filter((one) => one <= bound).length);
  return [...upTo, seconds.length];
}

test("the figures are sums over the range; times lie between the bounds of what was counted", () => {
  const span = day(
    sum(0, { name: "ALL", accepted: 7, waiting: 1 }),
    sum(5, { name: "ALL", accepted: 3 }),
    sum(5, { sent: 2, failed: 1, latencies: latencies(0.2, 1.5) }),
    sum(23, { sent: 2, skipped: 1, latencies: latencies(0.2, 45) }),
    sum(23, { name: "PUSH", sent: 1, read: 1 }),
    sum(23, { groupedBy: "type", name: "order", sent: 50 }),
  );
  const values = figuresOf(span).map(({ measure, value }) => [measure, value]);
  const found = { accepted: 10, sent: 5, delivered: 0, failed: 1, skipped: 1, waiting: 0, read: 1 };
  assert.deepEqual(Object.fromEntries(values), found);
  const [email, sms] = latenciesByChannel(span);
  assert.ok(email?.p50 !== null && email!.p50 > 0.1 && email!.p50 <= 0.25, `${email?.p50}`);
  assert.ok(email?.p99 !== null && email!.p99 > 30 && email!.p99 <= 60, `${email?.p99}`);
  assert.equal(email?.within10, 0.75);
  assert.deepEqual([sms?.p50, sms?.p99, sms?.within10], [null, null, null]);
});

test("a time beyond the last bound is the last bound: the figure never says less than is known", () => {
  assert.equal(quantile(latencies(9000, 9000).slice(0, -1), 2, 0.5), LATENCY_BOUNDS.at(-1));
  assert.equal(quantile([], 0, 0.5), null);
});

test("a range is compared with as long a time before: of the bar that has only begun, with as large a part", () => {
  assert.equal(readSince("day", NOW).getTime(), SINCE - 24 * HOUR_MS);
  const before = [sum(-24, { sent: 60 }), sum(-1, { sent: 160, failed: 4 })];
  // 60 and a quarter of 160.
  const more = comparison(day(...before, sum(0, { sent: 112 })), ofMessages, "sent");
  assert.deepEqual([more.value, Math.round(more.change! * 100)], [112, 12]);
  const less = comparison(day(...before, sum(23, { sent: 95 })), ofMessages, "sent");
  assert.equal(Math.round(less.change! * 100), -5);
  assert.equal(comparison(day(sum(0, { sent: 9 })), ofMessages, "sent").change, null);
});

test("groups stand by the measure, what reads alike together; beyond six colours the rest is one series", () => {
  const reasons = ["turned-off", "turned-off-channel", "throttled"];
  const skips = reasons.map((code, at) =>
    sum(at, { groupedBy: "reason", name: `EMAIL ${code}`, skipped: at + 1 }),
  );
  const byReason = groupsOf(day(...skips), "reason", "skipped", groupLabel("reason", "skipped"));
  assertEach(byReason, ({ label, skipped }) => [String(label), skipped], [
    ["turned off by the user", 3],
    ["enough of these for the user", 3],
  ]);
  const types = Array.from({ length: 8 }, (_, at) =>
    sum(1, { groupedBy: "type", name: `type-${at}`, sent: 10 + at }),
  );
  const span = day(...types, sum(1, { groupedBy: "type", name: OTHER, sent: 100 }));
  const groups = groupsOf(span, "type", "sent", groupLabel("type", "sent"));
  assert.deepEqual([groups[0]?.label, groups.at(-1)?.label], ["type-7", THE_REST]);
  const series = seriesOfGroups(span, groups, "sent", THE_REST);
  assert.equal(series.length, 7);
  assert.deepEqual([series[6]?.label, series[6]?.values[1]], [THE_REST, 100 + 10 + 11]);
});

test("each group reads as people call it", () => {
  const label = (grouping: Parameters<typeof groupLabel>[0], name: string) =>
    String(groupLabel(grouping, "failed", new Map([["t1", "Acme"]]))(name));
  assert.equal(label("channel", "EMAIL"), "Email");
  assert.equal(label("provider", "smtp our own server"), "smtp: our own server");
  assert.equal(label("template", "order.confirmed SMS"), "order.confirmed, SMS");
  assert.equal(label("type", "order.confirmed"), "order.confirmed");
  assert.equal(label("reason", "EMAIL credentials"), "account or settings");
  assert.equal(label("tenant", "t1"), "Acme");
});

test("every span of the chart has a bar, also where nothing happened, and what is outside has none", () => {
  const span = day(
    sum(-1, { sent: 100 }),
    sum(0, { sent: 5, failed: 2 }),
    sum(0, { name: "SMS", sent: 1 }),
    sum(24, { sent: 100 }),
  );
  const series = (["sent", "failed"] as const).map((one) => ({
    ...{ tone: one, label: one, values: overTime(span, span.sums, one) },
  }));
  assert.deepEqual(series[0]?.values.slice(0, 2), [6, 0]);
  const given = { id: "x", title: "x", starts: barStarts(span), barSeconds: 3600, write: short };
  const { charts } = plotOf("bars", { ...given, series });
  const [wide] = charts;
  assert.equal(wide?.bars.length, 24);
  assertEach(wide!.lines, ({ label }) => label, ["0", "4", "8"]);
  const [sent, failed] = wide!.bars[0]!.parts;
  assert.equal(failed!.y + failed!.height, sent!.y, "failed stands on sent");
  assert.equal(plotOf("bars", { ...given, series: [] }).isEmpty, true);
  assert.deepEqual([0, 3, 7, 11, 900, 1001, 0.3].map(niceTop), [2, 4, 8, 20, 1000, 2000, 0.4]);
  const lines = [{ tone: "g0", label: "Median", values: [1, 2, null, 3] }];
  const { path } = plotOf("lines", { ...given, series: lines }).charts[0]!.curves[0]!;
  assert.equal(path.split("M").length - 1, 2, "a line breaks where there is no value");
});
