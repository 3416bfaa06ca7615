import type { DigestSettings } from "@belfry/contracts/timing";
import type { TimingInput } from "./timing-input.ts";
import { daysText, readDays, readThrottle, throttleText } from "./timing-text.ts";

/** Timing in a file of a template: a line each, as the command line names it. */

/** Takes a value over; returns what is wrong with it, behind the key. */
type Taker = (file: TimingInput, value: string) => string | undefined;

const digestPart =
  <K extends keyof DigestSettings>(
    name: K,
    read: (value: string) => DigestSettings[K] | undefined,
    form: string,
  ): Taker =>
  (file, value) => {
    if (file.digest?.[name] !== undefined) return "is there twice";
    const part = read(value);
    if (part === undefined) return `must be ${form}`;
    file.digest = { ...file.digest, [name]: part };
    return undefined;
  };

const whole = (value: string) => (/^\d{1,15}$/.test(value) ? Number(value) : undefined);
const yes = (value: string) => (value === "yes" ? true : undefined);

export const TIMING_KEYS = {
  "digest-window-seconds": digestPart("windowSeconds", whole, "a whole number"),
  "digest-at": digestPart("at", (value) => value || undefined, "a time of day such as 09:00"),
  "digest-days": digestPart("days", readDays, "days such as mon,tue"),
  "digest-key": digestPart("key", (value) => value || undefined, "the name of a variable"),
  "digest-sliding": digestPart("sliding", yes, "yes, or left out"),
  "digest-max-seconds": digestPart("maxSeconds", whole, "a whole number"),
  "digest-leading": digestPart("leading", yes, "yes, or left out"),
  throttle: (file, value) => {
    if (file.throttle !== undefined) return "is there twice";
    file.throttle = readThrottle(value);
    return file.throttle === undefined ? "must be a number by seconds, as 5/3600" : undefined;
  },
  "after-unread-seconds": (file, value) => {
    if (file.afterUnreadSeconds !== undefined) return "is there twice";
    file.afterUnreadSeconds = whole(value);
    return file.afterUnreadSeconds === undefined ? "must be a whole number" : undefined;
  },
} as const satisfies Record<string, Taker>;

export type TimingKey = keyof typeof TIMING_KEYS;

export function timingLines({
  digest,
  throttle,
  afterUnreadSeconds,
}: TimingInput): [TimingKey, string | undefined][] {
  const { days = [] } = digest ?? {};
  return [
    ["digest-window-seconds", digest?.windowSeconds?.toString()],
    ["digest-at", digest?.at],
    ["digest-days", days.length === 0 ? undefined : daysText(days)],
    ["digest-key", digest?.key],
    ["digest-sliding", digest?.sliding === true ? "yes" : undefined],
    ["digest-max-seconds", digest?.maxSeconds?.toString()],
    ["digest-leading", digest?.leading === true ? "yes" : undefined],
    ["throttle", throttle == null ? undefined : throttleText(throttle)],
    ["after-unread-seconds", afterUnreadSeconds?.toString()],
  ];
}
