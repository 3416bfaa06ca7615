import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Act } from "@belfry/administration/act";
import { applyBundle } from "@belfry/administration/templates/bundle";
import { showBundleProgress } from "@belfry/administration/templates/bundle-applies";
import { isOpen, type Plan } from "@belfry/administration/templates/bundle-plan";
import { promoteEnvironment } from "@belfry/administration/templates/environments";
import {
  readTemplateFolder,
  writeTemplateFolder,
} from "@belfry/administration/templates/template-folder";
import { BUNDLE_FILES, type TextFiles } from "@belfry/administration/templates/template-paths";
import { CommandError } from "./command-error.ts";
import type { CommandOverrides, Flags, Run } from "./command-overrides.ts";

const BUNDLE_DIR = "a folder an event type, a file a channel and language";
const LOOK_EVERY_MS = 1_000;

export const BUNDLE_OVERRIDES: CommandOverrides = {
  "bundle pull": {
    define: (command) => void command.argument("<dir>", BUNDLE_DIR),
    async shown({ files }: { files: TextFiles }, _, [dir = ""]) {
      const leftover = await writeTemplateFolder(dir, files);
      // Removes the files of settings that are no longer set: an apply would set them again.
      const gone = BUNDLE_FILES.filter((name) => files[name] === undefined);
      for (const name of gone) await rm(join(dir, name), { force: true });
      return { files: Object.keys(files), leftover };
    },
  },
  "bundle apply": {
    fields: ["files"],
    define: (command) => void command.argument("<dir>", BUNDLE_DIR),
    input: async (_flags, _session, [dir = ""]) => ({
      files: await readTemplateFolder(dir, BUNDLE_FILES),
    }),
    run: (runOf, input) => appliedPlan(applyBundle, runOf, input),
  },
  "environment promote": {
    run: (runOf, input) => appliedPlan(promoteEnvironment, runOf, input),
  },
};

/** Waits while the API applies the plan in the background. Returns the same output as for a small change. */
async function appliedPlan(act: Act, runOf: (act: Act) => Run, input: Flags): Promise<Plan> {
  let shown = (await runOf(act)(input)) as Plan;
  if (shown.id === undefined) return shown;
  const look = runOf(showBundleProgress);
  for (let last = -1; isOpen(shown); ) {
    const { compiled = 0, total, id: applyId } = shown;
    if (compiled !== last) process.stderr.write(`${compiled} of ${total} templates are compiled\n`);
    last = compiled;
    await pause(LOOK_EVERY_MS);
    shown = (await look({ applyId })) as Plan;
  }
  const { plan, added, changed, same, outdated, faults, applied, state } = shown;
  if (state === "failed") throw new CommandError(`nothing was applied:\n${faults.join("\n")}`);
  return { plan, added, changed, same, outdated, faults, applied };
}
