import type { QuietHours } from "@belfry/contracts/quiet-hours";
import type { Command } from "commander";
import { commandLineActor } from "./command-line-actor.ts";
import { quietHoursOrNone } from "./flag-values.ts";
import { printJson } from "./output.ts";
import { withDatabase } from "./session.ts";

interface PutFlags {
  tenant: string;
  user: string;
  email?: string;
  phone?: string;
  locale?: string;
  timezone?: string;
  quietHours?: QuietHours | "none";
}

/** `user put` and `user show`: whom a tenant notifies, where it names them. */
export function addDirectoryCommands(user: Command): void {
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
    .action((flags: PutFlags) =>
      withDatabase(async ({ db }) => {
        const { saveUser } = await import("@belfry/administration/users/save-user");
        const { tenant, user: userId, quietHours, ...given } = flags;
        const hours = quietHours === "none" ? null : quietHours;
        const input = { userId, ...given, quietHours: hours };
        await printJson(await saveUser(db, commandLineActor(), tenant, input));
      }),
    );

  user
    .command("show")
    .description("A user as the tenant has named it")
    .requiredOption("--tenant <id>", "the tenant's id")
    .requiredOption("--user <id>", "the user's id")
    .action((flags: { tenant: string; user: string }) =>
      withDatabase(async ({ db }) => {
        const { showUser } = await import("@belfry/administration/users/users");
        await printJson(await showUser(db, flags.tenant, flags.user));
      }),
    );
}
