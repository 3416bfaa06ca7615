import { inboundPages } from "@belfry/administration/events/inbound";
import { ADDRESSES } from "@belfry/contracts/addresses";
import type { Command } from "commander";
import { integerValue } from "./flag-values.ts";
import { printJsonPages } from "./output.ts";
import { onDatabase } from "./session.ts";

interface ListFlags {
  tenant: string;
  number?: string;
  limit?: number;
}

export function define(sms: Command): void {
  const inbound = sms.command("inbound").description("Answers that are no STOP or START");
  inbound
    .command("list")
    .description("A tenant's, newest first")
    .requiredOption("--tenant <id>", "the tenant's id")
    .option("--number <number>", `of one sender only: ${ADDRESSES.recipientPhone.form}`)
    .option("--limit <n>", "at most so many", integerValue)
    .action(
      onDatabase(async ({ db }, { tenant, number, limit }: ListFlags) => {
        await printJsonPages(inboundPages(db, { tenantId: tenant, number, limit }));
      }),
    );
}
