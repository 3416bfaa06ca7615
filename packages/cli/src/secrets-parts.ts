import type { SecretsReport } from "@belfry/administration/providers/rotate-secrets";
import type { OwnPart } from "./act-command.ts";
import { CommandError } from "./command-error.ts";
import { printJson } from "./output.ts";

export const parts: Readonly<Record<string, OwnPart>> = {
  "secrets rotate": {
    /** Fails where a secret could not be re-encrypted, once the report is printed. */
    async shown(report: SecretsReport) {
      const { dryRun, outdated, unreadable } = report;
      const faults = unreadable.map(({ owner, reason }) => `${owner}: ${reason}`);
      if (outdated > 0 && !dryRun) {
        faults.push(`${outdated} were being changed all the time: rotate again`);
      }
      if (faults.length === 0) return report;
      await printJson(report);
      throw new CommandError(`not every secret could be re-encrypted\n${faults.join("\n")}`);
    },
  },
};
