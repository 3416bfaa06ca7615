import { flag, integer, orNull, time } from "@belfry/contracts/fields";
import type { Database } from "@belfry/database/connection";
import { type Static, Type } from "@sinclair/typebox";
import { defineAct, defineRead, EDIT, LOOK, note, optional } from "../act.ts";
import { emailOf } from "../audited.ts";
import { Conflict, NotFound, refuseFaults } from "../input-error.ts";
import { digestWarnings } from "./digest-gaps.ts";
import {
  type PreparedTemplate,
  prepareTemplate,
  SavedTemplate,
  savedNote,
  savePreparedTemplate,
} from "./put-template.ts";
import { type Author, authorOf } from "./sensitive-copies.ts";
import {
  ADDRESS,
  LOCALE,
  localeOf,
  NO_TEXT,
  ownerFault,
  PUT_FIELDS,
  type TemplateInput,
  VERSIONS,
  WRITTEN_TEXTS,
  writtenTexts,
} from "./template-input.ts";
import {
  deleteTemplateRow,
  holdTemplate,
  inputText,
  type TemplateRow,
  textInput,
} from "./template-rows.ts";
import { namedSettings, SETTING_FIELDS, settingsAfter } from "./template-settings.ts";
import {
  ORDER,
  ORDER_TEMPLATE,
  requireTemplate,
  type TemplateAddress,
  TemplateWarning,
  targetOf,
} from "./templates.ts";
import { deleteDraft, findDraft, localesOfTemplates, upsertDraft } from "./variant-rows.ts";

export const Draft = Type.Object(
  {
    templateId: Type.String(),
    tenantId: Type.String(),
    ...ADDRESS,
    locale: Type.String({ description: "Empty: the default variant" }),
    ...WRITTEN_TEXTS,
    settings: Type.Object(SETTING_FIELDS, {
      description: "Settings that publishing applies, as they were given: they are not checked yet",
    }),
    revision: Type.Integer({ description: "Changes with every save" }),
    basedOnVersion: Type.Integer({
      description: "The published version that the draft was begun from",
    }),
    sourceVersion: orNull(
      Type.Integer({ description: "Version that a translation was made from" }),
    ),
    savedBy: orNull(Type.String()),
    savedAt: time("When it was saved"),
  },
  { title: "Draft", description: "The draft of one variant, which is not in use" },
);
export type TemplateDraft = Static<typeof Draft>;

/** A template and a language; no language means the default variant. */
type VariantAddress = TemplateAddress & { locale?: string | undefined };

export type DraftInput = TemplateInput & {
  /** The revision of the draft that the editor last saw; 0 for none. If left out, any draft is replaced. */
  revision?: number | undefined;
};

const revision = optional(
  integer(VERSIONS),
  "the draft's that was last seen, 0: none yet; refused where another is there",
);
const { active: _active, ...draftSettings } = SETTING_FIELDS;
const variant = Type.Object({ ...ADDRESS, ...LOCALE });
const EXAMPLE: TemplateDraft = {
  ...ORDER,
  ...NO_TEXT,
  templateId: ORDER_TEMPLATE.id,
  tenantId: "acme",
  locale: "",
  content: "Your order {{ id }}",
  settings: {},
  revision: 1,
  basedOnVersion: 1,
  sourceVersion: null,
  savedBy: "ann@example.com",
  savedAt: "2026-11-20T09:00:00.000Z",
};

export const showDraft = defineRead({
  name: "template draft show",
  http: "GET /templates/:eventType/:channel/draft",
  access: LOOK,
  summary: "The draft of a template, with its text",
  input: variant,
  output: Draft,
  example: { input: ORDER, output: EXAMPLE },
  run: ({ db, tenantId }, input) => readDraft(db, { ...input, tenantId }),
});

