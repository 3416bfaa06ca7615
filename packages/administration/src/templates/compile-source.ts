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

/** With the version of the layout that Markdown was set in; of anything else null. */
type CompiledInput = CompiledSource & { layoutVersion: number | null };

/**
 * Compiles what a person wrote, Markdown in the tenant's layout; without a database as the platform's.
 * Throws `InvalidInput` with the place of each fault.
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

/** With the place in the message, too. */
export function placed(faults: readonly Required<InputFault>[]): InputFault[] {
  return faults.map(({ field, line, column, message }) => ({
    field,
    line,
    column,
    message: `line ${line}, column ${column}: ${message}`,
  }));
}

async function compileSource(source: TemplateSource, settings: CompileSettings) {
  // Loaded when a template is compiled: most commands never do, and a start must be quick.
  const { compileTemplate } = await import("@belfry/templates/compile");
  const result = await compileTemplate(source, settings);
  if (!result.ok) {
    throw new InvalidInput(placed(result.faults));
  }
  const { compiled, warnings } = result;
  // A translation writes dates and numbers in its own language, the default variant in the tenant's.
  const written =
    settings.locale === undefined ? compiled : { ...compiled, locale: settings.locale };
  return { compiled: written, warnings };
}
