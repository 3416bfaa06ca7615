/** Compiles a mail's content in whichever format it is written. */

import type { Tag } from "../language/tags.ts";
import { PLATFORM_LAYOUT } from "../layout.ts";
import {
  type CompileSettings,
  placeFaults,
  type TemplateFault,
  type TemplateSource,
} from "../source.ts";
import { compileEmailContent } from "./compile-email.ts";
import { type CompiledMarkdown, compileMarkdown, type PartFault } from "./compile-markdown.ts";
import { layoutFaults } from "./layout-faults.ts";

export type CompiledMail =
  | (Omit<Extract<CompiledMarkdown, { ok: true }>, "warnings"> & { warnings: TemplateFault[] })
  | { ok: false; faults: TemplateFault[] };

/** `content`: the source's, cleaned, and its tags, which have no faults. */
export async function compileContent(
  { format, layout = PLATFORM_LAYOUT }: Extract<TemplateSource, { kind: "email" }>,
  { text, tags }: { text: string; tags: Tag[] },
  settings: CompileSettings,
): Promise<CompiledMail> {
  if (format !== "markdown") {
    const made = await compileEmailContent(text, tags, settings, format);
    if (!made.ok) return { ok: false, faults: placeFaults("content", text, made.faults) };
    return { ...made, tags, warnings: placeFaults("content", text, made.warnings) };
  }
  const faults = layoutFaults(layout).map(
    ({ field, ...fault }): TemplateFault => ({
      ...fault,
      field: "layout",
      message: `${field}: ${fault.message}`,
    }),
  );
  if (faults.length > 0) return { ok: false, faults };
  const made = await compileMarkdown(text, tags, layout, settings);
  const place = (found: PartFault[]): TemplateFault[] =>
    found.flatMap(({ part, ...fault }): TemplateFault[] => {
      if (part === "mail") return placeFaults("content", text, [fault]);
      const inLayout = part === "layout" ? layout.content : layout.footerText;
      return placeFaults("layout", inLayout ?? "", [fault]);
    });
  if (!made.ok) return { ok: false, faults: place(made.faults) };
  return { ...made, warnings: place(made.warnings) };
}
