import type { Channel } from "@belfry/contracts/channels";
import type { Database } from "@belfry/database/connection";
import type { CompiledTemplate } from "@belfry/templates/compiled-template";
import type { Rendered } from "@belfry/templates/render";
import { type InputFault, InvalidInput, NotFound } from "../input-error.ts";
import { compileInput } from "./compile-source.ts";
import type { TemplateSourceInput } from "./template-input.ts";
import { requireTemplate, type TemplateAddress, type TemplateWarning } from "./templates.ts";

type WithoutVerdict<T> = T extends unknown ? Omit<T, "ok"> : never;

/** What would be sent, and in `missing` the names that the variables do not have. */
export type Preview = { channel: Channel } & WithoutVerdict<Extract<Rendered, { ok: true }>>;

/**
 * Renders what is published in a language. Throws `NotFound`, and `InvalidInput` when the result is too
 * large or too costly.
 */
export async function previewTemplate(
  db: Database,
  address: TemplateAddress,
  variables: Record<string, unknown>,
  locale = "",
): Promise<Preview> {
  const row = await requireTemplate(db, address, locale);
  if (row.versionId === null) {
    throw new NotFound("locale", "nothing of the template is published here");
  }
  return await preview(row.channel, row.compiled as CompiledTemplate, variables);
}

/**
 * Renders a template that is not saved, Markdown in the tenant's layout; without a database in the
 * platform's. Throws `InvalidInput` for its faults too.
 */
export async function previewSource(
  db: Database | undefined,
  tenantId: string,
  input: TemplateSourceInput,
  variables: Record<string, unknown>,
): Promise<Preview> {
  const { compiled } = await compileInput(db, tenantId, input);
  return await preview(input.channel, compiled, variables);
}

/** A variable that a text names, and what it does with it. */
export interface TemplateVariable {
  name: string;
  kind: "text" | "list" | "object" | "flag";
  /** Of a list's items, or of an object. */
  fields?: string[];
  /** Whether the values given have it. */
  filled: boolean;
}

export type SourceCheck =
  | { ok: true; preview: Preview; variables: TemplateVariable[]; warnings: TemplateWarning[] }
  | { ok: false; faults: readonly InputFault[] };

/** What an editor shows as one types: the result, or every fault with its place. Never throws for either. */
export async function checkSource(
  db: Database,
  tenantId: string,
  input: TemplateSourceInput,
  variables: Record<string, unknown>,
): Promise<SourceCheck> {
  try {
    const { compiled, warnings } = await compileInput(db, tenantId, input);
    const shown = await preview(input.channel, compiled, variables);
    const unfilled = new Set(shown.missing);
    const named = compiled.variables.map((name) => ({
      name,
      kind: "text" as const,
      filled: !unfilled.has(name),
    }));
    return { ok: true, preview: shown, variables: named, warnings };
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
