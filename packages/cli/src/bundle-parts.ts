import { rm } from "node:fs/promises";
import { join } from "node:path";
import {
  readTemplateFolder,
  writeTemplateFolder,
} from "@belfry/administration/templates/template-folder";
import type { TextFiles } from "@belfry/administration/templates/template-paths";
import { BUNDLE_FILES } from "@belfry/administration/templates/template-paths";
import type { OwnPart } from "./act-command.ts";

const DIR = "a folder an event type, a file a channel and language";

/** A bundle is a folder on the disk. */
export const parts: Readonly<Record<string, OwnPart>> = {
  "bundle pull": {
    define: (command) => void command.argument("<dir>", DIR),
    async shown({ files }: { files: TextFiles }, _, [dir = ""]) {
      const leftover = await writeTemplateFolder(dir, files);
      // What is not set any more has no file: an apply would set it again.
      const gone = BUNDLE_FILES.filter((name) => files[name] === undefined);
      for (const name of gone) await rm(join(dir, name), { force: true });
      return { files: Object.keys(files), leftover };
    },
  },
  "bundle apply": {
    fields: ["files"],
    define: (command) => void command.argument("<dir>", DIR),
    input: async (_flags, _session, [dir = ""]) => ({
      files: await readTemplateFolder(dir, BUNDLE_FILES),
    }),
  },
};
