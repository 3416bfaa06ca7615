import assert from "node:assert/strict";
import { compileTemplate } from "../src/compile.ts";
import { createRenderer, type Rendered, type RenderSettings } from "../src/render.ts";
import type {
  CompiledTemplate,
  CompileSettings,
  TemplateFault,
  TemplateSource,
} from "../src/source.ts";

type Kind = TemplateSource["kind"];
type Source<Of extends Kind> = Extract<TemplateSource, { kind: Of }>;
type Compiled<Of extends Kind> = Extract<CompiledTemplate, { kind: Of }>;

/** The source of a mail with the subject `S`. */
export function mailSource(content: string, more: Partial<Source<"email">> = {}): Source<"email"> {
  return { kind: "email", subject: "S", content, ...more };
}

/** Compiles a source without a fault, and returns what a row holds of it. */
export async function compiled<Of extends Kind>(
  source: Source<Of>,
  settings: Partial<CompileSettings> = {},
): Promise<Compiled<Of>> {
  const result = await compileTemplate(source, { owner: "acme", ...settings });
  assert.ok(result.ok, JSON.stringify([source, result]));
  return JSON.parse(JSON.stringify(result.compiled));
}

/** Compiles a source that is refused, and returns its faults. */
export async function faultsOf(
  source: TemplateSource,
  settings: Partial<CompileSettings> = {},
): Promise<TemplateFault[]> {
  const result = await compileTemplate(source, { owner: "acme", ...settings });
  assert.ok(!result.ok, `${JSON.stringify(source)} is not refused`);
  return result.faults;
}

/** Renders a compiled template that these values do not make fail. */
export function message<Of extends Kind>(
  template: Compiled<Of>,
  values: Record<string, unknown>,
  settings: RenderSettings = {},
) {
  const rendered = createRenderer(template as CompiledTemplate)(values, settings);
  assert.ok(rendered.ok && rendered.kind === template.kind, JSON.stringify(rendered));
  return rendered as Extract<Rendered, { ok: true; kind: Of }>;
}

/** Compiles a source and renders it with these values. */
export async function rendered<Of extends Kind>(
  source: Source<Of>,
  values: Record<string, unknown>,
) {
  return message(await compiled(source), values);
}