export const putDraft = defineAct({
  name: "template draft put",
  http: "PUT /templates/:eventType/:channel/draft",
  access: EDIT,
  inBundle: true,
  tool: true,
  summary: "Save as a draft, which is not in use; faults are reported when it is published",
  input: Type.Object({
    ...PUT_FIELDS,
    ...draftSettings,
    revision,
    autosave: optional(
      flag(),
      "one save of many as a person types: the audit log tells of the first",
    ),
  }),
  output: Type.Object(
    { ...Draft.properties, warnings: Type.Array(TemplateWarning) },
    { title: "SavedDraft" },
  ),
  example: {
    input: { ...ORDER, content: EXAMPLE.content },
    output: { ...EXAMPLE, warnings: [] },
  },
  flags: { autosave: null },
  async run({ db, tenantId, actor }, input) {
    const { isNew } = await saveDraft(db, { ...input, tenantId, createdBy: emailOf(actor) });
    const { template, draft } = await requireDraft(db, { ...input, tenantId });
    const { channel } = draft;
    const { digest } = settingsAfter(template, draft.settings, draft.locale);
    const texts = writtenTexts(draft);
    const warnings = await digestWarnings(db, { tenantId, channel, digest, texts });
    return { output: { ...draft, warnings }, isNew };
  },
  audit: (input, { output: { revision }, isNew }) =>
    input.autosave === true && !isNew
      ? undefined
      : note("template.draft", targetOf(input), { after: { revision } }),
});

export const discardDraft = defineAct({
  name: "template draft discard",
  http: "DELETE /templates/:eventType/:channel/draft",
  access: EDIT,
  inBundle: true,
  summary: "Discard the draft; prints its last text",
  description: "A template that was never published is deleted with its last draft.",
  input: Type.Object({ ...ADDRESS, ...LOCALE, revision }),
  output: Draft,
  example: { input: ORDER, output: EXAMPLE },
  async run({ db, tenantId }, { revision, ...input }) {
    const address = { ...input, tenantId };
    await requireTemplate(db, address);
    const { id } = await holdTemplate(db, address);
    const draft = await readDraft(db, address);
    if (revision !== undefined && revision !== draft.revision) throw draftChanged(draft.revision);
    await deleteDraft(db, id, draft.locale);
    const left = await localesOfTemplates(db, { tenantId, templateId: id });
    if (left.length === 0) await deleteTemplateRow(db, { id, tenantId });
    return { output: draft };
  },
  audit: (input, { output: { revision, basedOnVersion, savedBy } }) =>
    note("template.discard-draft", targetOf(input), {
      before: { revision, basedOnVersion, savedBy },
    }),
});

export const publishDraft = defineAct({
  name: "template publish",
  http: "POST /templates/:eventType/:channel/publish",
  access: EDIT,
  configures: true,
  inBundle: true,
  summary: "Publish a draft, live within 5 s; refused if another version was published since",
  input: Type.Object({
    ...ADDRESS,
    ...LOCALE,
    revision,
    basedOnVersion: optional(
      integer(VERSIONS),
      "publish over this version, though the draft began with another",
    ),
    sourceVersion: optional(
      integer(VERSIONS),
      "of a translation: the version of the default that it says the same as",
    ),
  }),
  output: SavedTemplate,
  example: { input: ORDER, output: { ...ORDER_TEMPLATE, warnings: [] } },
  prepare: ({ db, tenantId, actor, may }, input) =>
    prepareDraft(db, { ...input, tenantId }, authorOf({ actor, may })),
  run: ({ db }, _, prepared) => savePreparedTemplate(db, prepared),
  audit: savedNote("publish"),
});

export const publishDrafts = defineAct({
  name: "template publish-all",
  access: { scope: "tenant", person: "editor" },
  configures: true,
  inBundle: true,
  command: false,
  summary: "Publish the drafts of several languages of a template, all of them or none",
  input: Type.Object({
    ...ADDRESS,
    drafts: Type.Array(
      Type.Object({
        ...LOCALE,
        revision: integer(VERSIONS),
        basedOnVersion: integer(VERSIONS),
        sourceVersion: optional(integer(VERSIONS)),
      }),
      { description: "The default first: translations need it" },
    ),
  }),
  output: Type.Array(SavedTemplate),
  async prepare({ db, tenantId, actor, may }, { drafts, ...address }) {
    const prepared = [];
    const sourceComes = drafts.some((draft) => localeOf(draft) === "");
    for (const draft of drafts) {
      const chosen = { ...address, ...draft, tenantId, sourceComes };
      prepared.push(await prepareDraft(db, chosen, authorOf({ actor, may })));
    }
    return prepared;
  },
  async run({ db }, _, prepared) {
    const saved = [];
    for (const one of prepared) saved.push(await savePreparedTemplate(db, one));
    return { output: saved.map(({ output }) => output), saved };
  },
  audit: (input, { saved }) => saved.map((one) => savedNote("publish")(input, one)),
});

