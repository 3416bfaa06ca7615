import {
  type ActivitySum,
  EVENTS,
  type Grouping,
  LATENCY_BOUNDS,
  MEASURES,
  type Measure,
  OTHER,
  RANGES,
  type RangeName,
  rangeStart,
  total,
} from "@belfry/administration/health/activity-sums";
import { CHANNELS } from "@belfry/contracts/channels";
import type { Words } from "../page/language.ts";
import type { Series } from "./bar-chart.ts";

/** Computes the overviews from sums: figures, their change since the previous period, groups, and series over time. */

/** A range of bars that ends now, with the sums of this period and of the period before. */
export interface Span {
  range: RangeName;
  now: Date;
  /** The sums since the beginning of the period before. */
  sums: readonly ActivitySum[];
}

/** Returns the time from which a page reads sums: the beginning of the period before. */
export function readSince(range: RangeName, now: Date): Date {
  const { bars, barSeconds } = RANGES[range];
  return new Date(rangeStart(range, now).getTime() - bars * barSeconds * 1000);
}

/** Returns when each bar begins. */
export function barStarts({ range, now }: Span): Date[] {
  const { bars, barSeconds } = RANGES[range];
  const since = rangeStart(range, now).getTime();
  return Array.from({ length: bars }, (_, index) => new Date(since + index * barSeconds * 1000));
}

/** Returns the sums of this period by one grouping. */
export function sumsBy({ range, now, sums }: Span, grouping: Grouping): ActivitySum[] {
  const since = rangeStart(range, now);
  return sums.filter(({ groupedBy, startsAt }) => groupedBy === grouping && startsAt >= since);
}

/** Whether a sum counts the messages of a channel, not events. */
export const ofMessages = ({ groupedBy, name }: ActivitySum) =>
  groupedBy === "channel" && name !== EVENTS;
const ofEvents = ({ groupedBy, name }: ActivitySum) => groupedBy === "channel" && name === EVENTS;

export interface Figure {
  measure: Measure;
  value: number;
  /** Change since the period before, as a share of it; null if that was 0 or cannot be compared. */
  change: number | null;
}

/** Returns each measure over the range, with its change since the period before. */
export function figuresOf(span: Span): Figure[] {
  return MEASURES.map((measure) => {
    const { value, change } = comparison(
      span,
      measure === "accepted" ? ofEvents : ofMessages,
      measure,
    );
    // Messages that waited in the previous period are no longer waiting, so there is nothing to compare.
    return { measure, value, change: measure === "waiting" ? null : change };
  });
}

/**
 * Returns a measure in the range, and its change since the period before. The newest bar has only begun, so only the
 * same share of the bar one range earlier is counted.
 */
export function comparison(
  { range, now, sums }: Span,
  isWanted: (sum: ActivitySum) => boolean,
  measure: Measure,
): { value: number; change: number | null } {
  const barMs = RANGES[range].barSeconds * 1000;
  const since = rangeStart(range, now).getTime();
  const begun = (now.getTime() % barMs) / barMs;
  let value = 0;
  let before = 0;
  for (const sum of sums.filter(isWanted)) {
    const at = sum.startsAt.getTime();
    if (at >= since) value += sum[measure];
    else before += sum[measure] * (at === since - barMs ? begun : 1);
  }
  return { value, change: before === 0 ? null : value / before - 1 };
}

export interface Group extends Record<Measure, number> {
  label: Words;
  /** The names of the group's sums: several if they have the same label. */
  names: string[];
  /** Whether the group is the rest: smaller groups that were counted together. */
  isRest: boolean;
  /** Change of the measure since the previous period. */
  change: number | null;
  sums: ActivitySum[];
}

/** Returns the groups of a range: those with most of the measure first, the rest last. */
export function groupsOf(
  span: Span,
  grouping: Grouping,
  measure: Measure,
  labelOf: (name: string) => Words,
): Group[] {
  const own = sumsBy(span, grouping).filter(({ name }) => name !== EVENTS);
  return [...Map.groupBy(own, ({ name }) => String(labelOf(name)))]
    .map(([, sums]) => {
      const names = new Set(sums.map(({ name }) => name));
      const isOwn = (sum: ActivitySum) => sum.groupedBy === grouping && names.has(sum.name);
      const totals = MEASURES.map((one) => [one, total(sums, one)]);
      return {
        ...(Object.fromEntries(totals) as Record<Measure, number>),
        label: labelOf(sums[0]!.name),
        names: [...names],
        sums,
        isRest: names.has(OTHER),
        change: comparison(span, isOwn, measure).change,
      };
    })
    .sort((a, b) => Number(a.isRest) - Number(b.isRest) || b[measure] - a[measure]);
}

/** The most series that have a colour of their own. */
const MOST_SERIES = 6;

/** Returns a measure over time: one series for each of the largest groups, and one for all others. */
export function seriesOfGroups(
  span: Span,
  groups: readonly Group[],
  measure: Measure,
  restLabel: Words,
): Series[] {
  const shown = groups.filter((group) => !group.isRest && group[measure] > 0).slice(0, MOST_SERIES);
  const rest = groups.filter((group) => group[measure] > 0 && !shown.includes(group));
  const series = shown.map(({ label, sums }, at) => ({
    tone: `g${at}`,
    label,
    values: overTime(span, sums, measure),
  }));
  if (rest.length === 0) return series;
  const others = rest.flatMap(({ sums }) => sums);
  return [...series, { tone: "other", label: restLabel, values: overTime(span, others, measure) }];
}

/** Returns one value for each bar; 0 if nothing happened. */
export function overTime(span: Span, sums: readonly ActivitySum[], measure: Measure): number[] {
  const byBar = Map.groupBy(sums, ({ startsAt }) => startsAt.getTime());
  return barStarts(span).map((at) => total(byBar.get(at.getTime()) ?? [], measure));
}

/** Returns how long messages took by channel: quantiles in seconds, and the share that took at most 10 s. */
export function latenciesByChannel(span: Span) {
  const sums = sumsBy(span, "channel");
  return CHANNELS.map((channel) => {
    const { upTo, all } = latenciesOf(sums.filter(({ name }) => name === channel));
    return {
      channel,
      p50: quantile(upTo, all, 0.5),
      p99: quantile(upTo, all, 0.99),
      within10: all === 0 ? null : (upTo[LATENCY_BOUNDS.indexOf(10)] ?? 0) / all,
    };
  });
}

/** Returns a quantile of all messages over time, in seconds; null for a bar without messages. */
export function latencyOverTime(span: Span, q: number): (number | null)[] {
  const byBar = Map.groupBy(sumsBy(span, "channel"), ({ startsAt }) => startsAt.getTime());
  return barStarts(span).map((at) => {
    const { upTo, all } = latenciesOf(byBar.get(at.getTime()) ?? []);
    return quantile(upTo, all, q);
  });
}

function latenciesOf(sums: readonly ActivitySum[]) {
  const at = (index: number) => sums.reduce((all, one) => all + (one.latencies[index] ?? 0), 0);
  return { upTo: LATENCY_BOUNDS.map((_, index) => at(index)), all: at(LATENCY_BOUNDS.length) };
}

/**
 * Interpolates between the bounds around the quantile; returns the last bound for a quantile beyond it. `upTo` has the
 * number of messages up to each bound, `all` the number of all messages.
 */
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
