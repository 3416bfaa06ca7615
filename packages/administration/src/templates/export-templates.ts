import { constants, lstat, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "@belfry/database/connection";
import type { EmailFormat } from "@belfry/templates/email-format";
import { InvalidInput } from "../input-error.ts";
import { cannot, dirFault, entriesOf, type FoundFile } from "./read-template-files.ts";
import { type TemplateFile, writeTemplateFile } from "./template-file.ts";
import {
  eventTypeOf,
  folderNames,
  readVariantFileName,
  type VariantPath,
  variantFileName,
} from "./template-paths.ts";
import { findTemplate, settingsInput, type TemplateRow } from "./template-rows.ts";
import { textInput } from "./template-text.ts";
import { listTemplates } from "./templates.ts";

export interface ExportedTemplates {
  /** What was written, below the directory. */
  files: string[];
  /** What lies in the directory and is no published variant any more: an import would publish it. */
  leftover: string[];
}

/**
 * Writes what is published of a tenant (or the platform) into a directory, to live in a repository: a
 * folder an event type, a file a channel and language. Drafts are not in it. Files of the same names are
 * written anew; of a mail whose format has changed the file of the other format is removed. Throws
 * `NotFound`, and `InvalidInput` where it cannot write.
 */
export async function exportTemplates(
  db: Database,
  tenantId: string,
  dir: string,
): Promise<ExportedTemplates> {
  return await writeFiles(dir, filesOfTemplates(await publishedTemplates(db, tenantId)));
}

/** Writes files into a directory; one without a folder stands beside the folders. Throws `InvalidInput`. */
export async function writeFiles(
  dir: string,
  files: readonly FoundFile[],
): Promise<ExportedTemplates> {
  const names = new Map<string, Set<string>>();
  await makeFolder(dir, "");
  for (const { folder, name, path, text } of files) {
    if (!names.has(folder)) await makeFolder(join(dir, folder), folder);
    names.set(folder, (names.get(folder) ?? new Set()).add(name));
    await writeFileHere(join(dir, folder, name), path, text);
  }
  return { files: files.map(({ path }) => path), leftover: await tidy(dir, names) };
}

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
  for (const { id, eventType, channel, version, locales } of await listTemplates(db, tenantId)) {
    if (version === 0) continue;
    const languages = locales.filter((one) => one.version > 0).map(({ locale }) => locale);
    for (const locale of ["", ...languages]) {
      const row = await findTemplate(db, { id, tenantId }, locale);
      if (row === undefined || row.versionId === null) continue;
      const variant = { channel, locale, format: formatOf(row) };
      // What is set for all languages stands in the file of the default.
      const settings = locale === "" ? { active: row.active, ...settingsInput(row) } : {};
      found.push({ eventType, variant, file: { ...textInput(row), ...settings } });
    }
  }
  return found;
}

/** As files, each with its path. */
export function filesOfTemplates(templates: readonly WrittenTemplate[]): FoundFile[] {
  const folders = folderNames(templates.map(({ eventType }) => eventType));
  return templates.map(({ eventType, variant, file }) => {
    const folder = folders.get(eventType) ?? "";
    const name = variantFileName(variant);
    const said = eventTypeOf(folder) === eventType ? {} : { eventType };
    return {
      folder,
      name,
      path: `${folder}/${name}`,
      text: writeTemplateFile({ ...said, ...file }),
    };
  });
}

function formatOf(row: TemplateRow): EmailFormat | undefined {
  return row.format ?? (row.compiled as { format?: EmailFormat }).format;
}

async function makeFolder(path: string, name: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
    if (name !== "" && !(await lstat(path)).isDirectory()) {
      throw new InvalidInput([dirFault(`cannot write ${name}: it is a link`)]);
    }
  } catch (cause) {
    throw cause instanceof InvalidInput ? cause : cannot("write", name, cause);
  }
}

async function writeFileHere(path: string, name: string, text: string): Promise<void> {
  try {
    const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW, O_NONBLOCK } = constants;
    await using file = await open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK);
    await file.writeFile(text);
  } catch (cause) {
    throw cannot("write", name, cause);
  }
}

/** Removes a variant's file of another format, and finds what else an import would take. */
async function tidy(dir: string, names: Map<string, Set<string>>): Promise<string[]> {
  const leftover: string[] = [];
  for (const folder of await foldersIn(dir)) {
    const own = names.get(folder) ?? new Set();
    const written = new Set([...own].map(withoutEnding));
    for (const entry of await entriesOf(join(dir, folder), folder)) {
      const { name } = entry;
      if (own.has(name) || readVariantFileName(name) === undefined) continue;
      if (written.has(withoutEnding(name)) && !entry.isDirectory()) {
        await rm(join(dir, folder, name));
      } else leftover.push(`${folder}/${name}`);
    }
  }
  return leftover.sort();
}

/** Also of event types of which nothing is published any more. */
async function foldersIn(dir: string): Promise<string[]> {
  const entries = await entriesOf(dir, "");
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

function withoutEnding(name: string): string {
  return name.slice(0, name.lastIndexOf("."));
}
