import { changePreference } from "@belfry/administration/users/change-preference";
import { importUnsubscribes } from "@belfry/administration/users/import-unsubscribes";
import { showPreferences } from "@belfry/administration/users/preferences";
import { addressedMessage } from "@belfry/contracts/addressed-message";
import {
  isPreferenceChannel,
  PREFERENCE_CHANNELS,
  type PreferenceChannel,
} from "@belfry/contracts/preferences";
import { type Command, InvalidArgumentError } from "commander";
import { commandLineActor } from "./command-line-actor.ts";
import { openInput } from "./input-file.ts";
import { printJson } from "./output.ts";
import { publishIfPossible } from "./publish-once.ts";
import { onDatabase } from "./session.ts";

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
    .action(
      onDatabase(({ db }, flags: { tenant: string; user: string }) =>
        showPreferences(db, flags.tenant, flags.user),
      ),
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
    .action(
      onDatabase(async ({ db }, flags: SetFlags) => {
        const { tenant: tenantId, user: userId, category, channel } = flags;
        const enabled = flags.enabled === "default" ? null : flags.enabled;
        const cell = { tenantId, userId, category, channel, enabled };
        const changed = await changePreference(db, commandLineActor(), cell);
        await printJson(await showPreferences(db, tenantId, userId));
        if (changed === 0) return;
        await publishIfPossible(async (prefix) =>
          addressedMessage(prefix, tenantId, { version: 1, kind: "preferences", userId }),
        );
      }),
    );

  user
    .command("import")
    .description(
      "Turn off what users unsubscribed from elsewhere: a bad line refuses the whole CSV file",
    )
    .requiredOption("--tenant <id>", "the tenant's id")
    .requiredOption(
      "--file <file>",
      "columns user, category (a key or *), channel (or *), or a heading that names them; - for standard input",
    )
    .action(
      onDatabase(async ({ db, audited }, flags: { tenant: string; file: string }) => {
        await using input = await openInput("--file", flags.file);
        return await importUnsubscribes(db, audited, flags.tenant, input.bytes);
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
