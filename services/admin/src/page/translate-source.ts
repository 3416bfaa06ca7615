import { type Catalogue, fill } from "./language.ts";

/**
 * Translates the source of views and browser scripts before it is compiled, so that a page costs the same in every
 * language and no value of a tenant is ever looked up. A message is one of: the text between two block tags or
 * statements, where outputs and inline tags become places; a text attribute; or a string in code that reads like words.
 */

/** Returns the translation of an English message, or undefined to leave it as it is. */
type Look = (english: string) => string | undefined;

export function translateView(source: string, catalogue: Catalogue): string {
  return rewriteView(source, (english) => catalogue[english]);
}

export function translateScript(source: string, catalogue: Catalogue): string {
  return rewriteLiterals(source, (english) => catalogue[english], false);
}

/** Returns the messages of a view. */
export function messagesOfView(source: string): string[] {
  return collected((look) => rewriteView(source, look));
}

/** Returns the messages of a browser script. */
export function messagesOfScript(source: string): string[] {
  return collected((look) => rewriteLiterals(source, look, false));
}

function collected(rewrite: (look: Look) => string): string[] {
  const found: string[] = [];
  rewrite((english) => {
    found.push(english);
    return undefined;
  });
  return found;
}

/** Matches the mark that replaces an Eta tag. It uses the private use area of Unicode, which no text uses. */
const MARK = /\uE000(\d+)\uE001/g;
const TAG = /<!--[\s\S]*?-->|<!?\/?[a-zA-Z][^>]*>/g;
const INLINE = /^<\/?(?:a|abbr|b|br|code|em|i|kbd|small|span|strong)\b/i;
const TEXT_ATTRIBUTES = /\b(placeholder|title|aria-label|alt|data-confirm|data-label)="([^"]*)"/g;
/** Matches statements, and outputs that do not belong to a sentence. */
const NO_PART = /^<%(?![=~])|^<%~\s*(?:include|field|check|post|columns|it\.body|.*\bicon\()/;
const LETTERS = /\p{L}{2}/u;
/** Matches an attribute that a view writes by a statement of its own. */
const ATTRIBUTE = /^[a-z-]+="/;

interface Piece {
  kind: "text" | "place" | "open" | "close" | "void" | "break";
  source: string;
}

function rewriteView(source: string, look: Look): string {
  const tags: string[] = [];
  const marked = source.replaceAll(/<%[\s\S]*?%>/g, (tag) => `\uE000${tags.push(tag) - 1}\uE001`);
  const pieces: Piece[] = [];
  const addText = (text: string) => {
    let at = 0;
    for (const found of text.matchAll(MARK)) {
      if (found.index > at) pieces.push({ kind: "text", source: text.slice(at, found.index) });
      const tag = tags[Number(found[1])]!;
      const rewritten = rewriteLiterals(tag, look, tag.startsWith("<%="));
      pieces.push({ kind: NO_PART.test(tag) ? "break" : "place", source: rewritten });
      at = found.index + found[0].length;
    }
    if (at < text.length) pieces.push({ kind: "text", source: text.slice(at) });
  };
  let at = 0;
  for (const found of marked.matchAll(TAG)) {
    addText(marked.slice(at, found.index));
    pieces.push({ kind: kindOf(found[0]), source: rewriteTag(found[0], tags, look) });
    at = found.index + found[0].length;
  }
  addText(marked.slice(at));
  return runsOf(pieces)
    .map((run) => rewriteRun(run, look))
    .join("");
}

function kindOf(tag: string): Piece["kind"] {
  if (!INLINE.test(tag)) return "break";
  if (tag.startsWith("</")) return "close";
  return /^<br\b/i.test(tag) ? "void" : "open";
}

/** Translates the text attributes of a tag and restores its Eta tags. */
function rewriteTag(tag: string, tags: readonly string[], look: Look): string {
  const output = (mark: string) => mark.replaceAll(MARK, (_, index) => tags[Number(index)]!);
  const withTexts = tag.replaceAll(TEXT_ATTRIBUTES, (_, name, value: string) => {
    const places: string[] = [];
    const english = value.replaceAll(MARK, (mark) => `{${places.push(output(mark)) - 1}}`);
    const isSaid = LETTERS.test(english.replaceAll(/\{\d+\}/g, ""));
    const text = isSaid ? look(english) : undefined;
    const written = places.map((one) => rewriteLiterals(one, look, true));
    return text === undefined
      ? `${name}="${fill(english, (index) => written[index]!)}"`
      : `${name}="${fill(text.replaceAll('"', "&quot;"), (index) => written[index]!)}"`;
  });
  return output(withTexts);
}

/** Groups the pieces that form one sentence. If the inline tags of a run do not match, each of them ends a run. */
function runsOf(pieces: readonly Piece[]): Piece[][] {
  const runs: Piece[][] = [];
  let run: Piece[] = [];
  const end = () => {
    if (run.length > 0) runs.push(...(isBalanced(run) ? [run] : splitAtTags(run)));
    run = [];
  };
  for (const piece of pieces) {
    if (piece.kind !== "break") run.push(piece);
    else {
      end();
      runs.push([piece]);
    }
  }
  end();
  return runs;
}

function isBalanced(run: readonly Piece[]): boolean {
  let depth = 0;
  for (const { kind } of run) {
    if (kind === "open") depth += 1;
    if (kind === "close") depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

function splitAtTags(run: readonly Piece[]): Piece[][] {
  const runs: Piece[][] = [[]];
  for (const piece of run) {
    if (piece.kind === "open" || piece.kind === "close") runs.push([piece], []);
    else runs.at(-1)!.push(piece);
  }
  return runs.filter((one) => one.length > 0);
}

function rewriteRun(run: readonly Piece[], look: Look): string {
  const whole = run.map(({ source }) => source).join("");
  const said = run.map(({ kind, source }) => (kind === "text" ? source : "")).join("");
  if (!LETTERS.test(said)) return whole;
  const outer = outerTags(run);
  const inner = run.slice(outer, run.length - outer);
  const places: string[] = [];
  const english = inner
    .map(({ kind, source }) => (kind === "text" ? source : `{${places.push(source) - 1}}`))
    .join("");
  const [, before = "", text = "", after = ""] = /^(\s*)([\s\S]*?)(\s*)$/.exec(english) ?? [];
  if (ATTRIBUTE.test(text)) return whole;
  const translated = look(text.replaceAll(/\s+/g, " "));
  if (translated === undefined) return whole;
  const filled = fill(translated, (index) => places[index]!);
  const edge = (pieces: readonly Piece[]) => pieces.map(({ source }) => source).join("");
  return `${edge(run.slice(0, outer))}${before}${filled}${after}${edge(run.slice(run.length - outer))}`;
}

/** Returns how many pairs of tags are around the whole run. They are not part of the sentence. */
function outerTags(run: readonly Piece[]): number {
  let outer = 0;
  while (
    run[outer]?.kind === "open" &&
    run.at(-1 - outer)?.kind === "close" &&
    outer * 2 < run.length
  ) {
    if (!isBalanced(run.slice(outer + 1, run.length - outer - 1))) break;
    outer += 1;
  }
  return outer;
}

/** Matches a comment, a string or a template literal. */
export const LITERAL =
  /\/\/.*|\/\*[\s\S]*?\*\/|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\$]|\\.|\$(?!\{)|\$\{(?:[^{}`]|`[^`]*`|\{[^{}]*\})*\})*)`/g;
/** Matches a value in a template literal. */
export const VALUE = /\$\{(?:[^{}`]|`[^`]*`|\{[^{}]*\})*\}/g;
/** Matches a string of words: it begins like a sentence, or has several words. */
const WORDS =
  /^(?:[,+] )?(?:[A-Z][a-z']+(?:[ .,:…]|$)|[A-Z] |[A-Z]+ [a-z]|[a-z]+,? (?:[a-z]+|\{\d+\})(?:[ .,:]|$)|\{\d+\}[,:]? \(?[a-z]+,? [a-z{])/;
/**
 * Matches a single word in lower case, which is a message in an output: `<%= one.required ? "required" : "optional"
 * %>`.
 */
const LOW_WORD = /^[a-z]{2,}(?: [a-z’']+)*$/;
const IS_RESULT = /(?:<%=|\?|:|\?\?|\|\||=|Option\()\s*$/;
/** Matches the part of a script's statement before a text that the page shows. */
const IS_SHOWN = /(?:\.(?:textContent|title|placeholder) = |\bnew Option\()[^;]*$/;
/** Matches code before a string that is not words: a comparison, a counted noun, a selector or a list of names. */
const IS_COMPARED =
  /(?:===|!==|\bcase|\bcounted\([^()]*,|\bquerySelector\(|\b(?:marks|group):|\bclassName(?: =|:))\s*$/;
const IS_KEY = { before: /[{,]\s*$/, after: /^\s*:/ };

function rewriteLiterals(code: string, look: Look, isOutput: boolean): string {
  return code.replaceAll(LITERAL, (whole, plain, template, at: number) => {
    const text: string | undefined = plain ?? template;
    if (text === undefined) return whole;
    const places: string[] = [];
    const english = text.replaceAll(VALUE, (place) => `{${places.push(place) - 1}}`);
    const before = code.slice(0, at);
    const isLow = LOW_WORD.test(english) && IS_RESULT.test(before);
    if (!WORDS.test(english) && !(isLow && (isOutput || IS_SHOWN.test(before)))) return whole;
    const isKey = IS_KEY.before.test(before) && IS_KEY.after.test(code.slice(at + whole.length));
    if (isKey || IS_COMPARED.test(before)) return whole;
    const translated = look(english.replaceAll('\\"', '"'));
    if (translated === undefined) return whole;
    if (template === undefined) return JSON.stringify(translated);
    return `\`${fill(translated.replaceAll(/[\\`$]/g, "\\$&"), (index) => places[index]!)}\``;
  });
}
