import { CHANNEL_ROWS, CHANNELS } from "@belfry/contracts/channels";
import type { Database } from "@belfry/database/connection";
import { emailFormat } from "@belfry/templates/email-format";
import { changeConfiguration } from "../change-configuration.ts";
import { type InputFault, InvalidInput, preparedAndSaved } from "../input-error.ts";
import type { WrittenTemplate } from "./export-templates.ts";
import type { LayoutInForce } from "./layout-in-force.ts";
import { type PreparedTemplate, prepareTemplate, savePrepared } from "./put-template.ts";
import { dirFault, type FoundFile, readTemplateFiles } from "./read-template-files.ts";
import { readTemplateFile, type TemplateFile } from "./template-file.ts";
import type { TemplateInput } from "./template-input.ts";
import { eventTypeOf, readVariantFileName, type VariantPath } from "./template-paths.ts";
import { findTemplate } from "./template-rows.ts";
import { requireOwner } from "./templates.ts";
import type { TimingInput } from "./timing-input.ts";

export interface ImportedTemplates {
  /** As their paths: of another text, or with other settings, which make no version. */
  published: string[];
  unchanged: string[];
}

/** A directory that was read, checked and compiled, and may be published. */
export interface PreparedImport {
  templates: { path: string; prepared: PreparedTemplate }[];
}

/**
 * Publishes what lies in a directory, as `exportTemplates` writes it; what is the same makes no version,
 * and what has no file stays as it is. All is checked before anything is changed, and all is published
 * together. Throws `InvalidInput` with each file and its fault, `NotFound`, `Conflict`.
 */
export async function importTemplates(
  db: Database,
  tenantId: string,
  dir: string,
  createdBy?: string,
): Promise<ImportedTemplates> {
  return await preparedAndSaved(
    () => prepareImport(db, tenantId, dir, createdBy),
    (prepared) => saveImport(db, prepared),
  );
}

/** Outside of any transaction. Throws as `importTemplates`. */
export async function prepareImport(
  db: Database,
  tenantId: string,
  dir: string,
  createdBy?: string,
): Promise<PreparedImport> {
  await requireOwner(db, tenantId);
  return await prepareFiles(db, tenantId, await readTemplateFiles(dir), { createdBy });
}

/** The same of files that were read. `layout`: in which Markdown is set, if not in the one in force. */
export async function prepareFiles(
  db: Database,
  tenantId: string,
  files: readonly FoundFile[],
  {
    createdBy,
    layout,
  }: { createdBy?: string | undefined; layout?: LayoutInForce | undefined } = {},
): Promise<PreparedImport> {
  const faults: InputFault[] = [];
  const inputs = new Map<string, { path: string; input: TemplateInput }>();
  for (const found of files) {
    const read = readFound(found);
    if (!read.ok) {
      faults.push(...read.faults);
      continue;
    }
    const { eventType, variant, file } = read;
    const input = await inputOf(db, tenantId, eventType, variant, file);
    const key = JSON.stringify([eventType, variant.channel, variant.locale]);
    const other = inputs.get(key);
    if (other !== undefined)
      faults.push(dirFault(`${found.path} is for the same as ${other.path}`));
    else inputs.set(key, { path: found.path, input: { ...input, createdBy } });
  }
  const templates: PreparedImport["templates"] = [];
  // The default variants first: translations are marked as made from what comes with them.
  for (const { path, input } of [...inputs.values()].sort(defaultsFirst)) {
    try {
      const { eventType, channel } = input;
      const comes = inputs.has(JSON.stringify([eventType, channel, ""]));
      const prepared = await prepareTemplate(db, input, { sourceComes: comes, layout });
      templates.push({ path, prepared: { ...prepared, isUnchecked: true } });
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      faults.push(...error.faults.map((fault) => fileFault(path, fault)));
    }
    if (faults.length >= MAX_FAULTS) break;
  }
  if (faults.length > 0) throw new InvalidInput(faults);
  return { templates };
}

