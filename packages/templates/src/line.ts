/** Checks and renders single lines with tags outside of templates: the name and address in a mail's envelope. */

import { cleanLine, countCharacters, firstChanged } from "./language/characters.ts";
import { parseTemplate } from "./language/parse-template.ts";
import { beginRendering, type RenderSettings } from "./language/rendering.ts";
import { breaksLines, scanTags } from "./language/tags.ts";
import { createWriter } from "./language/writer.ts";

/** Returns why a text is not a valid line; undefined if it is valid. */
export function lineFault(text: string): string | undefined {
  const forbidden = firstChanged(text, cleanLine(text));
  if (forbidden !== undefined) return `must not contain the character ${forbidden.name}`;
  const { tags, faults } = scanTags(text);
  const [first] = faults.length > 0 ? faults : parseTemplate(text, tags).faults;
  if (first !== undefined) return first.message;
  return tags.some(breaksLines) ? "must be one line: newline_to_br is for HTML" : undefined;
}

/** Whether the text has tags, so that its value is known only when it is rendered. */
export function hasTags(text: string): boolean {
  return /\{[{%]/.test(text);
}

/**
 * Renders a line. Values are not escaped, but control characters become spaces. Returns undefined if the line becomes
 * longer than `maxCharacters`, is too costly to render or is not valid.
 */
export function renderLine(
  text: string,
  maxCharacters: number,
  variables: Record<string, unknown>,
  settings: RenderSettings,
): string | undefined {
  if (!hasTags(text)) return text;
  const write = createWriter(text, {
    clean: cleanLine,
    measure: countCharacters,
    limit: maxCharacters,
  });
  return write?.(variables, beginRendering(settings));
}
