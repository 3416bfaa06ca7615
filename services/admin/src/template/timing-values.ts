import { MAX_EXPIRY_SECONDS } from "@belfry/administration/templates/template-input";
import type { TemplateSettingsInput } from "@belfry/administration/templates/template-settings";
import {
  digestFaults,
  durationUnit,
  throttleFaults,
} from "@belfry/administration/templates/template-timing";
import {
  type DigestSettings,
  MAX_AFTER_UNREAD_SECONDS,
  MAX_DIGEST_SECONDS,
  MAX_THROTTLE_COUNT,
  MAX_THROTTLE_SECONDS,
  type ThrottleSettings,
} from "@belfry/contracts/delivery";
import { typedTexts, wholeNumber } from "../page/form-fields.ts";
import { type Phrase, say } from "../page/language.ts";
import { duration } from "./setting-sentences.ts";

/** The settings of when a template's messages are sent, as its form has them: texts as they were typed. */

/** A number with its unit in seconds: `{count: "10", unit: "60"}` is 10 minutes. */
interface Duration {
  count: string;
  unit: string;
}

const DURATIONS = [
  "digestWindow",
  "digestMax",
  "throttleTime",
  "afterUnread",
  "expiresAfter",
] as const;
const TEXTS = ["digestAt", "digestKey", "throttleCount"] as const;

export interface TimingValues
  extends Record<(typeof DURATIONS)[number], Duration>,
    Record<(typeof TEXTS)[number], string> {
  /** Empty if each event is sent by itself. */
  digestKind: "" | "window" | "at";
  digestSliding: boolean;
  digestLeading: boolean;
  /** ISO days of the week; empty for every day. */
  digestDays: string[];
}

export function timingOfForm(form: URLSearchParams): TimingValues {
  const kind = form.get("digestKind");
  const texts = typedTexts(form, [...DURATIONS, ...TEXTS]);
  const duration = (name: (typeof DURATIONS)[number]): Duration => ({
    count: texts[name],
    unit: String(wholeNumber(form.get(`${name}Unit`) ?? "") || MINUTE),
  });
  return {
    ...texts,
    ...byName(duration),
    digestKind: kind === "window" || kind === "at" ? kind : "",
    digestSliding: form.has("digestSliding"),
    digestLeading: form.has("digestLeading"),
    digestDays: form.getAll("digestDays"),
  };
}

/** Returns the form's values. Settings that are not set get common values. */
export function timingValues(settings: TemplateSettingsInput): TimingValues {
  const { digest, throttle, afterUnreadSeconds, expiresAfterSeconds } = settings;
  const text = (value: number | string | null | undefined) => String(value ?? "");
  return {
    digestKind: digest == null ? "" : digest.at === undefined ? "window" : "at",
    digestWindow: durationOf(digest == null ? 10 * MINUTE : digest.windowSeconds, MINUTE),
    digestSliding: digest?.sliding === true,
    digestMax: durationOf(digest?.maxSeconds),
    digestAt: digest?.at ?? "09:00",
    digestDays: (digest?.days ?? []).map(String),
    digestKey: text(digest?.key),
    digestLeading: digest?.leading === true,
    throttleCount: text(throttle?.count),
    throttleTime: durationOf(throttle == null ? HOUR : throttle.seconds),
    afterUnread: durationOf(afterUnreadSeconds),
    expiresAfter: durationOf(expiresAfterSeconds),
  };
}

/** Returns the settings. A text that is not a number becomes NaN, which acts refuse and `timingFaults` reports. */
export function timingInput(values: TimingValues): TemplateSettingsInput {
  const { throttleCount, throttleTime, afterUnread } = values;
  const isThrottled = throttleCount !== "";
  return {
    digest: digestInput(values),
    throttle: isThrottled
      ? { count: wholeNumber(throttleCount), seconds: secondsOf(throttleTime) }
      : null,
    afterUnreadSeconds: afterUnread.count === "" ? null : secondsOf(afterUnread),
  };
}

export function expiryInput({ expiresAfter }: TimingValues): number | undefined {
  return expiresAfter.count === "" ? undefined : secondsOf(expiresAfter);
}

