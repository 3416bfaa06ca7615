import type { Words } from "../page/language.ts";

/** One series of a chart: a line, or the parts of the bars in one colour. */
export interface Series {
  /** The CSS class of its colour: see overview.css. */
  tone: string;
  label: Words;
  /** One value for each bar; null if there is none. */
  values: readonly (number | null)[];
}

const SIZES = [
  { look: "wide-one", width: 720, height: 240 },
  /** For phones. */
  { look: "narrow-one", width: 350, height: 190 },
] as const;
type Size = (typeof SIZES)[number];

/** The least width of a time's label below the bars. */
const MARK_WIDTH = 100;
const LEFT = 44;
const TOP = 10;
const BOTTOM = 24;
const HOUR_SECONDS = 3600;

interface Given {
  id: string;
  title: Words;
  /** When each bar begins. */
  starts: readonly Date[];
  barSeconds: number;
  series: readonly Series[];
  /** Returns a value as the chart shows it. */
  write(value: number): Words;
}

/**
 * Returns stacked bars, or lines, as data for `plot.eta`. SVG that the server draws needs no script and uses the page's
 * colours. A library of charts would draw the axis of `frameOf`, and would be more code than this.
 */
export function plotOf(kind: "bars" | "lines", given: Given) {
  const { series, starts } = given;
  const sums = starts.map((_, at) => series.map(({ values }) => values[at] ?? 0));
  const most =
    kind === "bars" ? Math.max(...sums.map(sum)) : Math.max(...sums.map((all) => Math.max(...all)));
  return {
    ...given,
    isEmpty: most <= 0,
    charts: SIZES.map((size) => {
      const frame = frameOf(given, most, size);
      return {
        ...frame,
        bars: kind === "bars" ? barsOf(given, frame) : [],
        curves: kind === "lines" ? curvesOf(given, frame) : [],
      };
    }),
  };
}

function frameOf({ starts, barSeconds, write }: Given, most: number, size: Size) {
  const { width, height } = size;
  const top = niceTop(most);
  const room = height - TOP - BOTTOM;
  const y = (value: number) => TOP + room * (1 - value / top);
  const slot = (width - LEFT) / starts.length;
  const everyBars = Math.ceil(starts.length / Math.floor(width / MARK_WIDTH));
  return {
    ...size,
    left: LEFT,
    slot,
    y,
    /** Horizontal lines, each with its figure. */
    lines: [0, 0.5, 1].map((share) => ({ y: round(y(top * share)), label: write(top * share) })),
    marks: starts
      .map((at, index) => ({
        x: round(LEFT + slot * (index + 0.5)),
        at,
        kind: barSeconds > HOUR_SECONDS ? "day" : "time",
      }))
      .filter((_, index) => index % everyBars === 0),
  };
}

type Frame = ReturnType<typeof frameOf>;

function barsOf({ starts, series }: Given, { slot, y }: Frame) {
  return starts.map((startsAt, index) => {
    const own = series.map(({ tone, label, values }) => ({
      tone,
      label,
      value: values[index] ?? 0,
    }));
    let below = 0;
    const parts = own.map(({ tone, value }) => {
      const bottom = y(below);
      below += value;
      return { tone, y: round(y(below)), height: round(bottom - y(below)) };
    });
    return {
      startsAt,
      parts,
      x: round(LEFT + slot * index + slot * 0.15),
      width: round(slot * 0.7),
      figures: own.filter(({ value }) => value > 0),
    };
  });
}

/** Returns lines, which are interrupted where there is no value. */
function curvesOf({ series }: Given, { slot, y }: Frame) {
  return series.map(({ tone, values }) => {
    const points = values.map((value, index) =>
      value === null ? null : { x: round(LEFT + slot * (index + 0.5)), y: round(y(value)) },
    );
    const path = points
      .map((point, index) => point && `${points[index - 1] ? "L" : "M"}${point.x} ${point.y}`)
      .filter((step) => step !== null)
      .join("");
    return { tone, path, points: points.filter((point) => point !== null) };
  });
}

/**
 * Returns the next of 2, 4, 6, 8, 10, 20, 40 …, so that half of it is a whole number; below 1, the next of 0.2, 0.4 ….
 */
export function niceTop(most: number): number {
  for (let power = most > 0 && most < 1 ? 0.1 : 1; ; power *= 10) {
    for (const step of [2, 4, 6, 8, 10]) if (most <= step * power) return round(step * power);
  }
}

/** Returns a number in short: `500`, `1.5k`, `2M`. */
export function short(value: number): string {
  if (value >= 1_000_000) return `${value / 1_000_000}M`;
  return value >= 1000 ? `${value / 1000}k` : String(value);
}

function sum(values: readonly number[]): number {
  return values.reduce((all, one) => all + one, 0);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
