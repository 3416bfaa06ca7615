import { rm } from "node:fs/promises";
import { join } from "node:path";
import { BUNDLE_FILES, bundleFolder } from "@belfry/administration/templates/bundle-files";
import { writeFiles } from "@belfry/administration/templates/export-templates";
import { readTemplateFiles } from "@belfry/administration/templates/read-template-files";
import type { Files } from "@belfry/contracts/fields";
import type { OwnPart } from "./act-command.ts";

const DIR = "a folder an event type, a file a channel and language";

/** A bundle is a folder on the disk. */
export const parts: Readonly<Record<string, OwnPart>> = {
  "bundle pull": {
    define: (command) => void command.argument("<dir>", DIR),
    async shown({ files }: { files: Files }, _, [dir = ""]) {
      const written = await writeFiles(dir, bundleFolder(files));
      // What is not set any more has no file: an apply would set it again.
      const gone = BUNDLE_FILES.filter((name) => files[name] === undefined);
      for (const name of gone) await rm(join(dir, name), { force: true });
      return written;
    },
  },
  "bundle apply": {
    fields: ["files"],
    define: (command) => void command.argument("<dir>", DIR),
    async input(_flags, _session, [dir = ""]) {
      const files = await readTemplateFiles(dir, BUNDLE_FILES);
      return { files: Object.fromEntries(files.map(({ path, text }) => [path, text])) };
    },
  },
};
