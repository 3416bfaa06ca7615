import { outboxPages, showOutboxMessage } from "@belfry/administration/events/outbox";
import type { Command } from "commander";
import { integerValue } from "./flag-values.ts";
import { printJsonPages } from "./output.ts";
import { onDatabase } from "./session.ts";

export function define(outbox: Command): void {
  outbox
    .command("list")
    .description("A tenant's messages, newest first")
    .requiredOption("--tenant <id>", "the tenant's id")
    .option("--event <id>", "of one event only, by Belfry's id")
    .option("--limit <n>", "at most so many", integerValue)
    .action(
      onDatabase(async ({ db }, flags: { tenant: string; event?: string; limit?: number }) => {
        const { tenant, event, limit } = flags;
        await printJsonPages(outboxPages(db, { tenantId: tenant, eventId: event, limit }));
      }),
    );
  outbox
    .command("show <messageId>")
    .description("One message")
    .action(onDatabase(({ db }, id: string) => showOutboxMessage(db, id)));
}
