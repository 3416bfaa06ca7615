import type { CompiledTemplate } from "@belfry/templates/compiled-template";
import type { TemplateFault, TemplateSource } from "@belfry/templates/source";
import { InvalidInput } from "../input-error.ts";

export interface CompiledSource {
  compiled: CompiledTemplate;
  warnings: TemplateFault[];
}

/** For a tenant, or the platform. Throws `InvalidInput` with the place of each fault. */
export async function compileSource(
  source: TemplateSource,
  tenantId: string,
): Promise<CompiledSource> {
  // Loaded when a template is compiled: most commands never do, and a start must be quick.
  const { compileTemplate } = await import("@belfry/templates/compile");
  const result = await compileTemplate(source, tenantId);
  if (result.ok) return { compiled: result.compiled, warnings: result.warnings };
  throw new InvalidInput(
    result.faults.map(({ field, line, column, message }) => ({
      field,
      message: `line ${line}, column ${column}: ${message}`,
      line,
      column,
    })),
  );
}
