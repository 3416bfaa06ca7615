import { isDeepStrictEqual } from "node:util";
import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import {
  Conflict,
  type InputFault,
  InvalidInput,
  refuseFaults,
  StaleCompilation,
} from "../input-error.ts";
import { compileInput, compileSettings, placed } from "./compile-source.ts";
import { changedTexts } from "./footer-texts.ts";
import {
  brandName,
  compilableLayout,
  insertLayout,
  LAYOUT_SETTINGS,
  type LayoutInForce,
  type LayoutSettings,
  layoutIn,
  layoutOf,
  newestLayout,
  settingsOfLayout,
} from "./layout-rows.ts";
import { holdOwner } from "./template-rows.ts";
import { requireOwner } from "./templates.ts";
import { moveSourceVersions, putInForce } from "./variant-rows.ts";

/** Most bytes of compiled templates in one change, because they stay in memory until they are saved. */
const MAX_COMPILED_BYTES = 64 * 1024 * 1024;
const TOO_MANY: InputFault = {
  field: "layout",
  message: `cannot be published: all templates in Markdown together compile to more than ${MAX_COMPILED_BYTES / 1024 / 1024} MiB`,
};
/** Most faults in one answer. */
const MAX_FAULTS = 50;

/** Settings of a layout. A field that is left out stays; null means the platform's value, or none. */
export type LayoutInput = { [K in keyof LayoutSettings]?: LayoutSettings[K] | undefined } & {
  /** `platform` for the `global.*` templates. */
  tenantId: string;
  /** The version on which the editor began; 0 for none. Saving over another version is refused. */
  basedOnVersion?: number | undefined;
  /** The person who saved it, for the version's record. */
  createdBy?: string | undefined;
};

/** A layout with which every Markdown template of the tenant compiles, so that it may be published. */
export interface PreparedLayout {
  tenantId: string;
  layout: LayoutSettings;
  createdBy: string | null;
  /** The layout's current version, which it may replace. */
  basedOnVersion: number;
  brandName: string | undefined;
  /** Ids of all template versions in force that are Markdown. */
  versionIds: string[];
  /** Variants whose compiled form changes with the layout. `json`: the compiled form. */
  compiled: { variant: MarkdownVariant; json: string }[];
}

/**
 * Checks a layout and compiles every Markdown template of the tenant with it, one after another. Call it outside of any
 * transaction. Throws `InvalidInput` with each template that does not compile and why, `NotFound`, `Conflict`.
 */
export async function prepareLayout(db: Database, input: LayoutInput): Promise<PreparedLayout> {
  if (db.isTransaction) throw new Error("templates are compiled before the transaction begins");
  const { tenantId } = input;
  await requireOwner(db, tenantId);
  const now = await newestLayout(db, tenantId);
  const basedOnVersion = now?.version ?? 0;
  if (input.basedOnVersion !== undefined && input.basedOnVersion !== basedOnVersion) {
    throw new Conflict(basedOnVersion);
  }
  const layout = changedLayout(settingsOfLayout(now), input);
  const brand = await brandName(db, tenantId);
  const inForce = { version: basedOnVersion, layout: await checkedLayout(db, tenantId, layout) };
  const variants = await markdownVariants(db, tenantId);
  const { compiled, faults } = await compileVariants(db, tenantId, inForce, variants);
  refuseFaults(faults);
  const createdBy = input.createdBy ?? null;
  const versionIds = variants.map(({ versionId }) => versionId);
  return {
    tenantId,
    layout,
    createdBy,
    basedOnVersion,
    brandName: brand,
    versionIds,
    compiled,
  };
}

