import { type ProviderAddress, providerAt } from "@belfry/administration/providers/providers";
import type { ProviderChannel } from "@belfry/contracts/channels";
import type { Command } from "commander";
import type { Flags, OwnPart } from "./act-command.ts";
import { CommandError } from "./command-error.ts";
import { ANY_PROVIDER_CHANNEL, providerChannelValue } from "./flag-values.ts";

interface AddressFlags {
  tenant?: string;
  channel?: ProviderChannel;
  kind?: string;
  name?: string;
}

/** An account by its id alone, or by the flags. */
const ADDRESSED: OwnPart = {
  fields: ["id"],
  define: (command) =>
    void command
      .argument("[id]", "the account's id, as in the list")
      .option("--tenant <id>", "the tenant's id")
      .option("--channel <channel>", ANY_PROVIDER_CHANNEL, providerChannelValue)
      .option("--kind <kind>", "where the tenant has several on the channel")
      .option("--name <name>", "where it has several of one kind"),
  async input(flags, { db }, [given]) {
    const { id, tenantId } = await providerAt(db, addressOf(given, flags as AddressFlags));
    return { id, tenantId };
  },
};

const untestedToo = (command: Command, verb: string) =>
  command.addHelpText(
    "after",
    `\nBy this command it is ${verb} even without a test: see provider test.`,
  );

export const parts: Readonly<Record<string, OwnPart>> = {
  "provider put": {
    fields: ["active", "untested"],
    define: (command) =>
      void untestedToo(command, "used").option("--inactive", "store without using it"),
    input: async ({ inactive }: Flags) => ({ active: inactive !== true, untested: true }),
  },
  "provider show": ADDRESSED,
  "provider rename": ADDRESSED,
  "provider test": ADDRESSED,
  "provider delete": ADDRESSED,
  "provider activate": {
    fields: ["id", "untested"],
    define(command) {
      ADDRESSED.define?.(untestedToo(command, "activated"));
    },
    input: async (...given) => ({ ...(await ADDRESSED.input?.(...given)), untested: true }),
  },
  "provider deactivate": ADDRESSED,
  "provider make-first": ADDRESSED,
  "provider move-up": ADDRESSED,
};

function addressOf(id: string | undefined, flags: AddressFlags): ProviderAddress {
  const { tenant, channel, kind, name } = flags;
  if (id !== undefined) return { id, ...(tenant === undefined ? {} : { tenantId: tenant }) };
  if (tenant === undefined) throw new CommandError("--tenant is required (or the provider's ID)");
  if (channel === undefined) throw new CommandError("--channel is required");
  return { tenantId: tenant, channel, kind, name };
}
