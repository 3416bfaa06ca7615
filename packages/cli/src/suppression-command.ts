import { importSuppressions } from "@belfry/administration/events/import-suppressions";
import { suppressionNote } from "@belfry/administration/events/suppression-note";
import {
  addSuppressions,
  removeSuppressions,
  suppressionPages,
} from "@belfry/administration/events/suppressions";
import { ADDRESSES } from "@belfry/contracts/addresses";
import type { ProviderChannel } from "@belfry/contracts/channels";
import type { Command } from "commander";
import { CommandError } from "./command-error.ts";
import { ANY_PROVIDER_CHANNEL, providerChannelValue } from "./flag-values.ts";
import { openInput, readInput } from "./input-file.ts";
import { printJsonPages } from "./output.ts";
import { onDatabase } from "./session.ts";

interface AddressFlags {
  tenant: string;
  channel: ProviderChannel;
  address?: string;
  addressFile?: string;
}

interface ImportFlags {
  tenant: string;
  channel: ProviderChannel;
  file: string;
  leaveOutBad?: boolean;
}

const ADDRESS_FORMS = Object.values(ADDRESSES)
  .map(({ form }) => form)
  .join(", or ");

export function define(suppression: Command): void {
  suppression
    .command("list")
    .description("A tenant's suppressed addresses, each with the reason")
    .requiredOption("--tenant <id>", "the tenant's id")
    .option("--channel <channel>", ANY_PROVIDER_CHANNEL, providerChannelValue)
    .action(
      onDatabase(async ({ db }, flags: { tenant: string; channel?: ProviderChannel }) => {
        const { tenant, channel } = flags;
        await printJsonPages(suppressionPages(db, { tenantId: tenant, channel }));
      }),
    );

  for (const [name, work, description] of [
    ["add", addSuppressions, "Send nothing to these addresses from now on"],
    ["remove", removeSuppressions, "These addresses may be sent to again"],
  ] as const) {
    suppression
      .command(name)
      .description(description)
      .requiredOption("--tenant <id>", "the tenant's id")
      .requiredOption("--channel <channel>", ANY_PROVIDER_CHANNEL, providerChannelValue)
      .option("--address <address>", ADDRESS_FORMS)
      .option("--address-file <file>", "one address a line, or - for standard input")
      .action(
        onDatabase(async ({ audited }, flags: AddressFlags) => {
          const { tenant, channel } = flags;
          const addresses = await addressesOf(flags);
          return await audited<object>(
            (transaction) => work(transaction, { tenantId: tenant, channel, addresses }),
            (result) => suppressionNote(name, tenant, channel, addresses, result),
          );
        }),
      );
  }

  suppression
    .command("import")
    .description(
      "Send nothing to the addresses of a file: one a line, or the column of a CSV that its heading names; a bad line refuses the whole file",
    )
    .requiredOption("--tenant <id>", "the tenant's id")
    .requiredOption("--channel <channel>", ANY_PROVIDER_CHANNEL, providerChannelValue)
    .requiredOption("--file <file>", "or - for standard input")
    .option("--leave-out-bad", "leave bad lines out, name them, and take the others")
    .action(
      onDatabase(async ({ db, audited }, { file, tenant, channel, leaveOutBad }: ImportFlags) => {
        const input = { tenantId: tenant, channel, leaveOutBad };
        await using opened = await openInput("--file", file);
        return await importSuppressions(db, audited, input, opened.bytes);
      }),
    );
}

async function addressesOf({ address, addressFile }: AddressFlags): Promise<string[]> {
  if (address !== undefined && addressFile === undefined) return [address];
  if (address !== undefined || addressFile === undefined) {
    throw new CommandError("--address: give --address or --address-file");
  }
  const text = await readInput("--address-file", addressFile);
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "");
}
