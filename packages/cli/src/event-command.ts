import type { Database } from "@belfry/database/connection";
import { Command } from "commander";
import { auditedCommand } from "./audited-command.ts";
import { CommandError } from "./command-error.ts";
import { printJson } from "./output.ts";
import { withDatabase } from "./session.ts";

interface CancelFlags {
  tenant: string;
  cancelKey?: string[];
  eventId?: string[];
  user?: string[];
}

export function eventCommand(): Command {
  const event = new Command("event").description("What became of an event");
  event
    .command("show <id>")
    .description("An event with its timeline, by Belfry's id or the tenant's eventId (the newest)")
    .option("--tenant <id>", "look in one tenant only")
    .action((id: string, flags: { tenant?: string }) =>
      withDatabase(async ({ db }) => {
        const { showEvent } = await import("@belfry/administration/events/event-report");
        await printJson(await showEvent(db, id, flags.tenant));
      }),
    );
  event
    .command("cancel")
    .description("Stop what has not reached anybody of a tenant's events; at most 1,000 a call")
    .requiredOption("--tenant <id>", "the tenant's id")
    .option("--cancel-key <key...>", "of all events whose triggers had one of these keys")
    .option("--event-id <id...>", "of these events, by Belfry's ids or the tenant's eventIds")
    .option("--user <id...>", "only those of these users")
    .action((flags: CancelFlags) => withDatabase(({ db }) => cancel(db, flags)));
  return event;
}

async function cancel(db: Database, flags: CancelFlags): Promise<void> {
  const { cancelEvents } = await import("@belfry/administration/events/cancel-events");
  const { cancelNote } = await import("@belfry/administration/events/cancel-note");
  const { tenant, cancelKey, eventId, user } = flags;
  if ((cancelKey === undefined) === (eventId === undefined)) {
    throw new CommandError("--cancel-key: give either --cancel-key or --event-id");
  }
  const request = {
    ...(cancelKey === undefined ? {} : { cancelKeys: cancelKey }),
    ...(eventId === undefined ? {} : { eventIds: eventId }),
    ...(user === undefined ? {} : { userIds: user }),
  };
  const cancelled = await auditedCommand(
    db,
    (transaction) => cancelEvents(transaction, tenant, request),
    (result) => cancelNote(tenant, request, result),
  );
  await printJson(cancelled);
}
