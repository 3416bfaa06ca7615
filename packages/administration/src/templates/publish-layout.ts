import { isDeepStrictEqual } from "node:util";
import type { Database } from "@belfry/database/connection";
import { changeConfiguration } from "../change-configuration.ts";
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

/** All that a layout's templates are compiled to, held until they are saved. */
const MAX_COMPILED_BYTES = 64 * 1024 * 1024;
const TOO_MANY: InputFault = {
  field: "layout",
  message: `cannot be published: all templates in Markdown together compile to more than ${MAX_COMPILED_BYTES / 1024 / 1024} MiB`,
};
/** Most faults in one answer. */
const MAX_FAULTS = 50;

/** Settings of a layout. A field that is left out stays; null means the platform's value or none. */
export type LayoutInput = { [K in keyof LayoutSettings]?: LayoutSettings[K] | undefined } & {
  /** `platform` for the `global.*` templates. */
  tenantId: string;
  /** The version that the editor began with (0: none yet): a save over another's is refused. */
  basedOnVersion?: number | undefined;
  /** The person who saved it, for the version's record. */
  createdBy?: string | undefined;
};

/** A layout that every Markdown template of the tenant was compiled in, and may be put in force. */
export interface PreparedLayout {
  tenantId: string;
  layout: LayoutSettings;
  createdBy: string | null;
  /** The version it is based on, which it may replace. */
  basedOnVersion: number;
  brandName: string | undefined;
  /** Versions in force with Markdown. */
  versionIds: string[];
  /** Variants that change with the layout, compiled, as JSON text. */
  compiled: { variant: MarkdownVariant; json: string }[];
}

/**
 * Checks a layout and compiles every Markdown template of the tenant in it, one after the other and
 * outside of any transaction. Throws `InvalidInput` with each template that does not compile and why,
 * `NotFound`, `Conflict`.
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

/** Compiles each in the layout, one after the other; of each that does not go with it the faults. */
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
    // Deleted meanwhile: saving will tell.
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
 * Puts it in force, and publishes a new version of every template that it changes. Returns how many.
 * Throws `NotFound`, and `Conflict` when the layout, the tenant's name or one of the templates has
 * changed since it was prepared.
 */
export async function savePreparedLayout(db: Database, prepared: PreparedLayout): Promise<number> {
  const { tenantId, layout, createdBy, basedOnVersion } = prepared;
  return await changeConfiguration(db, async (transaction) => {
    await holdOwner(transaction, tenantId);
    const now = await newestLayout(transaction, tenantId);
    const version = now?.version ?? 0;
    if (version !== basedOnVersion) throw new StaleCompilation(version);
    await requireUnchanged(transaction, prepared);
    if (!isDeepStrictEqual(settingsOfLayout(now), layout)) {
      await insertLayout(transaction, tenantId, layout, createdBy);
    }
    await publishCompiled(transaction, prepared);
    return prepared.compiled.length;
  });
}

/** Publishes what `compileVariants` has made. Call with the templates held. */
export async function publishCompiled(
  db: Database,
  { compiled, createdBy }: Pick<PreparedLayout, "compiled" | "createdBy">,
): Promise<void> {
  for (const { variant, json } of compiled) {
    const made = await publishAnew(db, variant, json, createdBy);
    if (variant.locale !== "") continue;
    await moveSourceVersions(db, variant.templateId, variant.version, made);
  }
}

/** The templates that were compiled are those that there are. */
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

/** The layout with what is given; an empty text is none, and a colour is written in lower case. */
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

/** Returns Markdown variants by template, each default variant last. `hold` blocks publishing until the transaction ends. */
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

/** A variant of a tenant in Markdown, in force: its layout goes around it. */
type MarkdownVariant = Awaited<ReturnType<typeof markdownVariants>>[number];

/** Its text, read one by one: together they may be large. */
async function readMarkdown(db: Database, { versionId }: MarkdownVariant) {
  return await db
    .selectFrom("template_versions")
    .select(["content", "subject", "compiled"])
    .where("id", "=", versionId)
    .executeTakeFirst();
}

/** Publishes the same text, compiled anew. Returns the version. Call with the templates held. */
async function publishAnew(
  db: Database,
  variant: MarkdownVariant,
  compiled: string,
  createdBy: string | null,
): Promise<number> {
  const { tenantId, templateId, locale, sourceVersion, versionId } = variant;
  const made = await db
    .insertInto("template_versions")
    .columns([
      ...(["template_id", "version", "locale", "content", "subject", "format"] as const),
      ...(["compiled", "created_by"] as const),
    ])
    .expression((from) =>
      from
        .selectFrom("template_versions as v")
        .select((select) => [
          ...(["v.template_id"] as const),
          select
            .selectFrom("template_versions as n")
            .select((n) => n(n.fn.max("n.version"), "+", 1).as("version"))
            .whereRef("n.template_id", "=", "v.template_id")
            .as("version"),
          ...(["v.locale", "v.content", "v.subject", "v.format"] as const),
          select.cast<string>(select.val(compiled), "jsonb").as("compiled"),
          select.val(createdBy).as("created_by"),
        ])
        .where("v.id", "=", versionId),
    )
    .returning(["id", "version"])
    .executeTakeFirstOrThrow();
  await putInForce(db, { tenantId, templateId, locale, sourceVersion }, made.id);
  return made.version;
}
