import { Command } from "commander";
import { integerValue } from "./flag-values.ts";
import { printJson, printJsonPages } from "./output.ts";
import { withDatabase } from "./session.ts";

export function outboxCommand(): Command {
  const outbox = new Command("outbox").description("What the sandbox provider was given");
  outbox
    .command("list")
    .description("A tenant's messages, newest first")
    .requiredOption("--tenant <id>", "the tenant's id")
    .option("--event <id>", "of one event only, by Belfry's id")
    .option("--limit <n>", "at most so many", integerValue)
    .action((flags: { tenant: string; event?: string; limit?: number }) =>
      withDatabase(async ({ db }) => {
        const { outboxPages } = await import("@belfry/administration/events/outbox");
        const { tenant, event, limit } = flags;
        await printJsonPages(outboxPages(db, { tenantId: tenant, eventId: event, limit }));
      }),
    );
  outbox
    .command("show <messageId>")
    .description("One message")
    .action((id: string) =>
      withDatabase(async ({ db }) => {
        const { showOutboxMessage } = await import("@belfry/administration/events/outbox");
        await printJson(await showOutboxMessage(db, id));
      }),
    );
  return outbox;
}
