import { integer, orNull, time } from "@belfry/contracts/fields";
import type { Database } from "@belfry/database/connection";
import { emailFormat } from "@belfry/templates/source";
import { Type } from "@sinclair/typebox";
import { defineAct, defineRead, EDIT, LOOK, note } from "../act.ts";
import { emailOf } from "../audited.ts";
import { invalid, NotFound } from "../input-error.ts";
import {
  type PreparedTemplate,
  prepareTemplate,
  SavedTemplate,
  savedNote,
  savePreparedTemplate,
} from "./put-template.ts";
import { ADDRESS, LOCALE, localeOf, NO_TEXT, VERSIONS, WRITTEN_TEXTS } from "./template-input.ts";
import { holdTemplate, textInput } from "./template-rows.ts";
import {
  ORDER,
  ORDER_TEMPLATE,
  readTemplate,
  requireTemplate,
  Template,
  type TemplateAddress,
  targetOf,
} from "./templates.ts";
import { setSourceVersion, templateVersion, versionsOfTemplate } from "./variant-rows.ts";

const { content: _, ...texts } = WRITTEN_TEXTS;
const TemplateVersion = Type.Object(
  {
    version: Type.Integer(),
    locale: Type.String({ description: "Empty: the default variant" }),
    ...texts,
    createdBy: orNull(Type.String()),
    createdAt: time("When it was published"),
  },
  { title: "TemplateVersion" },
);
const createdAt = "2026-11-20T09:00:00.000Z";
const EXAMPLE = { ...NO_TEXT, version: 1, locale: "", createdBy: "ann@example.com", createdAt };

export const listTemplateVersions = defineRead({
  name: "template versions",
  http: "GET /templates/:eventType/:channel/versions",
  access: LOOK,
  summary: "List its published versions in all languages, newest first, without the contents",
  input: Type.Object(ADDRESS),
  output: Type.Array(TemplateVersion),
  example: { input: ORDER, output: [EXAMPLE] },
  async run({ db, tenantId }, input) {
    const versions = await readTemplateVersions(db, { ...input, tenantId });
    return versions.map((one) => ({ ...one, createdAt: one.createdAt.toISOString() }));
  },
});

export const restoreTemplate = defineAct({
  name: "template restore",
  http: "POST /templates/:eventType/:channel/versions/:version/restore",
  access: EDIT,
  configures: true,
  inBundle: true,
  summary: "Publish an older version again, in its language, as the newest",
  description: "Settings for all languages stay, and so does the active flag.",
  input: Type.Object({ ...ADDRESS, version: integer(VERSIONS, { description: "its number" }) }),
  output: SavedTemplate,
  example: {
    input: { ...ORDER, version: 1 },
    output: { ...ORDER_TEMPLATE, version: 2, warnings: [] },
  },
  prepare: ({ db, tenantId, actor }, { version, ...input }) =>
    prepareTemplateVersion(db, { ...input, tenantId }, version, emailOf(actor)),
  run: ({ db }, _, prepared) => savePreparedTemplate(db, prepared),
  audit(input, result) {
    const note = savedNote("restore")(input, result);
    return { ...note, after: { ...note.after, restored: input.version } };
  },
});

export const confirmTranslation = defineAct({
  name: "template confirm",
  http: "POST /templates/:eventType/:channel/confirm",
  access: EDIT,
  configures: true,
  inBundle: true,
  summary: "Mark a translation as up to date with the default text",
  input: Type.Object({ ...ADDRESS, ...LOCALE }),
  output: Template,
  example: { input: { ...ORDER, locale: "de" }, output: ORDER_TEMPLATE },
  async run({ db, tenantId }, input) {
    const language = localeOf(input);
    const address = { ...input, tenantId };
    await requireTemplate(db, address);
    const { id, version, sourceVersion } = await holdTemplate(db, address, language);
    const source = await requireTemplate(db, address);
    if (language === "" || version === 0 || source.version === 0) {
      throw invalid("locale", "is no published translation of the template");
    }
    await setSourceVersion(db, id, language, source.version);
    return {
      output: await readTemplate(db, address, language),
      before: { version, sourceVersion },
      after: { version, sourceVersion: source.version },
    };
  },
  audit: (input, { before, after }) => note("template.same", targetOf(input), { before, after }),
});

/** Returns versions in all languages, newest first, without their content. Throws `NotFound`. */
export async function readTemplateVersions(db: Database, address: TemplateAddress) {
  return await versionsOfTemplate(db, (await requireTemplate(db, address)).id);
}

/** Returns one version. Throws `NotFound`. */
export async function readTemplateVersion(db: Database, address: TemplateAddress, version: number) {
  const { id } = await requireTemplate(db, address);
  const found = Number.isInteger(version) ? await templateVersion(db, id, version) : undefined;
  if (found === undefined) throw new NotFound("version", `the template has no version ${version}`);
  return found;
}

/**
 * Prepares an older version, so that it can be published again in its language. The settings for all languages stay,
 * including `active`. Throws `NotFound`, `InvalidInput`.
 */
export async function prepareTemplateVersion(
  db: Database,
  address: TemplateAddress,
  version: number,
  createdBy?: string,
): Promise<PreparedTemplate> {
  const old = await textOfVersion(db, address, version);
  const prepared = await prepareTemplate(db, {
    ...old,
    createdBy,
    // Skips the check of settings, because they stay.
    mayShareSensitive: true,
  });
  return { ...prepared, keeps: "settings" };
}

/**
 * Returns the text and address of an older version, in the form of the input of a put or a draft. Throws `NotFound`.
 */
export async function textOfVersion(db: Database, address: TemplateAddress, version: number) {
  const old = await readTemplateVersion(db, address, version);
  const { locale } = old;
  const template = await requireTemplate(db, address, locale);
  const { tenantId, eventType, channel } = template;
  return {
    ...textInput(old),
    tenantId,
    eventType,
    channel,
    locale,
    // If the variant now has a set format, the old text needs one too: the one that was derived from it at that time.
    format: old.format ?? (template.format === null ? undefined : emailFormat(old.content)),
  };
}
