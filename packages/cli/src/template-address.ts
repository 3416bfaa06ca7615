import type { TemplateAddress } from "@belfry/administration/templates/templates";
import type { Channel } from "@belfry/contracts/channels";
import { canonicalLocale, NO_LOCALE } from "@belfry/contracts/locale";
import { type Command, InvalidArgumentError } from "commander";
import { CommandError } from "./command-error.ts";
import { ANY_CHANNEL, channelValue } from "./flag-values.ts";

export interface AddressFlags {
  tenant?: string;
  eventType?: string;
  channel?: Channel;
}

export const TENANT = "the tenant's id; platform for global.*";

/** A template by its id, or by what it is for. */
export function addressFlags(command: Command): Command {
  return command
    .option("--tenant <id>", TENANT)
    .option("--event-type <type>", "the template's event type")
    .option("--channel <channel>", ANY_CHANNEL, channelValue);
}

export function localeFlag(command: Command): Command {
  return command.option(
    "--locale <locale>",
    "a language of it, as de or de-AT; default: the variant without one",
    localeValue,
  );
}

export function localeValue(text: string): string {
  const locale = canonicalLocale(text);
  if (locale === undefined) throw new InvalidArgumentError(`It ${NO_LOCALE}.`);
  return locale;
}

export function addressOf(id: string | undefined, flags: AddressFlags): TemplateAddress {
  const { tenant, eventType, channel } = flags;
  if (id !== undefined) return { id, ...(tenant === undefined ? {} : { tenantId: tenant }) };
  if (tenant === undefined) throw new CommandError("--tenant is required (or the template's ID)");
  if (eventType === undefined) throw new CommandError("--event-type is required");
  if (channel === undefined) throw new CommandError("--channel is required");
  return { tenantId: tenant, eventType, channel };
}
