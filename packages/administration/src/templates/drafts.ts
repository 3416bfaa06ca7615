import type { Channel } from "@belfry/contracts/channels";
import { type Database, inTransaction } from "@belfry/database/connection";
import {
  Conflict,
  InvalidInput,
  NotFound,
  preparedAndSaved,
  refuseFaults,
} from "../input-error.ts";
import { draftFaults } from "./draft-input.ts";
import { type DraftRow, deleteDraft, findDraft, upsertDraft } from "./draft-rows.ts";
import { holdOwner } from "./hold-owner.ts";
import {
  type PreparedTemplate,
  prepareTemplate,
  type SavedTemplate,
  savePreparedTemplate,
} from "./put-template.ts";
import {
  localeFault,
  localeOf,
  type TemplateInput,
  type TemplateSettingsInput,
} from "./template-input.ts";
import { deleteTemplateRow, holdTemplate, type TemplateRow } from "./template-rows.ts";
import { inputText, textInput } from "./template-text.ts";
import { requireOwner, requireTemplate, type TemplateAddress } from "./templates.ts";
import { findVariant, localesOfTemplates } from "./variant-rows.ts";

/** A draft of one variant, in force nowhere. */
export interface TemplateDraft extends Omit<DraftRow, "savedAt"> {
  templateId: string;
  tenantId: string;
  eventType: string;
  channel: Channel;
  /** ISO 8601, UTC. */
  savedAt: string;
}

/** `TemplateAddress` and a language; without one the default variant. */
export type VariantAddress = TemplateAddress & { locale?: string | undefined };

export type DraftInput = TemplateInput & {
  /** The draft's that the editor last saw, 0: none yet; left out: whatever is there is replaced. */
  revision?: number | undefined;
};

/**
 * Keeps what is being written, faulty or not, with what publishing it will set. A new template is made
 * for it, which is in force nowhere. A draft goes on from the version that it began with, unless
 * `basedOnVersion` says another. Throws `InvalidInput` for what cannot be kept, `NotFound`, and `Conflict`
 * (with its revision) where another revision is there.
 */
export async function saveDraft(db: Database, input: DraftInput) {
  refuseFaults(draftFaults(input));
  const { tenantId, eventType, channel } = input;
  const locale = localeOf(input);
  await requireOwner(db, tenantId);
  return await inTransaction(db, async (transaction) => {
    // In the order in which publishing takes them.
    await holdOwner(transaction, tenantId);
    const { id } = await holdTemplate(transaction, { tenantId, eventType, channel });
    const before = await findDraft(transaction, id, locale);
    if (input.revision !== undefined && input.revision !== (before?.revision ?? 0)) {
      throw new Conflict(before?.revision ?? 0, "the draft was changed meanwhile");
    }
    const published = (await findVariant(transaction, id, locale))?.version ?? 0;
    // Of a default that is a draft itself nothing is known yet: what is in force when this is published.
    const source = locale === "" ? undefined : (await findVariant(transaction, id, ""))?.version;
    const revision = await upsertDraft(transaction, id, locale, {
      ...inputText(input),
      settings: settingsOfDraft(input),
      basedOnVersion: input.basedOnVersion ?? before?.basedOnVersion ?? published,
      sourceVersion:
        locale === "" ? null : (input.sourceVersion ?? before?.sourceVersion ?? source ?? null),
      savedBy: input.createdBy ?? null,
    });
    return { templateId: id, revision };
  });
}

/** Throws `NotFound`. */
export async function showDraft(db: Database, address: VariantAddress): Promise<TemplateDraft> {
  const template = await requireTemplate(db, address);
  const { id: templateId, tenantId, eventType, channel } = template;
  const locale = requireLocale(address);
  const draft = await findDraft(db, templateId, locale);
  if (draft === undefined) throw new NotFound("locale", "the template has no draft here");
  const savedAt = draft.savedAt.toISOString();
  return { templateId, tenantId, eventType, channel, ...draft, savedAt };
}

/**
 * Throws the draft away, and with the last one a template of which nothing was ever published. Returns
 * it. Throws `NotFound`, and `Conflict` where `revision` is given and another is there.
 */
export async function discardDraft(db: Database, address: VariantAddress, revision?: number) {
  return await inTransaction(db, async (transaction) => {
    const { tenantId, eventType, channel } = await requireTemplate(transaction, address);
    await holdOwner(transaction, tenantId);
    await holdTemplate(transaction, { tenantId, eventType, channel });
    const draft = await showDraft(transaction, address);
    if (revision !== undefined && revision !== draft.revision) {
      throw new Conflict(draft.revision, "the draft was changed meanwhile");
    }
    await deleteDraft(transaction, draft.templateId, draft.locale);
    const left = await localesOfTemplates(transaction, {
      tenantId,
      templateId: draft.templateId,
    });
    if (left.length === 0) {
      await deleteTemplateRow(transaction, { id: draft.templateId, tenantId });
    }
    return draft;
  });
}

/** `savePreparedTemplate` of what `prepareDraft` makes: puts the draft in force, and it is gone. */
export async function publishDraft(
  db: Database,
  address: VariantAddress & { revision?: number | undefined },
  createdBy?: string,
): Promise<SavedTemplate> {
  return await preparedAndSaved(
    () => prepareDraft(db, address, createdBy),
    (prepared) => savePreparedTemplate(db, prepared),
  );
}

/**
 * Checks and compiles a draft, outside of any transaction. With a `revision` it is that one, or none.
 * Throws `InvalidInput` with its faults, `NotFound`, and `Conflict` (with the version that is in force)
 * where another version was published since it began.
 */
export async function prepareDraft(
  db: Database,
  address: VariantAddress & { revision?: number | undefined },
  createdBy?: string,
): Promise<PreparedTemplate> {
  const template = await requireTemplate(db, address, requireLocale(address));
  const draft = await showDraft(db, address);
  if (address.revision !== undefined && address.revision !== draft.revision) {
    throw new Conflict(draft.revision, "the draft was changed meanwhile");
  }
  if (draft.basedOnVersion !== template.version) throw new Conflict(template.version);
  const prepared = await prepareTemplate(db, inputOfDraft(template, draft, createdBy));
  // Who switches it off while it is compiled does not find it on again.
  return { ...prepared, draftRevision: draft.revision, keeps: "active" };
}

/** As if it were put. */
export function inputOfDraft(
  template: TemplateRow,
  draft: TemplateDraft,
  createdBy?: string,
): TemplateInput {
  const { tenantId, eventType, channel, locale, basedOnVersion } = draft;
  return {
    ...{ tenantId, eventType, channel, locale, basedOnVersion, createdBy },
    ...textInput(draft),
    active: template.active,
    sourceVersion: draft.sourceVersion ?? undefined,
    ...draft.settings,
  };
}

function settingsOfDraft(input: TemplateInput): TemplateSettingsInput {
  const { targetChannel, sensitive, atMostOnce, plainCharacters, expiresAfterSeconds } = input;
  const { sampleVariables, requiredVariables, digest, throttle, afterUnreadSeconds } = input;
  const flags = { sensitive, atMostOnce, plainCharacters };
  const settings = { targetChannel, ...flags, expiresAfterSeconds };
  const timing = { digest, throttle, afterUnreadSeconds };
  const all = { ...settings, sampleVariables, requiredVariables, ...timing };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function requireLocale(address: VariantAddress): string {
  const fault = localeFault(address.locale);
  if (fault !== undefined) throw new InvalidInput([fault]);
  return localeOf(address);
}
