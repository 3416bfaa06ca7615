import { isDeepStrictEqual } from "node:util";
import { PLATFORM } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import type { CompiledTemplate } from "@belfry/templates/compiled-template";
import { changeConfiguration } from "../change-configuration.ts";
import {
  Conflict,
  type InputFault,
  InvalidInput,
  PreparedTooEarly,
  refuseFaults,
} from "../input-error.ts";
import { lockTenant } from "../tenants/tenant-rows.ts";
import { tenantNotFound } from "../tenants/tenants.ts";
import { compileInput } from "./compile-source.ts";
import { brandName, compilableLayout } from "./layout-in-force.ts";
import { changedLayout, type LayoutInput, layoutInputFaults } from "./layout-input.ts";
import { insertLayout, type LayoutSettings, NO_LAYOUT, newestLayout } from "./layout-rows.ts";
import { type MarkdownVariant, markdownVariants } from "./markdown-variants.ts";
import { textOf } from "./template-text.ts";
import { requireOwner } from "./templates.ts";
import { insertVersion, moveSourceVersions } from "./variant-rows.ts";

/** A layout that every Markdown template of the tenant was compiled in, and may be put in force. */
export interface PreparedLayout {
  tenantId: string;
  layout: LayoutSettings;
  createdBy: string | null;
  /** What it was made from, and may take the place of. */
  basedOnVersion: number;
  brandName: string | undefined;
  variants: { variant: MarkdownVariant; compiled: CompiledTemplate }[];
}

/**
 * Checks a layout and compiles every Markdown template of the tenant in it, one after the other and
 * outside of any transaction. Throws `InvalidInput` with each template that does not compile and why,
 * `NotFound`, `Conflict`.
 */
export async function prepareLayout(db: Database, input: LayoutInput): Promise<PreparedLayout> {
  if (db.isTransaction) throw new Error("templates are compiled before the transaction begins");
  const { tenantId } = input;
  refuseFaults(layoutInputFaults(input));
  await requireOwner(db, tenantId);
  const now = await newestLayout(db, tenantId);
  const basedOnVersion = now?.version ?? 0;
  if (input.basedOnVersion !== undefined && input.basedOnVersion !== basedOnVersion) {
    throw new Conflict(basedOnVersion);
  }
  const layout = changedLayout(now === undefined ? NO_LAYOUT : settingsOf(now), input);
  const brand = await brandName(db, tenantId);
  const compilable = compilableLayout(layout, brand);
  const { checkLayout } = await import("@belfry/templates/check-layout");
  refuseFaults(
    (await checkLayout(compilable, tenantId)).map(({ field, line, column, message }) => ({
      ...{ field, line, column },
      message: `line ${line}, column ${column}: ${message}`,
    })),
  );
  const inForce = { version: basedOnVersion, layout: compilable };
  const variants: PreparedLayout["variants"] = [];
  const faults: InputFault[] = [];
  for (const variant of await markdownVariants(db, tenantId)) {
    try {
      const { compiled } = await compileInput(db, tenantId, sourceOf(variant), inForce);
      variants.push({ variant, compiled });
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      faults.push(...error.faults.map((fault) => templateFault(variant, fault)));
    }
  }
  refuseFaults(faults);
  const createdBy = input.createdBy ?? null;
  return { tenantId, layout, createdBy, basedOnVersion, brandName: brand, variants };
}

/**
 * Puts it in force, and publishes a new version of every template that it changes. Returns how many.
 * Throws `NotFound`, and `Conflict` when the layout, the tenant's name or one of the templates has
 * changed since it was prepared.
 */
export async function savePreparedLayout(db: Database, prepared: PreparedLayout): Promise<number> {
  const { tenantId, layout, createdBy, basedOnVersion } = prepared;
  return await changeConfiguration(db, async (transaction) => {
    if (tenantId !== PLATFORM && !(await lockTenant(transaction, tenantId))) {
      throw tenantNotFound(tenantId, "tenantId");
    }
    const now = await newestLayout(transaction, tenantId);
    const version = now?.version ?? 0;
    if (version !== basedOnVersion) throw new PreparedTooEarly(version);
    await requireUnchanged(transaction, prepared);
    if (!isDeepStrictEqual(now === undefined ? NO_LAYOUT : settingsOf(now), layout)) {
      await insertLayout(transaction, tenantId, layout, createdBy);
    }
    let count = 0;
    for (const { variant, compiled } of prepared.variants) {
      if (isDeepStrictEqual(variant.compiled, JSON.parse(JSON.stringify(compiled)))) continue;
      count += 1;
      const { templateId, locale, sourceVersion } = variant;
      const saved = { ...textOf(variant), compiled, createdBy };
      const made = await insertVersion(transaction, { templateId, locale, sourceVersion }, saved);
      if (locale === "") await moveSourceVersions(transaction, templateId, variant.version, made);
    }
    return count;
  });
}

/** The templates that were compiled are those that there are. */
async function requireUnchanged(db: Database, prepared: PreparedLayout): Promise<void> {
  const then = prepared.variants.map(({ variant }) => variant.versionId);
  const now = await markdownVariants(db, prepared.tenantId, { hold: true });
  const isSame = isDeepStrictEqual(
    now.map(({ versionId }) => versionId),
    then,
  );
  if (isSame && (await brandName(db, prepared.tenantId)) === prepared.brandName) return;
  throw new PreparedTooEarly(
    prepared.basedOnVersion,
    "a template or the tenant was changed meanwhile: publish the layout once more",
  );
}

function sourceOf(variant: MarkdownVariant) {
  const { channel, content, subject, locale } = variant;
  return { channel, content, subject: subject ?? "", locale, format: "markdown" } as const;
}

function templateFault(variant: MarkdownVariant, fault: InputFault): InputFault {
  const { eventType, channel, locale } = variant;
  const name = `${JSON.stringify(eventType)} ${channel}${locale === "" ? "" : ` ${locale}`}`;
  const message = `does not go with the template ${name}: ${fault.field} ${fault.message}`;
  return { field: "layout", message };
}

function settingsOf(row: LayoutSettings): LayoutSettings {
  const { content, logoUrl, primaryColor, backgroundColor, textColor, footerText, address } = row;
  return { content, logoUrl, primaryColor, backgroundColor, textColor, footerText, address };
}
