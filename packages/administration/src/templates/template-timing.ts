import {
  type Channel,
  isProviderChannel,
  listed,
  PROVIDER_CHANNELS,
} from "@belfry/contracts/channels";
import {
  type DigestSettings,
  MAX_AFTER_UNREAD_SECONDS,
  MAX_DIGEST_SECONDS,
  MAX_THROTTLE_COUNT,
  MAX_THROTTLE_SECONDS,
  type ThrottleSettings,
} from "@belfry/contracts/delivery";
import { PLATFORM, textFault } from "@belfry/contracts/identifiers";
import { mostRestMs } from "@belfry/contracts/retention";
import { keptDays } from "@belfry/database/configuration-version";
import type { Database } from "@belfry/database/connection";
import { type InputFault, integerFault } from "../input-error.ts";
import type { TemplateKey } from "./template-rows.ts";
import type { TemplateSettings, TemplateSettingsInput } from "./template-settings.ts";

const TIMING = ["digest", "throttle", "afterUnreadSeconds"] as const;

const LOCAL_TIME = /^([01]\d|2[0-3]):[0-5]\d$/;
const DAYS = [1, 2, 3, 4, 5, 6, 7];

export function timingFaults(
  channel: Channel,
  input: Pick<TemplateSettingsInput, (typeof TIMING)[number]>,
): (InputFault | undefined)[] {
  const given = TIMING.filter((name) => input[name] != null);
  if (given.length > 0 && !isProviderChannel(channel)) {
    const message = `is only for ${listed(PROVIDER_CHANNELS, "or")}`;
    return given.map((field) => ({ field, message }));
  }
  const { digest, throttle, afterUnreadSeconds } = input;
  return [
    ...(digest == null ? [] : ofParts("digest", digestFaults(digest))),
    ...(throttle == null ? [] : ofParts("throttle", throttleFaults(throttle))),
    integerFault("afterUnreadSeconds", afterUnreadSeconds, 1, MAX_AFTER_UNREAD_SECONDS),
  ];
}

/** A fault of one part of a setting. */
interface PartFault<T> {
  /** "": the setting as a whole. */
  part: keyof T | "";
  message: string;
}

function ofParts<T>(field: string, faults: readonly PartFault<T>[]): InputFault[] {
  return faults.map(({ part, message }) => {
    const name = part === "" ? "" : `${String(part)} `;
    return { field, message: name + message };
  });
}

export function throttleFaults({ count, seconds }: ThrottleSettings) {
  return [
    ...countFaults<ThrottleSettings>("count", count, MAX_THROTTLE_COUNT),
    ...countFaults<ThrottleSettings>("seconds", seconds, MAX_THROTTLE_SECONDS),
  ];
}

/** Removes absent parts, so that equal settings compare as equal. */
export function normalDigest(digest: DigestSettings): DigestSettings {
  const days = [...new Set(digest.days)].sort();
  const isEveryDay = days.length === 0 || days.length === DAYS.length;
  const parts = Object.entries({ ...digest, days: isEveryDay ? undefined : days });
  const isSet = ([, part]: [string, unknown]) => part !== undefined && part !== false;
  return Object.fromEntries(parts.filter(isSet)) as DigestSettings;
}

/** Returns the longest time in seconds that an event may wait in a digest. */
export function longestDigestSeconds({
  windowSeconds,
  days,
  sliding,
  maxSeconds,
}: DigestSettings): number {
  const day = 24 * 60 * 60;
  // One more hour, because a day on which the clock is set back has 25 hours.
  if (windowSeconds === undefined) return days === undefined ? day + 3600 : MAX_DIGEST_SECONDS;
  return sliding === true ? (maxSeconds ?? MAX_DIGEST_SECONDS) : windowSeconds;
}

export function digestFaults(digest: DigestSettings): PartFault<DigestSettings>[] {
  const { windowSeconds, at, days = [], key, sliding, maxSeconds } = digest;
  const faults: PartFault<DigestSettings>[] = [];
  if ((windowSeconds === undefined) === (at === undefined)) {
    const message = "must have either a window in seconds or a time of day (at)";
    faults.push({ part: "", message });
  }
  if (windowSeconds !== undefined) {
    faults.push(...countFaults<DigestSettings>("windowSeconds", windowSeconds, MAX_DIGEST_SECONDS));
  }
  if (at !== undefined && !LOCAL_TIME.test(at)) {
    faults.push({ part: "at", message: "must be a time of day such as 09:00" });
  }
  if (!days.every((one) => DAYS.includes(one))) {
    faults.push({ part: "days", message: "must be of 1 (Monday) to 7 (Sunday)" });
  }
  if (days.length > 0 && at === undefined) {
    faults.push({ part: "days", message: "go with a time of day (at) alone" });
  }
  if (key !== undefined && (textFault(key) !== undefined || key.trim() !== key)) {
    faults.push({ part: "key", message: "must be the name of a variable, of 1 to 255 characters" });
  }
  if (sliding === true && windowSeconds === undefined) {
    faults.push({ part: "sliding", message: "goes with a window in seconds alone" });
  }
  if (maxSeconds !== undefined) {
    faults.push(...countFaults<DigestSettings>("maxSeconds", maxSeconds, MAX_DIGEST_SECONDS));
    if (sliding !== true) faults.push({ part: "maxSeconds", message: "goes with sliding alone" });
    else if (windowSeconds !== undefined && maxSeconds < windowSeconds) {
      faults.push({ part: "maxSeconds", message: "must not be less than the window" });
    }
  }
  return faults;
}

