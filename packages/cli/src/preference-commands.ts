import { addressedMessage } from "@belfry/contracts/addressed-message";
import {
  isPreferenceChannel,
  PREFERENCE_CHANNELS,
  type PreferenceChannel,
} from "@belfry/contracts/preferences";
import { type Command, InvalidArgumentError } from "commander";
import { auditedCommand } from "./audited-command.ts";
import { commandLineActor } from "./command-line-actor.ts";
import { openInput } from "./input-file.ts";
import { printJson } from "./output.ts";
import { withDatabase } from "./session.ts";

interface SetFlags {
  tenant: string;
  user: string;
  category: string;
  channel: PreferenceChannel;
  enabled: boolean | "default";
}

/** `user preferences`, `user preference set` and `user import`: what users want. */
export function addPreferenceCommands(user: Command): void {
  user
    .command("preferences")
    .description("A user's preferences, where and when each was set, and the categories")
    .requiredOption("--tenant <id>", "the tenant's id")
    .requiredOption("--user <id>", "the user's id, as the tenant's events name it")
    .action((flags: { tenant: string; user: string }) =>
      withDatabase(async ({ db }) => {
        const { showPreferences } = await import("@belfry/administration/users/preferences");
        await printJson(await showPreferences(db, flags.tenant, flags.user));
      }),
    );

  user
    .command("preference")
    .description("A single preference of a user")
    .command("set")
    .description("Turn a category on a channel on or off for a user, or clear the choice")
    .requiredOption("--tenant <id>", "the tenant's id")
    .requiredOption("--user <id>", "the user's id, as the tenant's events name it")
    .requiredOption("--category <key|*>", "a category's key; *: all of them")
    .requiredOption("--channel <channel|*>", `${PREFERENCE_CHANNELS.join(", ")}`, channelOrAny)
    .requiredOption(
      "--enabled <on|off|default>",
      "default: what was said is forgotten, and the category's default counts again",
      enabledValue,
    )
    .action((flags: SetFlags) =>
      withDatabase(async ({ db }) => {
        const { changePreference } = await import("@belfry/administration/users/change-preference");
        const { showPreferences } = await import("@belfry/administration/users/preferences");
        const { tenant: tenantId, user: userId, category, channel } = flags;
        const enabled = flags.enabled === "default" ? null : flags.enabled;
        const cell = { tenantId, userId, category, channel, enabled };
        const changed = await changePreference(db, commandLineActor(), cell);
        await printJson(await showPreferences(db, tenantId, userId));
        if (changed === 0) return;
        const { publishIfPossible } = await import("./publish-once.ts");
        await publishIfPossible(async (prefix) =>
          addressedMessage(prefix, tenantId, { version: 1, kind: "preferences", userId }),
        );
      }),
    );

  user
    .command("import")
    .description("Turn off what users unsubscribed from elsewhere: all of a CSV file, or nothing")
    .requiredOption("--tenant <id>", "the tenant's id")
    .requiredOption(
      "--file <file>",
      "columns user, category (a key or *), channel (or *); - for standard input",
    )
    .action((flags: { tenant: string; file: string }) =>
      withDatabase(async ({ db }) => {
        const { importUnsubscribes } = await import(
          "@belfry/administration/users/import-unsubscribes"
        );
        await using input = await openInput("--file", flags.file);
        const { unsubscribesImported } = await import("@belfry/administration/users/user-notes");
        const done = await auditedCommand(
          db,
          (transaction) => importUnsubscribes(transaction, flags.tenant, input.bytes),
          (result) => unsubscribesImported(flags.tenant, result),
        );
        await printJson(done);
      }),
    );
}

function channelOrAny(text: string): PreferenceChannel {
  if (isPreferenceChannel(text)) return text;
  throw new InvalidArgumentError(`It must be one of ${PREFERENCE_CHANNELS.join(", ")}.`);
}

function enabledValue(text: string): boolean | "default" {
  if (text === "default") return text;
  if (text === "on" || text === "off") return text === "on";
  throw new InvalidArgumentError("It must be on, off or default.");
}