/** Checks a layout and returns the compiler's form. Throws `InvalidInput`. */
export async function checkedLayout(db: Database, tenantId: string, layout: LayoutSettings) {
  const compilable = compilableLayout(layout, await brandName(db, tenantId));
  const { checkLayout } = await import("@belfry/templates/compile-markdown");
  const settings = await compileSettings(db, tenantId);
  refuseFaults(placed(await checkLayout(layoutIn(compilable, ""), settings)));
  for (const locale of Object.keys(layout.footerTexts ?? {})) {
    const faults = placed(await checkLayout(layoutIn(compilable, locale), { ...settings, locale }));
    const ofText = ({ message, ...place }: InputFault) => ({
      ...place,
      field: "footerTexts",
      message: `(${locale}) ${message}`,
    });
    refuseFaults(faults.map(ofText));
  }
  return compilable;
}

/**
 * Compiles the variants with the layout, one after another. Returns those whose compiled form changes, and the faults
 * of those that do not compile. `onCompiled` receives the number of variants compiled so far.
 */
export async function compileVariants(
  db: Database,
  tenantId: string,
  layout: LayoutInForce,
  variants: readonly MarkdownVariant[],
  onCompiled?: (count: number) => void,
): Promise<Pick<PreparedLayout, "compiled"> & { faults: InputFault[] }> {
  const compiled: PreparedLayout["compiled"] = [];
  const faults: InputFault[] = [];
  let bytes = 0;
  for (const [at, variant] of variants.entries()) {
    onCompiled?.(at);
    const text = await readMarkdown(db, variant);
    // The variant was deleted meanwhile. Saving finds that out.
    if (text === undefined) continue;
    try {
      const made = await compileInput(db, tenantId, sourceOf(variant, text), layout);
      const json = JSON.stringify(made.compiled);
      if (isDeepStrictEqual(text.compiled, JSON.parse(json))) continue;
      bytes += Buffer.byteLength(json);
      if (bytes > MAX_COMPILED_BYTES) throw new InvalidInput([TOO_MANY]);
      compiled.push({ variant, json });
    } catch (error) {
      if (!(error instanceof InvalidInput) || error.faults[0] === TOO_MANY) throw error;
      faults.push(...error.faults.map((fault) => templateFault(variant, fault)));
    }
    if (faults.length >= MAX_FAULTS) break;
  }
  return { compiled, faults };
}

/**
 * Publishes a layout, and a new version of every template that it changes. Returns the number of these templates.
 * Throws `NotFound`, and `Conflict` if the layout, the tenant's name or a template has changed since the preparation.
 * Call it in a transaction that increments the configuration version.
 */
export async function savePreparedLayout(db: Database, prepared: PreparedLayout): Promise<number> {
  const { tenantId, layout, createdBy, basedOnVersion } = prepared;
  await holdOwner(db, tenantId);
  const now = await newestLayout(db, tenantId);
  const version = now?.version ?? 0;
  if (version !== basedOnVersion) throw new StaleCompilation(version);
  await requireUnchanged(db, prepared);
  if (!isDeepStrictEqual(settingsOfLayout(now), layout)) {
    await insertLayout(db, tenantId, layout, createdBy);
  }
  await publishCompiled(db, prepared);
  return prepared.compiled.length;
}

/** Publishes the results of `compileVariants`. The templates must be locked. */
export async function publishCompiled(
  db: Database,
  { compiled, createdBy }: Pick<PreparedLayout, "compiled" | "createdBy">,
): Promise<void> {
  for (const { variant, json } of compiled) {
    const made = await publishAnew(db, variant, json, createdBy);
    if (variant.locale !== "") continue;
    // The text of the default variant is the same, so its translations must not become outdated.
    await moveSourceVersions(db, variant.templateId, variant.version, made);
  }
}

/** Throws if the Markdown templates in force or the tenant's name are not those of the preparation. */
async function requireUnchanged(db: Database, prepared: PreparedLayout): Promise<void> {
  const now = await markdownVariants(db, prepared.tenantId, { hold: true });
  const isSame = isDeepStrictEqual(
    now.map(({ versionId }) => versionId),
    prepared.versionIds,
  );
  if (isSame && (await brandName(db, prepared.tenantId)) === prepared.brandName) return;
  throw new StaleCompilation(
    prepared.basedOnVersion,
    "a template or the tenant was changed meanwhile: publish the layout once more",
  );
}

