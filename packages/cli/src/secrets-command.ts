import { rotateSecrets } from "@belfry/administration/providers/rotate-secrets";
import type { Command } from "commander";
import { CommandError } from "./command-error.ts";
import { commandLineActor } from "./command-line-actor.ts";
import { printJson } from "./output.ts";
import { onDatabase } from "./session.ts";

export function define(secrets: Command): void {
  secrets
    .command("rotate")
    .description(
      "Re-encrypt every secret under the first key of SECRETS_KEYS, and say which keys are still in " +
        "use. Every running service must know that key; safe to repeat, and while services run.",
    )
    .option("--dry-run", "read all of them, count them by key, and change nothing")
    .action(
      onDatabase(async ({ db, keys }, { dryRun = false }: { dryRun?: boolean }) => {
        const report = await rotateSecrets(db, await keys(), { actor: commandLineActor(), dryRun });
        await printJson({ dryRun, ...report });
        const faults = report.unreadable.map(({ owner, reason }) => `${owner}: ${reason}`);
        if (report.outdated > 0 && !dryRun) {
          faults.push(`${report.outdated} were being changed all the time: rotate again`);
        }
        if (faults.length > 0) {
          throw new CommandError(`not every secret could be re-encrypted\n${faults.join("\n")}`);
        }
      }),
    );
}
