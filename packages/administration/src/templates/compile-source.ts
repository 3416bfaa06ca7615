import { PLATFORM } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import type {
  CompiledTemplate,
  CompileSettings,
  TemplateFault,
  TemplateSource,
} from "@belfry/templates/source";
import { type InputFault, InvalidInput } from "../input-error.ts";
import { tenantById } from "../tenants/tenant-rows.ts";
import { type LayoutInForce, layoutIn, layoutInForce } from "./layout-rows.ts";
import { localeOf, type TemplateSourceInput, templateSource } from "./template-input.ts";

interface CompiledSource {
  compiled: CompiledTemplate;
  warnings: TemplateFault[];
}

/** `layoutVersion`: the version of the layout with which Markdown was compiled; null for other formats. */
type CompiledInput = CompiledSource & { layoutVersion: number | null };

/**
 * Compiles a template's source, Markdown with the tenant's layout. Without a database, compiles with the platform's
 * settings and layout. Throws `InvalidInput` with the position of each fault.
 */
export async function compileInput(
  db: Database | undefined,
  tenantId: string,
  input: TemplateSourceInput,
  inForce?: LayoutInForce,
): Promise<CompiledInput> {
  const locale = localeOf(input);
  const settings = { ...(await compileSettings(db, tenantId)), locale: locale || undefined };
  if (input.format !== "markdown") {
    const source = templateSource(input);
    return { ...(await compileSource(source, settings)), layoutVersion: null };
  }
  const { version, layout } = inForce ?? (await layoutInForce(db, tenantId));
  const source = templateSource(input, layoutIn(layout, locale));
  return { ...(await compileSource(source, settings)), layoutVersion: version };
}

/** Returns the settings for compiling a tenant's mails. */
export async function compileSettings(
  db: Database | undefined,
  tenantId: string,
): Promise<CompileSettings> {
  const tenant = db && tenantId !== PLATFORM ? await tenantById(db, tenantId) : undefined;
  const { linkSchemes, defaultLocale } = tenant ?? {};
  return { owner: tenantId, linkSchemes, defaultLocale };
}

/** Adds the line and column to each message. */
export function placed(faults: readonly Required<InputFault>[]): InputFault[] {
  return faults.map(({ field, line, column, message }) => ({
    field,
    line,
    column,
    message: `line ${line}, column ${column}: ${message}`,
  }));
}

async function compileSource(source: TemplateSource, settings: CompileSettings) {
  // Loaded here, because most commands never compile and must start quickly.
  const { compileTemplate } = await import("@belfry/templates/compile");
  const result = await compileTemplate(source, settings);
  if (!result.ok) {
    throw new InvalidInput(placed(result.faults));
  }
  const { compiled, warnings } = result;
  // A translation formats dates and numbers in its own language, the default variant in the tenant's.
  const written =
    settings.locale === undefined ? compiled : { ...compiled, locale: settings.locale };
  return { compiled: written, warnings };
}
