import type { Channel } from "@belfry/contracts/channels";
import type { Database } from "@belfry/database/connection";
import type { CompiledTemplate } from "@belfry/templates/compiled-template";
import type { Rendered } from "@belfry/templates/render";
import { type InputFault, InvalidInput } from "../input-error.ts";
import { compileSource } from "./compile-source.ts";
import { type TemplateSourceInput, templateSource } from "./template-input.ts";
import { requireTemplate, type TemplateAddress, type TemplateWarning } from "./templates.ts";

type WithoutVerdict<T> = T extends unknown ? Omit<T, "ok"> : never;

/** What would be sent, and in `missing` the names that the variables do not have. */
export type Preview = { channel: Channel } & WithoutVerdict<Extract<Rendered, { ok: true }>>;

/** Renders a saved template. Throws `NotFound`, and `InvalidInput` when the result is too large or too costly. */
export async function previewTemplate(
  db: Database,
  address: TemplateAddress,
  variables: Record<string, unknown>,
): Promise<Preview> {
  const row = await requireTemplate(db, address);
  return await preview(row.channel, row.compiled as CompiledTemplate, variables);
}

/** Renders a template that is not saved. Throws `InvalidInput` for its faults too. */
export async function previewSource(
  tenantId: string,
  input: TemplateSourceInput,
  variables: Record<string, unknown>,
): Promise<Preview> {
  const { compiled } = await compileSource(templateSource(input), tenantId);
  return await preview(input.channel, compiled, variables);
}

export type SourceCheck =
  | { ok: true; preview: Preview; variables: string[]; warnings: TemplateWarning[] }
  | { ok: false; faults: readonly InputFault[] };

/** What an editor shows as one types: the result, or every fault with its place. Never throws for either. */
export async function checkSource(
  tenantId: string,
  input: TemplateSourceInput,
  variables: Record<string, unknown>,
): Promise<SourceCheck> {
  try {
    const { compiled, warnings } = await compileSource(templateSource(input), tenantId);
    const shown = await preview(input.channel, compiled, variables);
    return { ok: true, preview: shown, variables: compiled.variables, warnings };
  } catch (error) {
    if (error instanceof InvalidInput) return { ok: false, faults: error.faults };
    throw error;
  }
}

async function preview(
  channel: Channel,
  compiled: CompiledTemplate,
  variables: Record<string, unknown>,
): Promise<Preview> {
  const { createRenderer } = await import("@belfry/templates/render");
  const rendered = createRenderer(compiled)(variables);
  if (!rendered.ok) {
    throw new InvalidInput([{ field: "variables", message: `do not render: ${rendered.reason}` }]);
  }
  const { ok: _, ...shown } = rendered;
  return { channel, ...shown };
}
