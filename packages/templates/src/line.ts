/** One line in the template language, beside a template's own texts: the name and the address of a mail's envelope. */

import { cleanLine, countCharacters } from "./language/characters.ts";
import { beginRendering, type RenderSettings } from "./language/rendering.ts";
import { createWriter } from "./language/writer.ts";

/** Whether the text has tags, so that its value is known only when it is rendered. */
function hasTags(text: string): boolean {
  return /\{[{%]/.test(text);
}

/**
 * Renders such a line; values are written as they are, control characters as spaces. Undefined where it gets longer
 * than `maxCharacters`, takes too much work or cannot be read.
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
