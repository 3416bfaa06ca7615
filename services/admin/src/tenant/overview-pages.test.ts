import assert from "node:assert/strict";
import { test } from "node:test";
import { assertEach } from "@belfry/testing/assert-each";
import { type ActivityBucket, LATENCY_BOUNDS } from "./activity-buckets.ts";
import { barChart, niceTop } from "./bar-chart.ts";
import { figuresOf, quantile, seriesOf } from "./overview-pages.ts";

const NOTHING = { accepted: 0, sent: 0, failed: 0, skipped: 0, pending: 0 };

/** Of so many that each took so many seconds: how many up to each bound, and how many in all. */
function latencies(...seconds: number[]): number[] {
  const upTo = LATENCY_BOUNDS.map((bound) => seconds.filter((one) => one <= bound).length);
  return [...upTo, seconds.length];
}

test("the figures are sums over the range; times lie between the bounds of what was counted", () => {
  const startsAt = new Date(0);
  const buckets: ActivityBucket[] = [
    { ...NOTHING, startsAt, channel: "ALL", accepted: 7, latencies: [] },
    { ...NOTHING, startsAt, channel: "ALL", accepted: 3, latencies: [] },
    { ...NOTHING, startsAt, channel: "EMAIL", sent: 2, failed: 1, latencies: latencies(0.2, 1.5) },
    { ...NOTHING, startsAt, channel: "EMAIL", sent: 2, skipped: 1, latencies: latencies(0.2, 45) },
  ];
  const { accepted, channels } = figuresOf(buckets);
  const [email, sms] = channels;
  assert.equal(accepted, 10);
  assert.deepEqual([email?.sent, email?.failed, email?.skipped], [4, 1, 1]);
  assert.ok(email?.p50 !== null && email!.p50 > 0.1 && email!.p50 <= 0.25, `${email?.p50}`);
  assert.ok(email?.p99 !== null && email!.p99 > 30 && email!.p99 <= 60, `${email?.p99}`);
  assert.equal(email?.within10, 0.75);
  assert.deepEqual([sms?.sent, sms?.p50, sms?.p99, sms?.within10], [0, null, null, null]);
});

test("a time beyond the last bound is the last bound: the figure never says less than is known", () => {
  assert.equal(quantile(latencies(9000, 9000).slice(0, -1), 2, 0.5), LATENCY_BOUNDS.at(-1));
  assert.equal(quantile([], 0, 0.5), null);
});

test("every span of the chart has a bar, also where nothing happened, and what is outside has none", () => {
  const since = new Date("2026-01-01T00:00:00Z");
  const hour = 3_600_000;
  const at = (hours: number) => new Date(since.getTime() + hours * hour);
  const bucket = { ...NOTHING, latencies: [] };
  const series = seriesOf(
    [
      { ...bucket, startsAt: at(-1), channel: "EMAIL", sent: 100 },
      { ...bucket, startsAt: at(0), channel: "EMAIL", sent: 5, failed: 2 },
      { ...bucket, startsAt: at(0.5), channel: "SMS", sent: 1 },
      { ...bucket, startsAt: at(2), channel: "ALL", accepted: 9 },
      { ...bucket, startsAt: at(3), channel: "EMAIL", sent: 100 },
    ],
    since,
    3,
    hour,
  );
  assertEach(series, ({ accepted, sent, failed }) => [accepted, sent, failed], [
    [0, 6, 2],
    [0, 0, 0],
    [9, 0, 0],
  ]);
  const chart = barChart(series, hour);
  assert.equal(chart.bars.length, 3);
  assertEach(chart.lines, ({ label }) => label, ["0", "4", "8"]);
  const [first] = chart.bars;
  assert.equal(first!.failed.y + first!.failed.height, first!.sent.y, "failed stands on sent");
  assert.equal(barChart(seriesOf([], since, 3, hour), hour).isEmpty, true);
  assert.deepEqual([0, 3, 7, 11, 900, 1001].map(niceTop), [2, 4, 8, 20, 1000, 2000]);
});
