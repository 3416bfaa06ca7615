import { CHANNEL_ROWS, CHANNELS } from "@belfry/contracts/channels";
import { field, flag } from "@belfry/contracts/fields";
import type { Database } from "@belfry/database/connection";
import { emailFormat } from "@belfry/templates/source";
import { type Static, Type } from "@sinclair/typebox";
import { defineAct, defineRead, EDIT, LOOK, note, optional } from "../act.ts";
import { changeConfiguration } from "../change-configuration.ts";
import { type InputFault, InvalidInput } from "../input-error.ts";
import type { LayoutInForce } from "./layout-rows.ts";
import {
  comparison,
  type PreparedTemplate,
  prepareTemplate,
  savePrepared,
} from "./put-template.ts";
import { type Author, authorOf } from "./sensitive-copies.ts";
import { readTemplateFile, type TemplateFile, writeTemplateFile } from "./template-file.ts";
import type { TemplateInput } from "./template-input.ts";
import {
  eventTypeOf,
  filesFault,
  folderNames,
  MAX_BUNDLE_BYTES,
  readVariantFileName,
  type TextFiles,
  type VariantPath,
  variantFileName,
} from "./template-paths.ts";
import { findTemplate, publishedVariants, textInput } from "./template-rows.ts";
import { NOT_SET, SETTING_NAMES, settingsOf } from "./template-settings.ts";
import { ORDER, requireOwner } from "./templates.ts";

export const Files = Type.Record(Type.String(), Type.String(), {
  description:
    "Files by path: a folder for each event type, a file for each channel and language, as in the example",
});
const SAMPLE_FILES = {
  [`${ORDER.eventType}/${ORDER.channel}.txt`]: "---\n---\nOrder {{ id }} is on its way",
};

export const exportTemplates = defineRead({
  name: "template export",
  http: "GET /template-files",
  access: LOOK,
  summary: "Write what is published into a directory: a folder an event type, a file a language",
  description: "It contains no drafts.",
  input: Type.Object({}),
  output: Type.Object({ files: Files }),
  example: { input: {}, output: { files: SAMPLE_FILES } },
  async run({ db, tenantId }) {
    const files = filesOfTemplates(await publishedTemplates(db, tenantId));
    return { files: Object.fromEntries(files) };
  },
});

/** Files that were read, checked and compiled, and may be published. */
export interface PreparedImport {
  templates: { path: string; prepared: PreparedTemplate }[];
}

const paths = (description: string) => optional(Type.Array(Type.String(), { description }));
const Imported = Type.Object({
  published: paths("Of another text, or with other settings, which make no version"),
  unchanged: paths("The same as they are"),
  checked: paths("Of a dry run: all"),
  added: paths("Of a dry run: those of which nothing is published"),
  changed: paths("Of a dry run: those that differ from what is published"),
  same: paths("Of a dry run"),
  warnings: paths("Of each file with a warning: its path and the warning; left out: none"),
});

export const importTemplates = defineAct({
  name: "template import",
  http: "PUT /template-files",
  access: EDIT,
  maxBodyBytes: MAX_BUNDLE_BYTES,
  inBundle: true,
  summary:
    "Publish such a directory; everything is checked first, and unchanged templates stay as they are",
  description:
    "A template that has no file stays as it is. All files are published together, or none.",
  input: Type.Object({
    files: field<TextFiles>({ ...Files }, filesFault),
    dryRun: optional(flag(), "check it, and change nothing"),
  }),
  output: Imported,
  example: {
    input: { files: SAMPLE_FILES },
    output: { published: Object.keys(SAMPLE_FILES), unchanged: [] },
  },
  prepare: ({ db, tenantId, actor, may }, { files }) =>
    prepareImport(db, tenantId, files, authorOf({ actor, may })),
  async run({ db }, { dryRun }, prepared): Promise<{ output: Static<typeof Imported> }> {
    if (dryRun) return { output: await compareImport(db, prepared) };
    return {
      output: { ...(await saveImport(db, prepared)), ...warningsOf(prepared.templates) },
    };
  },
  audit(_, { output: { published } }) {
    if (published === undefined) return undefined;
    const target = `${published.length} published`;
    return note("template.import", target, { after: { published } });
  },
});

