import { Command } from "commander";
import { auditedCommand } from "./audited-command.ts";
import { integerValue } from "./flag-values.ts";
import { printJson } from "./output.ts";
import { withDatabase } from "./session.ts";

interface Flags {
  tenant: string;
  id: string;
}

export function digestCommand(): Command {
  const digest = new Command("digest").description("Messages that combine several events");
  digest
    .command("list")
    .description(
      "A tenant's open digests, the next one first: until when, and with how many events",
    )
    .requiredOption("--tenant <id>", "the tenant's id")
    .option("--limit <n>", "how many at most; default: 1,000", integerValue)
    .action(({ tenant, limit }: { tenant: string; limit?: number }) =>
      withDatabase(async ({ db }) => {
        const { listDigests } = await import("@belfry/administration/events/digests");
        await printJson(await listDigests(db, tenant, limit));
      }),
    );
  named(digest.command("show"))
    .description("One digest, open or not, with the ids of its oldest 100 events")
    .action(({ tenant, id }: Flags) =>
      withDatabase(async ({ db }) => {
        const { showDigest } = await import("@belfry/administration/events/digests");
        await printJson(await showDigest(db, tenant, id));
      }),
    );
  named(digest.command("release"))
    .description("Send an open digest now; quiet hours still apply")
    .action(({ tenant, id }: Flags) =>
      withDatabase(async ({ db }) => {
        const { releaseDigest, releaseNote } = await import(
          "@belfry/administration/events/digests"
        );
        const released = await auditedCommand(
          db,
          (transaction) => releaseDigest(transaction, tenant, id),
          (one) => releaseNote(tenant, one),
        );
        await printJson(released);
      }),
    );
  return digest;
}

function named(command: Command): Command {
  return command
    .requiredOption("--tenant <id>", "the tenant's id")
    .requiredOption("--id <id>", "the digest's id, as in the list or in an event's report");
}
