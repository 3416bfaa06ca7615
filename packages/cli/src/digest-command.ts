import {
  listDigests,
  releaseDigest,
  releaseNote,
  showDigest,
} from "@belfry/administration/events/digests";
import type { Command } from "commander";
import { integerValue } from "./flag-values.ts";
import { onDatabase } from "./session.ts";

interface Flags {
  tenant: string;
  id: string;
}

export function define(digest: Command): void {
  digest
    .command("list")
    .description(
      "A tenant's open digests, the next one first: until when, and with how many events",
    )
    .requiredOption("--tenant <id>", "the tenant's id")
    .option("--limit <n>", "how many at most; default: 1,000", integerValue)
    .action(
      onDatabase(({ db }, { tenant, limit }: { tenant: string; limit?: number }) =>
        listDigests(db, tenant, limit),
      ),
    );
  named(digest.command("show"))
    .description("One digest, open or not, with the ids of its oldest 100 events")
    .action(onDatabase(({ db }, { tenant, id }: Flags) => showDigest(db, tenant, id)));
  named(digest.command("release"))
    .description("Send an open digest now; quiet hours still apply")
    .action(
      onDatabase(({ audited }, { tenant, id }: Flags) =>
        audited(
          (transaction) => releaseDigest(transaction, tenant, id),
          (one) => releaseNote(tenant, one),
        ),
      ),
    );
}

function named(command: Command): Command {
  return command
    .requiredOption("--tenant <id>", "the tenant's id")
    .requiredOption("--id <id>", "the digest's id, as in the list or in an event's report");
}
