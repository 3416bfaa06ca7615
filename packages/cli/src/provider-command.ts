import { auditedAfter } from "@belfry/administration/audited";
import {
  providerActivated,
  providerDeleted,
  providerMadeFirst,
  providerSaved,
  providerTested,
} from "@belfry/administration/providers/provider-notes";
import {
  deleteProvider,
  listProviders,
  type ProviderAddress,
  putProvider,
  setProviderActive,
  showProvider,
} from "@belfry/administration/providers/providers";
import { renameProvider } from "@belfry/administration/providers/rename-provider";
import { useProvider } from "@belfry/administration/providers/use-provider";
import { sendProviderTest } from "@belfry/administration/templates/send-test";
import type { ProviderChannel } from "@belfry/contracts/channels";
import type { Command } from "commander";
import { CommandError } from "./command-error.ts";
import { commandLineActor } from "./command-line-actor.ts";
import {
  ANY_PROVIDER_CHANNEL,
  integerOrNone,
  integerValue,
  providerChannelValue,
} from "./flag-values.ts";
import { readJsonInput } from "./input-file.ts";
import { onDatabase, type Session } from "./session.ts";

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

export function define(provider: Command): void {
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
    .action(
      onDatabase(async (session, flags: PutFlags) => {
        const { tenant, channel, kind, name, position, settingsFile, inactive } = flags;
        const maxPerSecond = flags.maxPerSecond === "none" ? null : flags.maxPerSecond;
        const settings = await readJsonInput("--settings-file", settingsFile);
        const input = {
          ...{ tenantId: tenant, channel, kind, name, position, maxPerSecond, settings },
          active: inactive !== true,
        };
        const options = await putOptions(session);
        const { after } = await session.audited(
          async (transaction) => {
            const all = await listProviders(transaction, tenant);
            const before = all.find(
              (one) => one.channel === channel && one.name === (name ?? kind),
            );
            return { before, after: await putProvider(transaction, input, options) };
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
    .action(onDatabase(({ db }, flags: { tenant: string }) => listProviders(db, flags.tenant)));

  addressFlags(provider.command("show [id]"))
    .description("One provider, by its id or by the flags, secrets masked")
    .action(
      onDatabase(({ db }, id: string | undefined, flags: AddressFlags) =>
        showProvider(db, addressOf(id, flags)),
      ),
    );

  for (const [name, active, description] of [
    ["activate", true, "Send through it from now on"],
    ["deactivate", false, "Send nothing through it from now on"],
  ] as const) {
    addressFlags(provider.command(`${name} [id]`))
      .description(description)
      .action(
        onDatabase(({ audited }, id: string | undefined, flags: AddressFlags) =>
          audited(
            (transaction) => setProviderActive(transaction, addressOf(id, flags), active),
            providerActivated,
          ),
        ),
      );
  }

  addressFlags(provider.command("make-first [id]"))
    .description(
      "Send through it before all others from now on; one that is not in use must have passed a test",
    )
    .action(
      onDatabase(async ({ audited }, id: string | undefined, flags: AddressFlags) => {
        const { after } = await audited(
          async (transaction) => {
            const before = await showProvider(transaction, addressOf(id, flags));
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
    .action(
      onDatabase(
        async ({ audited }, id: string | undefined, flags: AddressFlags & { newName: string }) => {
          const { after } = await audited(
            async (transaction) => {
              const before = await showProvider(transaction, addressOf(id, flags));
              const { newName } = flags;
              return { before, after: await renameProvider(transaction, before, newName) };
            },
            (change) => providerSaved(change.before, change.after),
          );
          return after;
        },
      ),
    );

  addressFlags(provider.command("test [id]"))
    .description(
      "Send one message of ours through it, active or not; prints the vendor's answer and notes whether it was accepted",
    )
    .requiredOption("--to <address>", "an email address, or a number such as +12025550123")
    .action(
      onDatabase(async (session, id: string | undefined, flags: AddressFlags & { to: string }) => {
        const { db } = session;
        const found = await showProvider(db, addressOf(id, flags));
        const options = await putOptions(session);
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
    .action(
      onDatabase(({ audited }, id: string | undefined, flags: AddressFlags) =>
        audited(
          (transaction) => deleteProvider(transaction, addressOf(id, flags)),
          providerDeleted,
        ),
      ),
    );
}

async function putOptions(session: Session) {
  return {
    keys: await session.keys(),
    allowPrivateAddresses: await session.allowPrivateAddresses(),
  };
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
