import { CHANNELS, type Channel, isChannel, listed } from "@belfry/contracts/channels";
import { field, flag, integer, orNull } from "@belfry/contracts/fields";
import { textFault } from "@belfry/contracts/identifiers";
import { canonicalLocale, NO_LOCALE } from "@belfry/contracts/locale";
import { linkSchemesFault, MAX_LINK_SCHEMES } from "@belfry/contracts/message-links";
import { NO_TIME_ZONE, quietHoursOrNone, timeZoneName } from "@belfry/contracts/quiet-hours";
import type { Database } from "@belfry/database/connection";
import { type Static, Type } from "@sinclair/typebox";
import { sql } from "kysely";
import { type Given, optional } from "../act.ts";
import { invalid } from "../input-error.ts";

const MAX_PER_MINUTE = 1_000_000_000;
const MAX_DAILY_CAP = 2_000_000_000;
/** 1 TiB. The table `tenants` has the same bound. */
const MAX_ATTACHMENT_MIB = 1_048_576;
const MAX_WEBHOOK_SECRET_CHARACTERS = 1024;
/** The table `tenants` has the same bound. */
const MAX_RETENTION_DAYS = 3650;

const retentionDays = (description: string) =>
  optional(orNull(integer({ minimum: 1, maximum: MAX_RETENTION_DAYS }, { description })));

export const tenantName = field<string>(
  { type: "string", description: "its name, 1 to 255 characters" },
  (value) => {
    if (typeof value !== "string") return "must be a string";
    return textFault(value) ?? (value.trim() === "" ? "should not be empty" : undefined);
  },
);

/** Input field of the secret that signs a tenant's triggers. The tenant or the operator chooses it. */
export const webhookSecret = field<string>(
  { type: "string", description: "one line of text with which every trigger must be signed" },
  (secret) => {
    if (typeof secret !== "string") return "must be a string";
    if (secret.length === 0) return "should not be empty";
    if (secret.length > MAX_WEBHOOK_SECRET_CHARACTERS) {
      return `must be at most ${MAX_WEBHOOK_SECRET_CHARACTERS} characters`;
    }
    const isPlain = !/[\p{Cc}\p{Cs}]/u.test(secret);
    return isPlain ? undefined : "must be one line without control characters";
  },
);

/**
 * The settings of a tenant that an operator may change. If one is left out, it stays, or gets the default in a new
 * tenant.
 */
export const tenantSettings = {
  perMinute: optional(
    integer({ minimum: 0, maximum: MAX_PER_MINUTE }),
    "triggers admitted in any 60 s",
  ),
  dailyCap: optional(
    orNull(integer({ minimum: 0, maximum: MAX_DAILY_CAP })),
    "events accepted per UTC day",
  ),
  deliveryChannels: optional(
    field<readonly Channel[]>(
      {
        type: "array",
        items: { type: "string", enum: [...CHANNELS] },
        description: `channels it may use, as ${CHANNELS[0]},${CHANNELS.at(-1)}; empty: all`,
      },
      (channels) =>
        Array.isArray(channels) && channels.every(isChannel)
          ? undefined
          : `must be of ${listed(CHANNELS, "and")}`,
    ),
  ),
  dedupIncludesVariables: optional(
    flag(),
    "variables count for the automatic dedup key; they do not by default",
  ),
  allowExecutables: optional(
    flag(),
    "programs may be uploaded as attachments of its mails; they may not by default",
  ),
  browserDevices: optional(
    flag(),
    "pages may register their browser for device push with a realtime token; they may not by default",
  ),
  maxAttachmentMib: optional(
    integer({ minimum: 0, maximum: MAX_ATTACHMENT_MIB }),
    "MiB that all attachments of its events may take together; default: 5120",
  ),
  eventRetentionDays: retentionDays(
    "keep events and their deliveries so many days, 1 to 3650; default: as the installation",
  ),
  notificationRetentionDays: retentionDays("the same for the in-app history"),
  defaultLocale: optional(
    field<string>(
      {
        type: "string",
        description:
          "how templates without a language write dates, numbers and money, as en or de-AT",
      },
      (text) => {
        const locale = typeof text === "string" ? canonicalLocale(text) : undefined;
        if (locale === undefined) return NO_LOCALE;
        const isKnown = Intl.NumberFormat.supportedLocalesOf(locale).length > 0;
        return isKnown ? undefined : "must be a language that is known here";
      },
    ),
  ),
  timezone: optional(
    orNull(
      field<string>(
        { type: "string", description: "IANA name, as Europe/Berlin, for dates; none: UTC" },
        (text) =>
          typeof text === "string" && timeZoneName(text) !== undefined ? undefined : NO_TIME_ZONE,
      ),
    ),
  ),
  quietHours: optional(
    quietHoursOrNone("as 22:00-06:00: of users without their own, by the clock of their zone"),
  ),
  linkSchemes: optional(
    field<readonly string[]>(
      {
        type: "array",
        items: { type: "string" },
        maxItems: MAX_LINK_SCHEMES,
        description: "schemes of deep links that its mails may lead to, as myapp,shop",
      },
      (schemes) =>
        Array.isArray(schemes) && schemes.every((scheme) => typeof scheme === "string")
          ? linkSchemesFault(schemes)
          : "must be an array of strings",
    ),
  ),
};

const Settings = Type.Object({
  ...tenantSettings,
  name: optional(tenantName),
  webhookSecret: optional(orNull(webhookSecret)),
});
export type TenantInput = Given<Static<typeof Settings>>;

/** Throws `InvalidInput` for a zone that `hasTimeZone` refuses. */
export async function requireTimeZone(db: Database, name: string): Promise<void> {
  if (!(await hasTimeZone(db, name))) throw invalid("timezone", NO_TIME_ZONE);
}

/**
 * Whether Postgres has a zone of this name. Postgres computes with zones too, and knows fewer names than Intl. For
 * example, `IST` is a zone in Intl, but in Postgres only an abbreviation of another zone.
 */
export async function hasTimeZone(db: Database, name: string): Promise<boolean> {
  knownNames ??= await readNames(db);
  return knownNames.has(name.toLowerCase());
}

/** Read once per process, because Postgres reads a file for each zone to list them. */
let knownNames: Set<string> | undefined;

async function readNames(db: Database): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    select lower(name) as name from pg_timezone_names`.execute(db);
  return new Set(rows.map(({ name }) => name));
}