/** All in one transaction. Throws `NotFound`, and `Conflict` where something was published since. */
export async function saveImport(db: Database, { templates }: PreparedImport) {
  return await changeConfiguration(db, async (transaction) => {
    const done: ImportedTemplates = { published: [], unchanged: [] };
    for (const { path, prepared } of templates) {
      const { isChanged } = await savePrepared(transaction, prepared);
      done[isChanged ? "published" : "unchanged"].push(path);
    }
    done.published.sort();
    done.unchanged.sort();
    return done;
  });
}

const MAX_FAULTS = 50;

type Read = ({ ok: true } & WrittenTemplate) | { ok: false; faults: InputFault[] };

/** A file as what it says; its path is part of that. */
export function readFound({ folder, name, path, text }: FoundFile): Read {
  const refused = (message: string): Read => ({ ok: false, faults: [dirFault(message)] });
  const variant = readVariantFileName(name);
  if (variant === undefined) {
    const [first, second] = CHANNELS;
    return refused(`${path} is no template: ${first}.md, ${second}.de.txt and the like are`);
  }
  const read = readTemplateFile(text);
  if (!read.ok) return { ok: false, faults: read.faults.map((fault) => fileFault(path, fault)) };
  const { eventType: said, ...file } = read.file;
  const ofFolder = eventTypeOf(folder);
  if (ofFolder === undefined) return refused(`${folder} is no name of an event type`);
  if (ofFolder === null && said === undefined) return refused(`${path} must say its event-type`);
  if (ofFolder !== null && said !== undefined && said !== ofFolder) {
    return refused(`${path}: event-type is not that of its folder`);
  }
  const setting =
    variant.locale === "" ? undefined : SETTINGS.find((key) => file[key] !== undefined);
  if (setting !== undefined) {
    return refused(`${path}: ${setting} is set in the file without a language, for all of them`);
  }
  return { ok: true, eventType: ofFolder ?? said ?? "", variant, file };
}

const SETTINGS = [
  "active",
  "sensitive",
  "atMostOnce",
  "plainCharacters",
  "expiresAfterSeconds",
  "targetChannel",
  "requiredVariables",
  "sampleVariables",
  "digest",
  "throttle",
  "afterUnreadSeconds",
] as const satisfies (keyof TemplateFile)[];

async function inputOf(
  db: Database,
  tenantId: string,
  eventType: string,
  variant: VariantPath,
  file: Omit<TemplateFile, "eventType">,
): Promise<TemplateInput> {
  const { channel, locale } = variant;
  const current = await findTemplate(db, { tenantId, eventType, channel }, locale);
  const isDefault = locale === "";
  return {
    ...file,
    ...{ tenantId, eventType, channel, locale, basedOnVersion: current?.version ?? 0 },
    ...(isDefault ? { requiredVariables: file.requiredVariables ?? [], ...timingOf(file) } : {}),
    format: formatOf(variant, file.content, current),
  };
}

/** A file says all that is set. */
function timingOf({ digest = null, throttle = null, afterUnreadSeconds = null }: TimingInput) {
  return { digest, throttle, afterUnreadSeconds };
}

/** What a variant is written in, unless it was found out from the text, and would be again. */
function formatOf(
  { channel, locale, format }: VariantPath,
  content: string,
  current: { versionId: string | null; format: string | null } | undefined,
): TemplateInput["format"] {
  if (format === undefined || CHANNEL_ROWS[channel].content !== "email") return undefined;
  const isFoundOut = emailFormat(content) === format;
  const isPublished = current != null && current.versionId !== null;
  if (isPublished) return isFoundOut && current.format === null ? undefined : format;
  return isFoundOut && locale === "" ? undefined : format;
}

function defaultsFirst(one: { input: TemplateInput }, other: { input: TemplateInput }): number {
  return Number(one.input.locale !== "") - Number(other.input.locale !== "");
}

function fileFault(path: string, { field, message }: InputFault): InputFault {
  return dirFault(`${path}: ${field} ${message}`);
}
