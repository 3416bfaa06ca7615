import { searchAuditLog } from "@belfry/administration/search-audit-log";
import { UUID } from "@belfry/contracts/identifiers";
import type { Command } from "commander";
import { CommandError } from "./command-error.ts";
import { integerValue, timeValue } from "./flag-values.ts";
import { onDatabase } from "./session.ts";

interface AuditFlags {
  tenant?: string;
  person?: string;
  object?: string;
  since?: Date;
  until?: Date;
  before?: string;
  limit: number;
}

const DEFAULT_LIMIT = 50;
const MOST = 1_000;

export function define(audit: Command): void {
  audit
    .command("list")
    .description(
      "Entries of the audit log, the newest first; `next` is there where there are older ones",
    )
    .option("--tenant <id>", "of one tenant only; default: of all, and of the platform")
    .option("--person <text>", "in the name or email address of who did it")
    .option("--object <text>", "in what was done, as template.save, or in what it was done to")
    .option(
      "--since <time>",
      "then or later, as 2026-11-20T12:00:00Z or 24h, 30m, 7d ago",
      timeValue,
    )
    .option("--until <time>", "before", timeValue)
    .option("--limit <n>", `at most so many, 1 to ${MOST}`, integerValue, DEFAULT_LIMIT)
    .option("--before <next>", "those older than a page, by its next")
    .action(
      onDatabase(async ({ db }, flags: AuditFlags) => {
        const { tenant: tenantId, person, object, since: from, until: to, before, limit } = flags;
        if (limit < 1 || limit > MOST) throw new CommandError(`--limit must be from 1 to ${MOST}`);
        if (before !== undefined && !UUID.test(before)) {
          throw new CommandError("--before: must be the next of a page");
        }
        const search = { tenantId, person, object, from, to, before, limit };
        return await searchAuditLog(db, search);
      }),
    );
}