/**
 * Checks and compiles all files. Call it outside of any transaction. Throws `InvalidInput` with the faults of each
 * file, and `NotFound`.
 */
export async function prepareImport(
  db: Database,
  tenantId: string,
  files: TextFiles,
  {
    layout,
    onCompiled,
    ...author
  }: Author & {
    /** The layout for Markdown; default: the one in force. */
    layout?: LayoutInForce | undefined;
    /** Receives the number of files compiled so far. If it throws, the work ends. */
    onCompiled?: ((count: number) => void) | undefined;
  } = {},
): Promise<PreparedImport> {
  await requireOwner(db, tenantId);
  const { templates: read, faults } = readFiles(files);
  const inputs = new Map<string, { path: string; input: TemplateInput }>();
  for (const [key, { path, ...template }] of read) {
    const input = await inputOf(db, tenantId, template);
    inputs.set(key, { path, input: { ...input, ...author } });
  }
  const templates: PreparedImport["templates"] = [];
  // Default variants are saved first, so that translations get the new version as their source.
  const waiting = [...inputs.values()].sort(defaultsFirst);
  const prepareOne = async ({ path, input }: (typeof waiting)[number]) => {
    const comes = inputs.has(variantKey({ ...input, locale: "" }));
    const prepared = await prepareTemplate(db, input, { sourceComes: comes, layout });
    return { path, prepared: { ...prepared, isUnchecked: true } };
  };
  for (let at = 0; at < waiting.length && faults.length < MAX_FAULTS; at += PREPARED_AT_ONCE) {
    const some = waiting.slice(at, at + PREPARED_AT_ONCE);
    for (const [index, one] of (await Promise.allSettled(some.map(prepareOne))).entries()) {
      if (one.status === "fulfilled") templates.push(one.value);
      else if (!(one.reason instanceof InvalidInput)) throw one.reason;
      else {
        const told = one.reason.faults.slice(0, MAX_FAULTS);
        faults.push(...told.map((fault) => fileFault(some[index]?.path ?? "", fault)));
      }
    }
    onCompiled?.(at + some.length);
  }
  if (faults.length > 0) throw new InvalidInput(faults);
  return { templates };
}

/** While the tenant's thread compiles one file, the next is read and checked. More would fill the compiler's queue. */
const PREPARED_AT_ONCE = 2;

/** Returns what publishing the files would change. */
async function compareImport(db: Database, { templates }: PreparedImport) {
  const plan = { added: [] as string[], changed: [] as string[], same: [] as string[] };
  for (const { path, prepared } of templates) {
    plan[await comparison(db, prepared)].push(path);
  }
  for (const list of Object.values(plan)) list.sort();
  const checked = templates.map(({ path }) => path).sort();
  return { checked, ...plan, ...warningsOf(templates) };
}

function warningsOf(templates: PreparedImport["templates"]): { warnings?: string[] } {
  const warnings = templates.flatMap(({ path, prepared }) =>
    prepared.warnings.map(({ field, message }) => `${path}: ${field} ${message}`),
  );
  return warnings.length === 0 ? {} : { warnings };
}

/**
 * Publishes all files in one transaction. Throws `NotFound`, and `Conflict` if a template was published since the
 * preparation.
 */
export async function saveImport(db: Database, { templates }: PreparedImport) {
  return await changeConfiguration(db, async (transaction) => {
    const done: { published: string[]; unchanged: string[] } = { published: [], unchanged: [] };
    for (const { path, prepared } of templates) {
      const { isChanged } = await savePrepared(transaction, prepared);
      done[isChanged ? "published" : "unchanged"].push(path);
    }
    done.published.sort();
    done.unchanged.sort();
    return done;
  });
}

/** Most faults in one answer. */
export const MAX_FAULTS = 50;

/** Identifies a variant within a tenant. */
export function variantKey(variant: { eventType: string; channel: string; locale?: string }) {
  const { eventType, channel, locale = "" } = variant;
  return JSON.stringify([eventType, channel, locale]);
}

