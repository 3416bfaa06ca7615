import { ADDRESSES } from "@belfry/contracts/addresses";
import type { ProviderChannel } from "@belfry/contracts/channels";
import { Command } from "commander";
import { auditedCommand } from "./audited-command.ts";
import { CommandError } from "./command-error.ts";
import { ANY_PROVIDER_CHANNEL, providerChannelValue } from "./flag-values.ts";
import { openInput, readInput } from "./input-file.ts";
import { printJson, printJsonPages } from "./output.ts";
import { withDatabase } from "./session.ts";

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

export function suppressionCommand(): Command {
  const suppression = new Command("suppression").description(
    "Addresses to which a tenant sends nothing: bounces, complaints, opt-outs, or by hand",
  );

  suppression
    .command("list")
    .description("A tenant's suppressed addresses, each with the reason")
    .requiredOption("--tenant <id>", "the tenant's id")
    .option("--channel <channel>", ANY_PROVIDER_CHANNEL, providerChannelValue)
    .action((flags: { tenant: string; channel?: ProviderChannel }) =>
      withDatabase(async ({ db }) => {
        const { suppressionPages } = await import("@belfry/administration/events/suppressions");
        const { tenant, channel } = flags;
        await printJsonPages(suppressionPages(db, { tenantId: tenant, channel }));
      }),
    );

  for (const [name, work, description] of [
    ["add", "addSuppressions", "Send nothing to these addresses from now on"],
    ["remove", "removeSuppressions", "These addresses may be sent to again"],
  ] as const) {
    suppression
      .command(name)
      .description(description)
      .requiredOption("--tenant <id>", "the tenant's id")
      .requiredOption("--channel <channel>", ANY_PROVIDER_CHANNEL, providerChannelValue)
      .option("--address <address>", ADDRESS_FORMS)
      .option("--address-file <file>", "one address a line, or - for standard input")
      .action((flags: AddressFlags) =>
        withDatabase(async ({ db }) => {
          const suppressions = await import("@belfry/administration/events/suppressions");
          const { tenant, channel } = flags;
          const addresses = await addressesOf(flags);
          const { suppressionNote } = await import(
            "@belfry/administration/events/suppression-note"
          );
          const changed = await auditedCommand<object>(
            db,
            (transaction) =>
              suppressions[work](transaction, { tenantId: tenant, channel, addresses }),
            (result) => suppressionNote(name, tenant, channel, addresses, result),
          );
          await printJson(changed);
        }),
      );
  }

  suppression
    .command("import")
    .description(
      "Send nothing to the addresses of a file: one a line, or the first column of a CSV; all of it, or nothing",
    )
    .requiredOption("--tenant <id>", "the tenant's id")
    .requiredOption("--channel <channel>", ANY_PROVIDER_CHANNEL, providerChannelValue)
    .requiredOption("--file <file>", "or - for standard input")
    .option("--leave-out-bad", "leave bad lines out, name them, and take the others")
    .action(({ file, tenant, channel, leaveOutBad }: ImportFlags) =>
      withDatabase(async ({ db }) => {
        const { importSuppressions, suppressionsImported } = await import(
          "@belfry/administration/events/import-suppressions"
        );
        const input = { tenantId: tenant, channel, leaveOutBad };
        await using opened = await openInput("--file", file);
        const done = await auditedCommand(
          db,
          (transaction) => importSuppressions(transaction, input, opened.bytes),
          (result) => suppressionsImported(input, result),
        );
        await printJson(done);
      }),
    );

  return suppression;
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
