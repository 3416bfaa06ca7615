import type { ProviderAddress } from "@belfry/administration/providers";
import type { ProviderChannel } from "@belfry/contracts/channels";
import { Command } from "commander";
import { CommandError } from "./command-error.ts";
import { providerChannelValue } from "./flag-values.ts";
import { readJsonInput } from "./input-file.ts";
import { printJson } from "./output.ts";
import { type Session, withDatabase } from "./session.ts";

interface AddressFlags {
  tenant?: string;
  channel?: ProviderChannel;
  kind?: string;
}

interface PutFlags {
  tenant: string;
  channel: ProviderChannel;
  kind: string;
  settingsFile: string;
  inactive?: boolean;
}

export function providerCommand(): Command {
  const provider = new Command("provider").description(
    "A tenant's accounts at the companies that send its EMAIL and SMS",
  );

  provider
    .command("put")
    .description("Check the settings and store them encrypted; a new kind goes before the others")
    .requiredOption("--tenant <id>", "the tenant's id")
    .requiredOption("--channel <channel>", "EMAIL or SMS", providerChannelValue)
    .requiredOption("--kind <kind>", "as sandbox, sendgrid, vonage")
    .requiredOption("--settings-file <file>", "a JSON object, or - for standard input")
    .option("--inactive", "store without using it")
    .action((flags: PutFlags) =>
      run(async (session, providers) => {
        const { tenant, channel, kind, settingsFile, inactive } = flags;
        const settings = await readJsonInput("--settings-file", settingsFile);
        return await providers.putProvider(
          session.db,
          { tenantId: tenant, channel, kind, settings, active: inactive !== true },
          {
            keys: await session.keys(),
            allowPrivateAddresses: await session.allowPrivateAddresses(),
          },
        );
      }),
    );

  provider
    .command("list")
    .description("A tenant's providers in the order of use, secrets masked")
    .requiredOption("--tenant <id>", "the tenant's id")
    .action((flags: { tenant: string }) =>
      run(({ db }, providers) => providers.listProviders(db, flags.tenant)),
    );

  addressFlags(provider.command("show [id]"))
    .description("One provider, by its id or by the flags, secrets masked")
    .action((id: string | undefined, flags: AddressFlags) =>
      run(({ db }, providers) => providers.showProvider(db, addressOf(id, flags))),
    );

  for (const [name, active, description] of [
    ["activate", true, "Send through it from now on"],
    ["deactivate", false, "Send nothing through it from now on"],
  ] as const) {
    addressFlags(provider.command(`${name} [id]`))
      .description(description)
      .action((id: string | undefined, flags: AddressFlags) =>
        run(({ db }, providers) => providers.setProviderActive(db, addressOf(id, flags), active)),
      );
  }

  addressFlags(provider.command("delete [id]"))
    .description("Delete it with its settings; prints it as it was")
    .action((id: string | undefined, flags: AddressFlags) =>
      run(({ db }, providers) => providers.deleteProvider(db, addressOf(id, flags))),
    );

  return provider;
}

type Providers = typeof import("@belfry/administration/providers");

async function run(work: (session: Session, providers: Providers) => Promise<unknown>) {
  await withDatabase(async (session) => {
    await printJson(await work(session, await import("@belfry/administration/providers")));
  });
}

function addressFlags(command: Command): Command {
  return command
    .option("--tenant <id>", "the tenant's id")
    .option("--channel <channel>", "EMAIL or SMS", providerChannelValue)
    .option("--kind <kind>", "where the tenant has several on the channel");
}

function addressOf(id: string | undefined, flags: AddressFlags): ProviderAddress {
  const { tenant, channel, kind } = flags;
  if (id !== undefined) return { id, ...(tenant === undefined ? {} : { tenantId: tenant }) };
  if (tenant === undefined) throw new CommandError("--tenant is required (or the provider's ID)");
  if (channel === undefined) throw new CommandError("--channel is required");
  return { tenantId: tenant, channel, kind };
}
