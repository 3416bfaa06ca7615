import type { ProviderAddress } from "@belfry/administration/providers/providers";
import { listed, PROVIDER_CHANNELS, type ProviderChannel } from "@belfry/contracts/channels";
import { Command } from "commander";
import { auditedCommand } from "./audited-command.ts";
import { CommandError } from "./command-error.ts";
import { commandLineActor } from "./command-line-actor.ts";
import {
  ANY_PROVIDER_CHANNEL,
  integerOrNone,
  integerValue,
  providerChannelValue,
} from "./flag-values.ts";
import { readJsonInput } from "./input-file.ts";
import { printJson } from "./output.ts";
import { type Session, withDatabase } from "./session.ts";

interface AddressFlags {
  tenant?: string;
  channel?: ProviderChannel;
  kind?: string;
  name?: string;
}

interface PutFlags {
  tenant: string;
  channel: ProviderChannel;
  kind: string;
  settingsFile: string;
  name?: string;
  position?: number;
  maxPerSecond?: number | "none";
  inactive?: boolean;
}

export function providerCommand(): Command {
  const provider = new Command("provider").description(
    `A tenant's accounts at the companies that send its ${listed(PROVIDER_CHANNELS, "and")}`,
  );

  provider
    .command("put")
    .description("Check the settings and store them encrypted; a new one goes before the others")
    .requiredOption("--tenant <id>", "the tenant's id")
    .requiredOption("--channel <channel>", ANY_PROVIDER_CHANNEL, providerChannelValue)
    .requiredOption("--kind <kind>", "as sandbox, sendgrid, vonage")
    .requiredOption("--settings-file <file>", "a JSON object, or - for standard input")
    .option("--name <name>", "name of the account; default: its kind")
    .option("--position <n>", "from 0: the order in which they are used", integerValue)
    .option("--max-per-second <n>", "calls, over all replicas; or none", integerOrNone)
    .option("--inactive", "store without using it")
    .action((flags: PutFlags) =>
      run(async (session, providers) => {
        const { tenant, channel, kind, name, position, settingsFile, inactive } = flags;
        const maxPerSecond = flags.maxPerSecond === "none" ? null : flags.maxPerSecond;
        const settings = await readJsonInput("--settings-file", settingsFile);
        const input = {
          ...{ tenantId: tenant, channel, kind, name, position, maxPerSecond, settings },
          active: inactive !== true,
        };
        const options = await putOptions(session);
        const { providerSaved } = await notesOf();
        const { after } = await auditedCommand(
          session.db,
          async (transaction) => {
            const all = await providers.listProviders(transaction, tenant);
            const before = all.find(
              (one) => one.channel === channel && one.name === (name ?? kind),
            );
            return { before, after: await providers.putProvider(transaction, input, options) };
          },
          (change) => providerSaved(change.before, change.after),
        );
        return after;
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
        run(async ({ db }, providers) =>
          auditedCommand(
            db,
            (transaction) => providers.setProviderActive(transaction, addressOf(id, flags), active),
            (await notesOf()).providerActivated,
          ),
        ),
      );
  }

  addressFlags(provider.command("make-first [id]"))
    .description(
      "Send through it before all others from now on; one that is not in use must have passed a test",
    )
    .action((id: string | undefined, flags: AddressFlags) =>
      run(async ({ db }, providers) => {
        const { useProvider } = await import("@belfry/administration/providers/use-provider");
        const { providerMadeFirst } = await notesOf();
        const { after } = await auditedCommand(
          db,
          async (transaction) => {
            const before = await providers.showProvider(transaction, addressOf(id, flags));
            return { before, after: await useProvider(transaction, before, { first: true }) };
          },
          (change) => providerMadeFirst(change.before, change.after),
        );
        return after;
      }),
    );

  addressFlags(provider.command("rename [id]"))
    .description("Rename it; its settings and history stay")
    .requiredOption("--new-name <name>", "that no other on the channel has")
    .action((id: string | undefined, flags: AddressFlags & { newName: string }) =>
      run(async ({ db }, providers) => {
        const { renameProvider } = await import("@belfry/administration/providers/rename-provider");
        const { providerSaved } = await notesOf();
        const { after } = await auditedCommand(
          db,
          async (transaction) => {
            const before = await providers.showProvider(transaction, addressOf(id, flags));
            const { newName } = flags;
            return { before, after: await renameProvider(transaction, before, newName) };
          },
          (change) => providerSaved(change.before, change.after),
        );
        return after;
      }),
    );

  addressFlags(provider.command("test [id]"))
    .description(
      "Send one message of ours through it, active or not; prints the vendor's answer and notes whether it was accepted",
    )
    .requiredOption("--to <address>", "an email address, or a number such as +12025550123")
    .action((id: string | undefined, flags: AddressFlags & { to: string }) =>
      run(async (session, providers) => {
        const { sendProviderTest } = await import("@belfry/administration/templates/send-test");
        const { db } = session;
        const found = await providers.showProvider(db, addressOf(id, flags));
        const options = await putOptions(session);
        const { auditedAfter } = await import("@belfry/administration/audited");
        const { providerTested } = await notesOf();
        const { provider, outcome } = await auditedAfter(
          db,
          commandLineActor(),
          () => sendProviderTest(db, found, flags.to, options),
          (result) => providerTested(found, result.outcome),
        );
        return { providerId: provider.id, kind: provider.kind, name: provider.name, ...outcome };
      }),
    );

  addressFlags(provider.command("delete [id]"))
    .description("Delete it with its settings; prints it as it was")
    .action((id: string | undefined, flags: AddressFlags) =>
      run(async ({ db }, providers) =>
        auditedCommand(
          db,
          (transaction) => providers.deleteProvider(transaction, addressOf(id, flags)),
          (await notesOf()).providerDeleted,
        ),
      ),
    );

  return provider;
}

async function putOptions(session: Session) {
  return {
    keys: await session.keys(),
    allowPrivateAddresses: await session.allowPrivateAddresses(),
  };
}

async function notesOf() {
  return await import("@belfry/administration/providers/provider-notes");
}

type Providers = typeof import("@belfry/administration/providers/providers");

async function run(work: (session: Session, providers: Providers) => Promise<unknown>) {
  await withDatabase(async (session) => {
    await printJson(
      await work(session, await import("@belfry/administration/providers/providers")),
    );
  });
}

function addressFlags(command: Command): Command {
  return command
    .option("--tenant <id>", "the tenant's id")
    .option("--channel <channel>", ANY_PROVIDER_CHANNEL, providerChannelValue)
    .option("--kind <kind>", "where the tenant has several on the channel")
    .option("--name <name>", "where it has several of one kind");
}

function addressOf(id: string | undefined, flags: AddressFlags): ProviderAddress {
  const { tenant, channel, kind, name } = flags;
  if (id !== undefined) return { id, ...(tenant === undefined ? {} : { tenantId: tenant }) };
  if (tenant === undefined) throw new CommandError("--tenant is required (or the provider's ID)");
  if (channel === undefined) throw new CommandError("--channel is required");
  return { tenantId: tenant, channel, kind, name };
}
