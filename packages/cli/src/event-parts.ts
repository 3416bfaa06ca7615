import type { Command } from "commander";
import type { OwnPart } from "./act-command.ts";
import { CommandError } from "./command-error.ts";

/** For commands that look in all tenants where no flag names one. */
export const ANY_TENANT: OwnPart = {
  define(command: Command) {
    command.option("--tenant <id>", "look in one tenant only");
  },
};

export const parts: Readonly<Record<string, OwnPart>> = {
  "event show": ANY_TENANT,
  "event search": ANY_TENANT,
  "event cancel": {
    fields: ["cancelKeys", "eventIds", "userIds"],
    define(command) {
      command
        .option("--cancel-key <key...>", "of all events whose triggers had one of these keys")
        .option("--event-id <id...>", "of these events, by Belfry's ids or the tenant's eventIds")
        .option("--user <id...>", "only those of these users");
    },
    async input({ cancelKey: cancelKeys, eventId: eventIds, user: userIds }) {
      if ((cancelKeys === undefined) === (eventIds === undefined)) {
        throw new CommandError("--cancel-key: give either --cancel-key or --event-id");
      }
      return { cancelKeys, eventIds, userIds };
    },
  },
  "event move": {
    fields: ["sendAt"],
    define(command) {
      const form = "ISO 8601 with an offset, as 2026-11-20T09:30:00+01:00";
      command.requiredOption("--send-at <time>", form);
    },
    input: async ({ sendAt }) => ({ sendAt }),
  },
};