/** Parses files, and returns the templates by `variantKey`, with the faults of each file. */
export function readFiles(files: TextFiles) {
  const faults: InputFault[] = [];
  const templates = new Map<string, WrittenTemplate & { path: string; text: string }>();
  for (const [path, text] of Object.entries(files).sort(byPath)) {
    const read = readFile(path, text);
    if (!read.ok) {
      faults.push(...read.faults.slice(0, MAX_FAULTS));
      continue;
    }
    const { eventType, variant, file } = read;
    const key = variantKey({ eventType, ...variant });
    const other = templates.get(key);
    if (other !== undefined) faults.push(filesFaultOf(`${path} is for the same as ${other.path}`));
    else templates.set(key, { eventType, variant, file, path, text });
  }
  return { templates, faults };
}

type Read = ({ ok: true } & WrittenTemplate) | { ok: false; faults: InputFault[] };

/** Parses a file and its path. */
function readFile(path: string, text: string): Read {
  const refused = (message: string): Read => ({ ok: false, faults: [filesFaultOf(message)] });
  const [folder = "", name, ...more] = path.split("/");
  if (name === undefined || more.length > 0) return refused(`${path} is no file in a folder`);
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
    variant.locale === "" ? undefined : SETTING_NAMES.find((key) => file[key] !== undefined);
  if (setting !== undefined) {
    return refused(`${path}: ${setting} is set in the file without a language, for all of them`);
  }
  return { ok: true, eventType: ofFolder ?? said ?? "", variant, file };
}

async function inputOf(
  db: Database,
  tenantId: string,
  { eventType, variant, file }: WrittenTemplate,
): Promise<TemplateInput> {
  const { channel, locale } = variant;
  const current = await findTemplate(db, { tenantId, eventType, channel }, locale);
  return {
    // A file contains all settings except sample variables, so a setting that is missing in the file is removed.
    ...(locale === "" && { ...NOT_SET, sampleVariables: undefined }),
    ...file,
    tenantId,
    eventType,
    channel,
    locale,
    basedOnVersion: current?.version ?? 0,
    format: formatOf(variant, file.content, current),
  };
}

/** Returns a variant's format; undefined if it follows from the text. */
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
  return filesFaultOf(`${path}: ${field} ${message}`);
}

function filesFaultOf(message: string): InputFault {
  return { field: "files", message };
}

function byPath([one]: [string, string], [other]: [string, string]): number {
  return one < other ? -1 : 1;
}

/** A variant of a template in the form of files. */
export interface WrittenTemplate {
  eventType: string;
  variant: VariantPath;
  file: TemplateFile;
}

/** Returns a tenant's (or the platform's) published templates. Throws `NotFound`. */
export async function publishedTemplates(db: Database, tenantId: string) {
  const found: WrittenTemplate[] = [];
  await requireOwner(db, tenantId);
  const isPublished = new Set<string>();
  for (const row of await publishedVariants(db, tenantId)) {
    const { id, eventType, channel, locale, compiledFormat } = row;
    // A translation without a default variant is not in force.
    if (locale === "") isPublished.add(id);
    else if (!isPublished.has(id)) continue;
    const format = row.format ?? compiledFormat ?? undefined;
    // The default variant's file has the settings for all languages.
    const file = { ...(locale === "" ? settingsOf(row) : {}), ...textInput(row) };
    found.push({ eventType, variant: { channel, locale, format }, file });
  }
  return found;
}

/** Returns the path and text of a file for each template. */
export function filesOfTemplates(templates: readonly WrittenTemplate[]): [string, string][] {
  const folders = folderNames(templates.map(({ eventType }) => eventType));
  return templates.map(({ eventType, variant, file }) => {
    const folder = folders.get(eventType) ?? "";
    const isSaid = eventTypeOf(folder) === eventType;
    const text = writeTemplateFile({ ...file, eventType: isSaid ? undefined : eventType });
    return [`${folder}/${variantFileName(variant)}`, text];
  });
}
