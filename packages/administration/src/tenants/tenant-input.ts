import { CHANNELS, type Channel, isChannel, listed } from "@belfry/contracts/channels";
import { textFault } from "@belfry/contracts/identifiers";
import { linkSchemesFault } from "@belfry/contracts/link-schemes";
import { canonicalLocale, NO_LOCALE } from "@belfry/contracts/locale";
import { type QuietHours, quietHoursFault } from "@belfry/contracts/quiet-hours";
import type { InputFault } from "../input-error.ts";
import { faultAt, integerFault } from "../input-error.ts";
import { timeZoneFault } from "./time-zone.ts";

/** What an operator says of a tenant; what is absent keeps its value, or its default for a new one. */
export interface TenantInput {
  /** 1–255 characters. */
  name?: string | undefined;
  /** Triggers in any 60 seconds. */
  perMinute?: number | undefined;
  /** Accepted events per UTC day; null: no cap. */
  dailyCap?: number | null | undefined;
  /** Empty: all channels. */
  deliveryChannels?: readonly Channel[] | undefined;
  dedupIncludesVariables?: boolean | undefined;
  /** 1–1024 visible characters or spaces; null: triggers need no signature. */
  webhookSecret?: string | null | undefined;
  /** Of events with their deliveries, attempts and receipts, 1–3650; null: as the installation keeps them. */
  eventRetentionDays?: number | null | undefined;
  /** Of the in-app history, 1–3650; null: as the installation keeps it. */
  notificationRetentionDays?: number | null | undefined;
  /** BCP 47: how the default variants of its templates write dates, numbers and money. `en` at first. */
  defaultLocale?: string | undefined;
  /** IANA name; null: UTC. */
  timezone?: string | null | undefined;
  /** Of users without their own; null: none. */
  quietHours?: QuietHours | null | undefined;
  /** Of deep links, without the colon: at most 20. */
  linkSchemes?: readonly string[] | undefined;
}

const MAX_PER_MINUTE = 1_000_000_000;
const MAX_DAILY_CAP = 2_000_000_000;
const MAX_WEBHOOK_SECRET_CHARACTERS = 1024;
/** The table of tenants says the same. */
const MAX_RETENTION_DAYS = 3650;

export function tenantFaults(input: TenantInput): (InputFault | undefined)[] {
  return [
    nameFault(input.name),
    integerFault("perMinute", input.perMinute, 0, MAX_PER_MINUTE),
    integerFault("dailyCap", input.dailyCap, 0, MAX_DAILY_CAP),
    channelsFault(input.deliveryChannels),
    webhookSecretFault(input.webhookSecret ?? undefined),
    integerFault("eventRetentionDays", input.eventRetentionDays, 1, MAX_RETENTION_DAYS),
    integerFault(
      "notificationRetentionDays",
      input.notificationRetentionDays,
      1,
      MAX_RETENTION_DAYS,
    ),
    defaultLocaleFault(input.defaultLocale),
    timeZoneFault(input.timezone),
    quietFault(input.quietHours),
    faultAt("linkSchemes", input.linkSchemes && linkSchemesFault(input.linkSchemes)),
  ];
}

function nameFault(name: string | undefined): InputFault | undefined {
  if (name === undefined) return undefined;
  const fault = textFault(name) ?? (name.trim() === "" ? "should not be empty" : undefined);
  return faultAt("name", fault);
}

function channelsFault(channels: readonly unknown[] | undefined): InputFault | undefined {
  if (channels === undefined || channels.every(isChannel)) return undefined;
  return { field: "deliveryChannels", message: `must be of ${listed(CHANNELS, "and")}` };
}

function defaultLocaleFault(text: string | undefined): InputFault | undefined {
  if (text === undefined) return undefined;
  const field = "defaultLocale";
  const locale = canonicalLocale(text);
  if (locale === undefined) return { field, message: NO_LOCALE };
  if (Intl.NumberFormat.supportedLocalesOf(locale).length > 0) return undefined;
  return { field, message: "must be a language that is known here" };
}

function quietFault(hours: QuietHours | null | undefined): InputFault | undefined {
  return faultAt("quietHours", hours == null ? undefined : quietHoursFault(hours));
}

function webhookSecretFault(secret: string | undefined): InputFault | undefined {
  const field = "webhookSecret";
  if (secret === undefined) return undefined;
  if (secret.length === 0) return { field, message: "should not be empty" };
  if (secret.length > MAX_WEBHOOK_SECRET_CHARACTERS) {
    return { field, message: `must be at most ${MAX_WEBHOOK_SECRET_CHARACTERS} characters` };
  }
  if (/[\p{Cc}\p{Cs}]/u.test(secret)) {
    return { field, message: "must be one line without control characters" };
  }
  return undefined;
}
