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
import type { InputFault } from "../input-error.ts";
import { tenantById } from "../tenants/tenant-rows.ts";

interface TimingInput {
  digest?: DigestSettings | null | undefined;
  throttle?: ThrottleSettings | null | undefined;
  afterUnreadSeconds?: number | null | undefined;
}

const LOCAL_TIME = /^([01]\d|2[0-3]):[0-5]\d$/;
const DAYS = [1, 2, 3, 4, 5, 6, 7];

export function timingFaults(channel: Channel, input: TimingInput): (InputFault | undefined)[] {
  const given = (["digest", "throttle", "afterUnreadSeconds"] as const).filter(
    (name) => input[name] != null,
  );
  if (given.length > 0 && !isProviderChannel(channel)) {
    const message = `is only for ${listed(PROVIDER_CHANNELS, "or")}`;
    return given.map((field) => ({ field, message }));
  }
  const { digest, throttle, afterUnreadSeconds } = input;
  return [
    ...(digest == null ? [] : digestFaults(digest)),
    ...(throttle == null
      ? []
      : [
          countFault("throttle", "count", throttle.count, MAX_THROTTLE_COUNT),
          countFault("throttle", "seconds", throttle.seconds, MAX_THROTTLE_SECONDS),
        ]),
    afterUnreadSeconds == null
      ? undefined
      : countFault("afterUnreadSeconds", "", afterUnreadSeconds, MAX_AFTER_UNREAD_SECONDS),
  ];
}

/** Without what is not set, so that two that say the same are equal. */
export function normalDigest(digest: DigestSettings): DigestSettings {
  const { windowSeconds, at, days = [], key, sliding, maxSeconds, leading } = digest;
  const sorted = [...new Set(days)].sort();
  return {
    ...(windowSeconds === undefined ? {} : { windowSeconds }),
    ...(at === undefined ? {} : { at }),
    ...(sorted.length === 0 || sorted.length === DAYS.length ? {} : { days: sorted }),
    ...(key === undefined ? {} : { key }),
    ...(sliding === true ? { sliding } : {}),
    ...(maxSeconds === undefined ? {} : { maxSeconds }),
    ...(leading === true ? { leading } : {}),
  };
}

/** How long an event may wait in it at most. */
export function longestDigestSeconds({
  windowSeconds,
  days,
  sliding,
  maxSeconds,
}: DigestSettings): number {
  const day = 24 * 60 * 60;
  // An hour more: a day on which the clock goes back is longer.
  if (windowSeconds === undefined) return days === undefined ? day + 3600 : MAX_DIGEST_SECONDS;
  return sliding === true ? (maxSeconds ?? MAX_DIGEST_SECONDS) : windowSeconds;
}

function digestFaults(digest: DigestSettings): (InputFault | undefined)[] {
  const { windowSeconds, at, days, key, sliding, maxSeconds } = digest;
  const field = "digest";
  const faults: (InputFault | undefined)[] = [];
  if ((windowSeconds === undefined) === (at === undefined)) {
    faults.push({ field, message: "must have either a window in seconds or a time of day (at)" });
  }
  if (windowSeconds !== undefined) {
    faults.push(countFault(field, "windowSeconds", windowSeconds, MAX_DIGEST_SECONDS));
  }
  if (at !== undefined && !LOCAL_TIME.test(at)) {
    faults.push({ field, message: "at must be a time of day such as 09:00" });
  }
  if (days !== undefined && !days.every((one) => DAYS.includes(one))) {
    faults.push({ field, message: "days must be of 1 (Monday) to 7 (Sunday)" });
  }
  if (days !== undefined && days.length > 0 && at === undefined) {
    faults.push({ field, message: "days go with a time of day (at) alone" });
  }
  if (key !== undefined && (textFault(key) !== undefined || key.trim() !== key)) {
    faults.push({ field, message: "key must be the name of a variable, of 1 to 255 characters" });
  }
  if (sliding === true && windowSeconds === undefined) {
    faults.push({ field, message: "sliding goes with a window in seconds alone" });
  }
  if (maxSeconds !== undefined) {
    faults.push(countFault(field, "maxSeconds", maxSeconds, MAX_DIGEST_SECONDS));
    if (sliding !== true) faults.push({ field, message: "maxSeconds goes with sliding alone" });
    else if (windowSeconds !== undefined && maxSeconds < windowSeconds) {
      faults.push({ field, message: "maxSeconds must not be less than the window" });
    }
  }
  return faults;
}

function countFault(field: string, part: string, value: unknown, most: number) {
  if (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most) return undefined;
  const name = part === "" ? "" : `${part} `;
  return { field, message: `${name}must be an integer from 1 to ${most}` };
}

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

interface TemplateKey {
  tenantId: string;
  eventType: string;
  channel: Channel;
}

interface Wanted {
  digest: DigestSettings | null;
  afterUnreadSeconds: number | null;
  sensitive: boolean;
}

/** What timing has to do with the tenant and with the other templates of the event type. */
export async function timingRuleFaults(db: Database, key: TemplateKey, wanted: Wanted) {
  const faults = [
    await retentionFault(db, key.tenantId, wanted),
    await sensitiveFault(db, key, wanted),
  ];
  return faults.filter((fault) => fault !== undefined);
}

/** Ten comments of one post are one event where the automatic key does not know the variables. */
export async function digestWarnings(
  db: Database,
  tenantId: string,
  digest: DigestSettings | null | undefined,
) {
  if (digest == null || tenantId === PLATFORM) return [];
  const tenant = await tenantById(db, tenantId);
  if (tenant === undefined || tenant.dedupIncludesVariables) return [];
  const message =
    "events that differ in their variables alone are one event for 24 hours: let the tenant's automatic deduplication key include the variables, or send X-Idempotency-Key";
  return [{ field: "digest", line: 1, column: 1, message }];
}

async function retentionFault(
  db: Database,
  tenantId: string,
  { digest, afterUnreadSeconds }: Wanted,
): Promise<InputFault | undefined> {
  if (tenantId === PLATFORM || (digest === null && afterUnreadSeconds === null)) return undefined;
  const most = mostRestMs(await keptDays(db, tenantId)) / 1000;
  const rule = `must let nothing wait longer than ${most} s: events are to be kept 8 days after that (1 day where they are kept 9 days or less)`;
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
