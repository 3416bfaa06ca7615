import { MAX_STYLE_VALUE_CHARACTERS } from "../bounds.ts";

/**
 * A value in a style attribute: colours, lengths, names of fonts. Anything with other characters
 * (`;`, `:`, brackets, quotes, `\`) could begin a property or a function and is left out whole.
 */
export function styleValue(value: string): string {
  return value.length <= MAX_STYLE_VALUE_CHARACTERS && /^[\w #%.,+-]*$/.test(value) ? value : "";
}
