/** Compiles the Markdown of a chat template to the markup that it is stored as, with its tags in it. */

import { compiledFaults } from "../compile-email.ts";
import { blocksOf, droppedFault, placed } from "../compile-markdown.ts";
import { markdownWords, tagText } from "../language/tag-words.ts";
import type { Tag, TagFault } from "../language/tags.ts";
import { compileMarkup } from "../markup-compiler.ts";
import { type CompileSettings, languageOf } from "../source.ts";
import { directionOf } from "../text-direction.ts";

/** Compiles a text whose scanned tags have no faults. */
export async function compileChatMarkup(
  { text, tags }: { text: string; tags: readonly Tag[] },
  settings: CompileSettings,
): Promise<{ ok: true; markup: string } | { ok: false; faults: TagFault[] }> {
  const words = markdownWords(text, tags);
  const { content, wordStart } = words;
  const made = await compileMarkup({
    owner: settings.owner,
    format: "markdown",
    as: "chat",
    content,
    wordStart,
    blocks: blocksOf(tags),
    links: { link: "", linkClass: "" },
    direction: directionOf(languageOf(settings) ?? ""),
  });
  if (!made.ok) {
    return { ok: false, faults: made.errors.map((fault) => placed(fault, words, tags)) };
  }
  const word = new RegExp(`${wordStart}(\\d+)x`, "g");
  const indexes = [...made.html.matchAll(word)].map(([, index]) => Number(index));
  const kept = new Set(indexes);
  const lost = tags.filter((_, index) => !kept.has(index));
  if (lost.length > 0) return { ok: false, faults: lost.map(droppedFault) };
  const markup = made.html.replace(word, (_, index: string) => {
    const tag = tags[Number(index)];
    return tag === undefined ? "" : tagText(tag);
  });
  const faults = compiledFaults(markup, indexes, tags, undefined);
  return faults.length > 0 ? { ok: false, faults } : { ok: true, markup };
}
