import { showTenant } from "@belfry/administration/tenants/tenants";
import { listUsers } from "@belfry/administration/users/list-users";
import { saveUser } from "@belfry/administration/users/save-user";
import { showUser } from "@belfry/administration/users/users";
import { textFault } from "@belfry/contracts/identifiers";
import type { QuietHours } from "@belfry/contracts/quiet-hours";
import type { Command } from "commander";
import { CommandError } from "./command-error.ts";
import { commandLineActor } from "./command-line-actor.ts";
import { integerValue, quietHoursOrNone } from "./flag-values.ts";
import { onDatabase } from "./session.ts";

interface PutFlags {
  tenant: string;
  user: string;
  email?: string;
  phone?: string;
  locale?: string;
  timezone?: string;
  quietHours?: QuietHours | "none";
}

interface ListFlags {
  tenant: string;
  after?: string;
  limit: number;
}

const LISTED = 50;
const MOST_LISTED = 1_000;

/** `user list`, and `user put` and `user show`: whom a tenant notifies, where it names them. */
export function addDirectoryCommands(user: Command): void {
  user
    .command("list")
    .description(
      "A tenant's users by their ids, those that events alone name included; `next` is there where there are more",
    )
    .requiredOption("--tenant <id>", "the tenant's id")
    .option("--after <user>", "those after a page, by its next")
    .option("--limit <n>", `at most so many, 1 to ${MOST_LISTED}`, integerValue, LISTED)
    .action(
      onDatabase(async ({ db }, { tenant, after, limit }: ListFlags) => {
        if (limit < 1 || limit > MOST_LISTED) {
          throw new CommandError(`--limit must be from 1 to ${MOST_LISTED}`);
        }
        const fault = after === undefined ? undefined : textFault(after);
        if (fault !== undefined) throw new CommandError(`--after ${fault}`);
        const { id } = await showTenant(db, tenant);
        const found = await listUsers(db, id, { after, limit: limit + 1 });
        const users = found.slice(0, limit);
        return { users, next: found.length > limit ? users.at(-1)?.userId : undefined };
      }),
    );

  user
    .command("put")
    .description("Store all that is to be known of a user; what is not given is forgotten")
    .requiredOption("--tenant <id>", "the tenant's id")
    .requiredOption("--user <id>", "the user's id, as the tenant's events name it")
    .option("--email <address>", "where a trigger names none")
    .option("--phone <number>", "where a trigger names none, as +12025550123")
    .option("--locale <locale>", "where a trigger names none, as de-AT")
    .option("--timezone <zone>", "as Europe/Vienna; without it the tenant's")
    .option(
      "--quiet-hours <from-to|none>",
      "as 22:00-06:00, by the clock of the zone; none: the tenant's",
      quietHoursOrNone,
    )
    .action(
      onDatabase(async ({ db }, flags: PutFlags) => {
        const { tenant, user: userId, quietHours, ...given } = flags;
        const hours = quietHours === "none" ? null : quietHours;
        const input = { userId, ...given, quietHours: hours };
        return await saveUser(db, commandLineActor(), tenant, input);
      }),
    );

  user
    .command("show")
    .description("A user as the tenant has named it")
    .requiredOption("--tenant <id>", "the tenant's id")
    .requiredOption("--user <id>", "the user's id")
    .action(
      onDatabase(({ db }, flags: { tenant: string; user: string }) =>
        showUser(db, flags.tenant, flags.user),
      ),
    );
}
