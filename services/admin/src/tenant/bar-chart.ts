export interface Bar {
  startsAt: Date;
  accepted: number;
  sent: number;
  failed: number;
}

const WIDE = { width: 720, height: 240 };
/** The least width of a mark below. */
const MARK_WIDTH = 100;
const LEFT = 40;
const TOP = 10;
const BOTTOM = 24;
const HOUR_MS = 60 * 60_000;

/** A chart as data for the view: SVG drawn on the server needs no script, and takes the page's colours. */
export function barChart(series: readonly Bar[], barMs: number, { width, height } = WIDE) {
  const most = Math.max(...series.map((bar) => bar.sent + bar.failed));
  const top = niceTop(most);
  const room = height - TOP - BOTTOM;
  const y = (value: number) => TOP + room * (1 - value / top);
  const slot = (width - LEFT) / series.length;
  const bars = series.map((bar, index) => {
    const sentTop = y(bar.sent);
    const failedTop = y(bar.sent + bar.failed);
    return {
      x: round(LEFT + slot * index + slot * 0.15),
      width: round(slot * 0.7),
      sent: { y: round(sentTop), height: round(y(0) - sentTop) },
      failed: { y: round(failedTop), height: round(sentTop - failedTop) },
      startsAt: bar.startsAt,
      title: `${bar.sent} sent, ${bar.failed} failed`,
    };
  });
  const everyBars = Math.ceil(series.length / Math.floor(width / MARK_WIDTH));
  return {
    width,
    height,
    bars,
    /** Lines across, with their figure. */
    lines: [0, 0.5, 1].map((share) => ({ y: round(y(top * share)), label: short(top * share) })),
    marks: series
      .map((bar, index) => ({
        x: round(LEFT + slot * (index + 0.5)),
        at: bar.startsAt,
        kind: barMs > HOUR_MS ? "day" : "time",
      }))
      .filter((_, index) => index % everyBars === 0),
    isEmpty: most === 0,
    rows: series,
  };
}

/** The next of 2, 4, 6, 8, 10, 20, 40 …, so that the half is a whole number. */
export function niceTop(most: number): number {
  for (let power = 1; ; power *= 10) {
    for (const step of [2, 4, 6, 8, 10]) if (most <= step * power) return step * power;
  }
}

function short(value: number): string {
  if (value >= 1_000_000) return `${value / 1_000_000}M`;
  return value >= 1000 ? `${value / 1000}k` : String(value);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
