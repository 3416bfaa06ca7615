/** Checks and compiles a template when it is saved. */

import { compileChatMarkup } from "./chat/compile-chat.ts";
import { compileEmailContent } from "./compile-email.ts";
import { type CompiledMarkdown, compileMarkdown, type PartFault } from "./compile-markdown.ts";
import { MAX_FAULTS, MAX_SOURCE_BYTES, MAX_SUBJECT_CHARACTERS } from "./language/bounds.ts";
import { cleanBody, cleanLine, firstChanged } from "./language/characters.ts";
import { parseTemplate } from "./language/parse-template.ts";
import { breaksLines, maskTags, scanTags, type Tag, type TagFault } from "./language/tags.ts";
import { templateNames } from "./language/template-variables.ts";
import { layoutFaults } from "./layout-faults.ts";
import { checkLinks, linkTexts } from "./push-links.ts";
import { createRenderer, type RenderFault } from "./render.ts";
import { notGsm7 } from "./sms-segments.ts";
import {
  type CompiledTemplate,
  type CompileSettings,
  PLATFORM_LAYOUT,
  placeFaults,
  type TemplateFault,
  type TemplateField,
  type TemplateSource,
  TOO_LARGE_WHEN_EMPTY,
} from "./source.ts";

export type CompileResult =
  | { ok: true; compiled: CompiledTemplate; warnings: TemplateFault[] }
  | { ok: false; faults: TemplateFault[] };

/**
 * Checks a source and compiles it. Returns faults with line and column. No source makes this throw, or run longer than
 * the compiler's time limit.
 */
export async function compileTemplate(
  source: TemplateSource,
  settings: CompileSettings,
): Promise<CompileResult> {
  switch (source.kind) {
    case "email":
      return compileEmail(source, settings);
    case "text":
      return compileSms(source.content, settings);
    case "notification":
      return compilePush(source, settings);
    case "chat":
      return compileChat(source, settings);
  }
}

async function compileEmail(
  source: Extract<TemplateSource, { kind: "email" }>,
  settings: CompileSettings,
): Promise<CompileResult> {
  const subject = checkField("subject", source.subject);
  const content = checkField("content", source.content, true);
  const faults = [...subject.faults, ...content.faults];
  if (faults.length > 0) return refused(faults);
  const made = await compileContent(source, content, settings);
  if (!made.ok) return refused(made.faults);
  const { format, html, text, links, warnings } = made;
  const { linkSchemes = [], locale } = settings;
  const result = checkSize({
    kind: "email",
    format,
    subject: subject.text,
    html,
    text,
    ...(links.length > 0 && { links }),
    ...(linkSchemes.length > 0 && { linkSchemes: [...linkSchemes] }),
    ...shared([subject.text, html, text], locale),
  });
  if (result.ok) result.warnings.push(...warnings);
  return result;
}

function compileSms(contentSource: string, { locale }: CompileSettings): CompileResult {
  const { text, tags, faults } = checkField("content", withoutLastLineEnd(contentSource));
  if (faults.length > 0) return refused(faults);
  const result = checkSize({
    kind: "text",
    text,
    ...shared([text], locale),
  });
  if (result.ok) result.warnings.push(...encodingWarnings(text, tags));
  return result;
}

function compilePush(
  source: Extract<TemplateSource, { kind: "notification" }>,
  { locale }: CompileSettings,
): CompileResult {
  const title = checkField("title", source.title);
  const content = checkField("content", withoutLastLineEnd(source.content));
  const { links, faults: linkFaults } = checkLinks(source);
  const faults = [...title.faults, ...content.faults, ...linkFaults];
  if (faults.length > 0) return refused(faults);
  return checkSize({
    kind: "notification",
    title: title.text,
    body: content.text,
    ...links,
    ...shared([title.text, content.text, ...linkTexts(links)], locale),
  });
}

