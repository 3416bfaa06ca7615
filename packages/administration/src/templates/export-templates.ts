import type { Database } from "@belfry/database/connection";
import type { EmailFormat } from "@belfry/templates/source";
import { Type } from "@sinclair/typebox";
import { defineAct, LOOK } from "../act.ts";
import { type TemplateFile, writeTemplateFile } from "./template-file.ts";
import { eventTypeOf, folderNames, type VariantPath, variantFileName } from "./template-paths.ts";
import { findTemplate } from "./template-rows.ts";
import { settingsOf } from "./template-settings.ts";
import { textInput } from "./template-text.ts";
import { ORDER, readTemplates } from "./templates.ts";

export const Files = Type.Record(Type.String(), Type.String(), {
  description: "By path: a folder an event type, a file a channel and language, as in the example",
});
export const SAMPLE_FILES = {
  [`${ORDER.eventType}/${ORDER.channel}.txt`]: "---\n---\nOrder {{ id }} is on its way",
};

export const exportTemplates = defineAct({
  name: "template export",
  http: "GET /template-files",
  access: LOOK,
  effect: "read",
  summary: "Write what is published into a directory: a folder an event type, a file a language",
  description: "Drafts are not in it.",
  input: Type.Object({}),
  output: Type.Object({ files: Files }),
  examples: [{ input: {}, output: { files: SAMPLE_FILES } }],
  async run({ db, tenantId }) {
    const files = filesOfTemplates(await publishedTemplates(db, tenantId));
    return { output: { files: Object.fromEntries(files) } };
  },
});

/** One variant of a template as it is written in files. */
export interface WrittenTemplate {
  eventType: string;
  variant: VariantPath;
  file: TemplateFile;
}

/** What is published of a tenant (or the platform), by template. Throws `NotFound`. */
export async function publishedTemplates(
  db: Database,
  tenantId: string,
): Promise<WrittenTemplate[]> {
  const found: WrittenTemplate[] = [];
  for (const { id, eventType, channel, version, locales } of await readTemplates(db, tenantId)) {
    if (version === 0) continue;
    const languages = locales.filter((one) => one.version > 0).map(({ locale }) => locale);
    for (const locale of ["", ...languages]) {
      const row = await findTemplate(db, { id, tenantId }, locale);
      if (row === undefined || row.versionId === null) continue;
      const format = row.format ?? (row.compiled as { format?: EmailFormat }).format;
      // What is set for all languages stands in the file of the default.
      const file = { ...(locale === "" ? settingsOf(row) : {}), ...textInput(row) };
      found.push({ eventType, variant: { channel, locale, format }, file });
    }
  }
  return found;
}

/** As files, to live in a repository: path and text of each. */
export function filesOfTemplates(templates: readonly WrittenTemplate[]): [string, string][] {
  const folders = folderNames(templates.map(({ eventType }) => eventType));
  return templates.map(({ eventType, variant, file }) => {
    const folder = folders.get(eventType) ?? "";
    const isSaid = eventTypeOf(folder) === eventType;
    const text = writeTemplateFile({ ...file, eventType: isSaid ? undefined : eventType });
    return [`${folder}/${variantFileName(variant)}`, text];
  });
}