/**
 * Saves a draft, faulty or not, with the settings that publishing will apply. Creates the template if it does not
 * exist; it is not in force before it is published. A draft keeps the version on which it is based, unless
 * `basedOnVersion` changes it. Throws `InvalidInput` for what cannot be stored, `NotFound`, and `Conflict` with the
 * current revision if it is not `revision`. Call it in a transaction.
 */
export async function saveDraft(db: Database, input: DraftInput) {
  const { tenantId, eventType } = input;
  refuseFaults([ownerFault(tenantId, eventType)]);
  const locale = localeOf(input);
  // Locks in the same order as publishing, so that the two do not deadlock.
  const { id, version } = await holdTemplate(db, input, locale);
  const before = await findDraft(db, id, locale);
  if (input.revision !== undefined && input.revision !== (before?.revision ?? 0)) {
    throw draftChanged(before?.revision ?? 0);
  }
  // If the default variant is only a draft, it has no version yet. Publishing then uses the version in force.
  const source = locale === "" ? 0 : (await requireTemplate(db, { id, tenantId })).version;
  const { active: _, ...settings } = namedSettings(input);
  await upsertDraft(db, id, locale, {
    ...inputText(input),
    settings,
    basedOnVersion: input.basedOnVersion ?? before?.basedOnVersion ?? version,
    sourceVersion:
      locale === "" ? null : (input.sourceVersion ?? before?.sourceVersion ?? (source || null)),
    savedBy: input.createdBy ?? null,
  });
  return { templateId: id, isNew: before === undefined };
}

function draftChanged(revision: number): Conflict {
  return new Conflict(revision, "the draft was changed meanwhile");
}

/** Returns a draft. Throws `NotFound`. */
export async function readDraft(db: Database, address: VariantAddress): Promise<TemplateDraft> {
  return (await requireDraft(db, address)).draft;
}

/** Returns a draft, and the template with the text that is published in its language. Throws `NotFound`. */
export async function requireDraft(db: Database, address: VariantAddress) {
  const locale = localeOf(address);
  const template = await requireTemplate(db, address, locale);
  const { id: templateId, tenantId, eventType, channel } = template;
  const draft = await findDraft(db, templateId, locale);
  if (draft === undefined) throw new NotFound("locale", "the template has no draft here");
  const savedAt = draft.savedAt.toISOString();
  return { template, draft: { templateId, tenantId, eventType, channel, ...draft, savedAt } };
}

/**
 * Checks and compiles a draft. Call it outside of any transaction. Throws `InvalidInput` with the draft's faults,
 * `NotFound`, `Conflict` with the draft's revision if it is not `revision`, and `Conflict` with the version in force if
 * another version was published since the draft began.
 */
export async function prepareDraft(
  db: Database,
  address: VariantAddress & {
    revision?: number | undefined;
    basedOnVersion?: number | undefined;
    sourceVersion?: number | undefined;
    /** The same call publishes the default variant before this draft. */
    sourceComes?: boolean;
  },
  author?: Author,
): Promise<PreparedTemplate> {
  const { template, draft } = await requireDraft(db, address);
  const { revision = draft.revision, basedOnVersion = draft.basedOnVersion } = address;
  if (revision !== draft.revision) throw draftChanged(draft.revision);
  if (basedOnVersion !== template.version) throw new Conflict(template.version);
  const { sourceVersion = draft.sourceVersion } = address;
  const known = { ...draft, basedOnVersion, sourceVersion };
  const { sourceComes = false } = address;
  const input = inputOfDraft(template, known, author);
  const prepared = await prepareTemplate(db, input, { sourceComes });
  // `keeps` leaves `active` unchanged, so that a concurrent deactivation survives.
  return { ...prepared, draftRevision: draft.revision, keeps: "active" };
}

/** Returns a draft in the form of the input of `template put`. */
export function inputOfDraft(
  template: TemplateRow,
  draft: TemplateDraft,
  author?: Author,
): TemplateInput {
  const { tenantId, eventType, channel, locale, basedOnVersion } = draft;
  return {
    tenantId,
    eventType,
    channel,
    locale,
    basedOnVersion,
    ...author,
    ...textInput(draft),
    active: template.active,
    sourceVersion: draft.sourceVersion ?? undefined,
    ...draft.settings,
  };
}
