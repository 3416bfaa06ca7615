import type { DigestSettings, ThrottleSettings } from "@belfry/contracts/timing";

/** Timing as people write it: on the command line, in files of templates, in the Admin UI. */

const DAY_NAMES = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/** `5/3600`: five in any hour. Undefined: it is not written so. */
export function readThrottle(text: string): ThrottleSettings | undefined {
  const [, count, seconds] = /^\s*(\d{1,9})\s*\/\s*(\d{1,9})\s*$/.exec(text) ?? [];
  if (count === undefined) return undefined;
  return { count: Number(count), seconds: Number(seconds) };
}

export function throttleText({ count, seconds }: ThrottleSettings): string {
  return `${count}/${seconds}`;
}

/** `mon,tue` as ISO days of the week. Undefined: one of them is no day. */
export function readDays(text: string): number[] | undefined {
  const names = text.split(",").map((name) => name.trim().toLowerCase());
  const days = names.map((name) => DAY_NAMES.indexOf(name) + 1);
  return days.includes(0) ? undefined : days;
}

export function daysText(days: readonly number[]): string {
  return days.map((day) => DAY_NAMES[day - 1]).join(",");
}

/** In words, as `every 3600 s, sliding, at most 7200 s, by post_id`. */
export function digestText(digest: DigestSettings): string {
  const { windowSeconds, at, days = [], key, sliding, maxSeconds, leading } = digest;
  return [
    windowSeconds === undefined ? `at ${at}` : `every ${windowSeconds} s`,
    ...(days.length === 0 ? [] : [`on ${daysText(days)}`]),
    ...(sliding === true ? ["sliding"] : []),
    ...(maxSeconds === undefined ? [] : [`at most ${maxSeconds} s`]),
    ...(leading === true ? ["the first at once"] : []),
    ...(key === undefined ? [] : [`by ${key}`]),
  ].join(", ");
}