function digestInput(values: TimingValues): DigestSettings | null {
  const { digestKind, digestKey, digestLeading, digestSliding, digestMax } = values;
  if (digestKind === "") return null;
  const digest: DigestSettings = {};
  if (digestKey !== "") digest.key = digestKey;
  if (digestLeading) digest.leading = true;
  if (digestKind === "at") {
    digest.at = values.digestAt;
    if (values.digestDays.length > 0) digest.days = values.digestDays.map(wholeNumber);
    return digest;
  }
  digest.windowSeconds = secondsOf(values.digestWindow);
  if (digestSliding) digest.sliding = true;
  if (digestSliding && digestMax.count !== "") digest.maxSeconds = secondsOf(digestMax);
  return digest;
}

/** Faults by field of the form. */
export type TimingFaults = Partial<
  Record<(typeof DURATIONS)[number] | (typeof TEXTS)[number] | "digestDays" | "digestKind", Phrase>
>;
type TimingField = keyof TimingFaults;

const upTo = (seconds: number) =>
  say`Enter a whole number, 1 or more, for at most ${duration(seconds)}.`;

const DIGEST_FAULTS: Readonly<Record<keyof DigestSettings | "", [TimingField, Phrase]>> = {
  "": ["digestKind", say`Choose a period or a time of day.`],
  windowSeconds: ["digestWindow", upTo(MAX_DIGEST_SECONDS)],
  maxSeconds: [
    "digestMax",
    say`Enter a whole number, no less than the period, for at most ${duration(MAX_DIGEST_SECONDS)}.`,
  ],
  sliding: ["digestKind", say`Choose a period: a time of day does not restart.`],
  at: ["digestAt", say`Choose a time of day, such as 09:00.`],
  days: ["digestDays", say`Choose days of the week.`],
  key: ["digestKey", say`Enter the name of one variable.`],
  leading: ["digestKind", say`Choose whether the first event is sent immediately.`],
};
const THROTTLE_FAULTS: Readonly<Record<keyof ThrottleSettings, [TimingField, Phrase]>> = {
  count: ["throttleCount", say`Enter a whole number from 1 to ${MAX_THROTTLE_COUNT}.`],
  seconds: ["throttleTime", upTo(MAX_THROTTLE_SECONDS)],
};

/** Checks the values by administration's rules and returns the faults by field, in words for the form. */
export function timingFaults(values: TimingValues): TimingFaults {
  const { digest, throttle, afterUnreadSeconds } = timingInput(values);
  const found: [TimingField, Phrase][] = [
    ...(digest == null ? [] : digestFaults(digest).map(({ part }) => DIGEST_FAULTS[part])),
    ...(throttle == null
      ? []
      : throttleFaults(throttle).flatMap(({ part }) =>
          part === "" ? [] : [THROTTLE_FAULTS[part]],
        )),
  ];
  const whole = (field: TimingField, seconds: number | null | undefined, most: number) => {
    if (seconds == null || (seconds >= 1 && seconds <= most)) return;
    found.push([field, upTo(most)]);
  };
  whole("afterUnread", afterUnreadSeconds, MAX_AFTER_UNREAD_SECONDS);
  whole("expiresAfter", expiryInput(values), MAX_EXPIRY_SECONDS);
  return Object.fromEntries(found);
}

/** Settings of administration whose faults `timingFaults` reports. */
export const TIMED_SETTINGS: readonly string[] = [
  "digest",
  "throttle",
  "afterUnreadSeconds",
  "expiresAfterSeconds",
];

const MINUTE = 60;
const HOUR = 60 * MINUTE;

function byName<T>(of: (name: (typeof DURATIONS)[number]) => T) {
  return Object.fromEntries(DURATIONS.map((name) => [name, of(name)])) as Record<
    (typeof DURATIONS)[number],
    T
  >;
}

function durationOf(seconds: number | null | undefined, unit = HOUR): Duration {
  if (seconds == null) return { count: "", unit: String(unit) };
  const [, length] = durationUnit(seconds);
  return { count: String(seconds / length), unit: String(length) };
}

function secondsOf({ count, unit }: Duration): number {
  return wholeNumber(count) * Number(unit);
}