async function compileChat(
  source: Extract<TemplateSource, { kind: "chat" }>,
  settings: CompileSettings,
): Promise<CompileResult> {
  const content = checkField("content", source.content, true);
  const { links, faults: linkFaults } = checkLinks(source);
  const isPath = linkFaults.length === 0 && links.url?.startsWith("/");
  if (isPath) linkFaults.push(...placeFaults("url", "", [{ offset: 0, message: NO_PATH }]));
  const faults = [...content.faults, ...linkFaults];
  if (faults.length > 0) return refused(faults);
  const made = await compileChatMarkup(content, settings);
  if (!made.ok) return refused(placeFaults("content", content.text, made.faults));
  const { markup } = made;
  const texts = [markup, ...linkTexts(links)];
  return checkSize({ kind: "chat", markup, ...links, ...shared(texts, settings.locale) });
}

const NO_PATH = "a chat has no site of its own: its address begins with https:// or a variable";

function shared(
  texts: readonly string[],
  locale: string | undefined,
): Pick<CompiledTemplate, "locale" | "variables"> {
  return { variables: templateNames(texts), ...(locale !== undefined && { locale }) };
}

interface CheckedField {
  text: string;
  tags: Tag[];
  faults: TemplateFault[];
}

function checkField(field: TemplateField, source: string, hasBreaks = false): CheckedField {
  const text = source.replace(/^\ufeff/, "");
  const broken = (offset: number, message: string): CheckedField => ({
    text,
    tags: [],
    faults: placeFaults(field, text, [{ offset, message }]),
  });
  if (text.trim() === "") return broken(0, `${field} is empty`);
  if (Buffer.byteLength(text) > MAX_SOURCE_BYTES) {
    return broken(0, `${field} is larger than ${MAX_SOURCE_BYTES / 1024} KiB`);
  }
  if (field !== "content" && text.length > MAX_SUBJECT_CHARACTERS) {
    return broken(0, `${field} is longer than ${MAX_SUBJECT_CHARACTERS} characters`);
  }
  const forbidden = firstChanged(text, field === "content" ? cleanBody(text) : cleanLine(text));
  if (forbidden !== undefined) {
    return broken(forbidden.offset, `the character ${forbidden.name} is not allowed in ${field}`);
  }
  const { tags, faults } = scanTags(text);
  const found = faults.length > 0 ? faults : parseTemplate(text, tags).faults;
  return {
    text,
    tags,
    faults: placeFaults(field, text, [...found, ...(hasBreaks ? [] : breakFaults(tags))]),
  };
}

function breakFaults(tags: readonly Tag[]): TagFault[] {
  const message = "newline_to_br is for HTML: here line ends stay as they are without it";
  return tags.filter(breaksLines).map(({ start }) => ({ offset: start, message }));
}

/** Refuses a template that is too large or too costly even with empty tags, because each of its messages would fail. */
function checkSize(compiled: CompiledTemplate): Extract<CompileResult, { ok: true }> | Refused {
  const rendered = createRenderer(compiled)({});
  if (rendered.ok) return { ok: true, compiled, warnings: [] };
  const message = MESSAGES[rendered.code] ?? TOO_LARGE_WHEN_EMPTY;
  return refused([{ field: "content", line: 1, column: 1, message }]);
}

const MESSAGES: Partial<Record<RenderFault["code"], string>> = {
  "too-costly": "too costly: it takes more steps than a message may, with all variables empty",
  "template-unreadable": "the content holds braces that its compilation brings together",
};

function encodingWarnings(text: string, tags: readonly Tag[]): TemplateFault[] {
  const own = maskTags(text, tags).replaceAll("\t", " ");
  const found = notGsm7(own);
  if (found === undefined) return [];
  const message = `${found.name} is not in GSM-7: a segment holds 70 characters instead of 160`;
  return placeFaults("content", text, [{ offset: found.offset, message }]);
}

type Refused = Extract<CompileResult, { ok: false }>;

function refused(faults: TemplateFault[]): Refused {
  return { ok: false, faults: faults.slice(0, MAX_FAULTS) };
}

/** Removes the line end that editors add at the end of a file. */
function withoutLastLineEnd(text: string): string {
  return text.replace(/\r?\n$/, "");
}

export type CompiledMail =
  | (Omit<Extract<CompiledMarkdown, { ok: true }>, "warnings"> & { warnings: TemplateFault[] })
  | { ok: false; faults: TemplateFault[] };

/** Compiles a mail's content. The second argument is its cleaned text and its tags, which have no faults. */
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
