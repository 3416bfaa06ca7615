import { ADDRESSES } from "@belfry/contracts/addresses";
import { Command } from "commander";
import { integerValue } from "./flag-values.ts";
import { printJsonPages } from "./output.ts";
import { withDatabase } from "./session.ts";

interface ListFlags {
  tenant: string;
  number?: string;
  limit?: number;
}

export function smsCommand(): Command {
  const sms = new Command("sms").description("What people answer to text messages");
  const inbound = sms.command("inbound").description("Answers that are no STOP or START");
  inbound
    .command("list")
    .description("A tenant's, newest first")
    .requiredOption("--tenant <id>", "the tenant's id")
    .option("--number <number>", `of one sender only: ${ADDRESSES.recipientPhone.form}`)
    .option("--limit <n>", "at most so many", integerValue)
    .action(({ tenant, number, limit }: ListFlags) =>
      withDatabase(async ({ db }) => {
        const { inboundPages } = await import("@belfry/administration/events/inbound");
        await printJsonPages(inboundPages(db, { tenantId: tenant, number, limit }));
      }),
    );
  return sms;
}
