import {
  CHANNELS,
  type Channel,
  isChannel,
  isProviderChannel,
  listed,
  PROVIDER_CHANNELS,
  type ProviderChannel,
} from "@belfry/contracts/channels";
import { type QuietHours, quietHoursFault } from "@belfry/contracts/quiet-hours";
import { InvalidArgumentError } from "commander";

/** Lists of channels for the flags' help. */
export const ANY_CHANNEL = listed(CHANNELS, "or");
export const ANY_PROVIDER_CHANNEL = listed(PROVIDER_CHANNELS, "or");

// Parsers of flag values. Commander puts the flag's name in front of their error messages.

export function integerValue(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return Number(text);
}

/** Parses a number for a flag that also accepts a word. */
export function integerOrWord(text: string, word: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError(`It must be a whole number, or ${word}.`);
}

/** Parses a number or `none`. Returns `none` unchanged, because commander treats null as a missing value. */
export function integerOrNone(text: string): number | "none" {
  return text === "none" ? text : integerOrWord(text, "none");
}

export function channelValue(text: string): Channel {
  if (!isChannel(text)) throw new InvalidArgumentError(`It must be ${ANY_CHANNEL}.`);
  return text;
}

export function providerChannelValue(text: string): ProviderChannel {
  if (!isProviderChannel(text)) {
    throw new InvalidArgumentError(`It must be ${ANY_PROVIDER_CHANNEL}.`);
  }
  return text;
}

/** Reads quiet hours such as 22:00-06:00. */
export function quietHoursValue(text: string): QuietHours {
  const [from = "", to = "", ...rest] = text.split("-");
  const fault = rest.length > 0 ? "one - too many" : quietHoursFault({ from, to });
  if (fault === undefined) return { from, to };
  throw new InvalidArgumentError("It must be two different times, as 22:00-06:00, or none.");
}

const UNITS_MS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Parses a time, either a moment or a time before now such as 24h. */
export function timeValue(text: string): Date {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) {
    return new Date(Date.now() - Number(count) * (UNITS_MS[unit] ?? 0));
  }
  const time = new Date(/^\d{4}-\d\d-\d\d/.test(text) ? text : Number.NaN);
  if (Number.isNaN(time.getTime())) {
    throw new InvalidArgumentError(
      "It must be a time such as 2026-11-20T12:00:00Z, or 30m, 24h, 7d.",
    );
  }
  return time;
}
