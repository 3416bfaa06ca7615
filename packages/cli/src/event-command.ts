import { Command } from "commander";
import { printJson } from "./output.ts";
import { withDatabase } from "./session.ts";

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
  return event;
}