function countFaults<T>(part: keyof T, value: number, most: number): PartFault<T>[] {
  const fault = integerFault("", value, 1, most);
  return fault === undefined ? [] : [{ part, message: fault.message }];
}

const UNITS = [
  ["day", 24 * 60 * 60],
  ["hour", 60 * 60],
  ["minute", 60],
] as const;

/** Returns the largest unit of which a duration is a whole multiple, such as `["hour", 3600]`. */
export function durationUnit(seconds: number) {
  return UNITS.find(([, length]) => seconds % length === 0) ?? (["second", 1] as const);
}

/** Returns a duration in words, such as `90 minutes` or `1 hour`. */
export function durationText(seconds: number): string {
  const [unit, length] = durationUnit(seconds);
  const count = seconds / length;
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

const DAY_NAMES = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/** Parses `5/3600`, which means five in any hour. Returns undefined for any other form. */
export function readThrottle(text: string): ThrottleSettings | undefined {
  const [, count, seconds] = /^\s*(\d{1,9})\s*\/\s*(\d{1,9})\s*$/.exec(text) ?? [];
  if (count === undefined) return undefined;
  return { count: Number(count), seconds: Number(seconds) };
}

export function throttleText({ count, seconds }: ThrottleSettings): string {
  return `${count}/${seconds}`;
}

/** Parses `mon,tue` to ISO days of the week. Returns undefined if a name is not a day. */
export function readDays(text: string): number[] | undefined {
  const names = text.split(",").map((name) => name.trim().toLowerCase());
  const days = names.map((name) => DAY_NAMES.indexOf(name) + 1);
  return days.includes(0) ? undefined : days;
}

export function daysText(days: readonly number[]): string {
  return days.map((day) => DAY_NAMES[day - 1]).join(",");
}

type Wanted = Pick<TemplateSettings, "digest" | "afterUnreadSeconds" | "sensitive">;

/** Returns the conflicts of a timing with the tenant's settings and with the event type's other templates. */
export async function timingRuleFaults(db: Database, key: TemplateKey, wanted: Wanted) {
  const faults = [
    await retentionFault(db, key.tenantId, wanted),
    await sensitiveFault(db, key, wanted),
  ];
  return faults.filter((fault) => fault !== undefined);
}

async function retentionFault(
  db: Database,
  tenantId: string,
  { digest, afterUnreadSeconds }: Wanted,
): Promise<InputFault | undefined> {
  if (tenantId === PLATFORM || (digest === null && afterUnreadSeconds === null)) return undefined;
  const most = mostRestMs(await keptDays(db, tenantId)) / 1000;
  const rule = `must let nothing wait longer than ${durationText(most)}: events are to be kept 8 days after that (1 day where they are kept 9 days or less)`;
  if (digest !== null && longestDigestSeconds(digest) > most)
    return { field: "digest", message: rule };
  if (afterUnreadSeconds !== null && afterUnreadSeconds > most) {
    return { field: "afterUnreadSeconds", message: rule };
  }
  return undefined;
}

async function sensitiveFault(
  db: Database,
  { tenantId, eventType, channel }: TemplateKey,
  { digest, sensitive }: Wanted,
): Promise<InputFault | undefined> {
  if (digest === null && !sensitive) return undefined;
  const others = await db
    .selectFrom("templates")
    .select(["channel", "sensitive", "digest"])
    .where("tenant_id", "=", tenantId)
    .where("event_type", "=", eventType)
    .where("channel", "<>", channel)
    .execute();
  if (digest !== null) {
    const where = sensitive ? channel : others.find((other) => other.sensitive)?.channel;
    if (where === undefined) return undefined;
    const message = `does not go with a sensitive template of the event type (${where}): a digest shows the variables of many events`;
    return { field: "digest", message };
  }
  const gathers = others.find((other) => other.digest !== null);
  if (gathers === undefined) return undefined;
  const message = `does not go with a digest of the event type (${gathers.channel}), which shows the variables of many events`;
  return { field: "sensitive", message };
}