function sourceOf(
  { channel, locale }: MarkdownVariant,
  { content, subject }: { content: string; subject: string | null },
) {
  return { channel, content, subject: subject ?? "", locale, format: "markdown" } as const;
}

function templateFault(variant: MarkdownVariant, fault: InputFault): InputFault {
  const { eventType, channel, locale } = variant;
  const name = `${JSON.stringify(eventType)} ${channel}${locale === "" ? "" : ` ${locale}`}`;
  const message = `does not go with the template ${name}: ${fault.field} ${fault.message}`;
  return { field: "layout", message };
}

/** Returns the layout with the given settings. An empty text means none. Writes colours in lower case with `#`. */
export function changedLayout(now: LayoutSettings, input: Partial<LayoutInput>): LayoutSettings {
  const { footerTexts } = input;
  const texts = footerTexts ? changedTexts(now.footerTexts, footerTexts) : footerTexts;
  const settings = layoutOf((name) => {
    const given = input[name];
    if (given === undefined) return now[name];
    if (given === null || given.trim() === "") return null;
    if (LAYOUT_SETTINGS[name].isColor)
      return given
        .trim()
        .toLowerCase()
        .replace(/^(?=[^#])/, "#");
    return name === "logoUrl" ? given.trim() : given;
  });
  return { ...settings, footerTexts: texts === undefined ? now.footerTexts : texts };
}

/**
 * Returns the Markdown variants in force by template, each default variant last. `hold` locks the templates, so that
 * nobody can publish until the transaction ends.
 */
export async function markdownVariants(db: Database, tenantId: string, { hold = false } = {}) {
  if (hold) {
    await db
      .selectFrom("templates")
      .select("id")
      .where("tenant_id", "=", tenantId)
      .orderBy("id")
      .forNoKeyUpdate()
      .execute();
  }
  return await db
    .selectFrom("templates as t")
    .innerJoin("template_variants as l", "l.template_id", "t.id")
    .innerJoin("template_versions as v", "v.id", "l.current_version_id")
    .select([
      "t.tenant_id as tenantId",
      "t.id as templateId",
      "t.event_type as eventType",
      "t.channel",
    ])
    .select(["l.locale", "l.source_version as sourceVersion"])
    .select(["v.id as versionId", "v.version"])
    .where("t.tenant_id", "=", tenantId)
    .where("v.format", "=", "markdown")
    .orderBy("t.id")
    .orderBy("l.locale", "desc")
    .execute();
}

/** A Markdown variant in force, which is compiled with the layout. */
type MarkdownVariant = Awaited<ReturnType<typeof markdownVariants>>[number];

/** Returns a variant's text. Texts are read one by one, because all together may be large. */
async function readMarkdown(db: Database, { versionId }: MarkdownVariant) {
  return await db
    .selectFrom("template_versions")
    .select(["content", "subject", "compiled"])
    .where("id", "=", versionId)
    .executeTakeFirst();
}

/** Publishes the same text in a new compiled form, and returns the new version. The templates must be locked. */
async function publishAnew(
  db: Database,
  variant: MarkdownVariant,
  compiled: string,
  createdBy: string | null,
): Promise<number> {
  const { tenantId, templateId, locale, sourceVersion, versionId } = variant;
  const { rows } = await sql<{ id: string; version: number }>`
    insert into template_versions (template_id, version, locale, content, subject, format, compiled, created_by)
    select template_id, (select max(version) + 1 from template_versions where template_id = ${templateId}),
           locale, content, subject, format, ${compiled}::jsonb, ${createdBy}::text
    from template_versions where id = ${versionId}
    returning id, version`.execute(db);
  const made = rows[0]!;
  await putInForce(db, { tenantId, templateId, locale, sourceVersion }, made.id);
  return made.version;
}
