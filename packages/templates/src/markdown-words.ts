/** The words that stand for tags in a Markdown text. */

export interface WordReader {
  /** The word of a tag. */
  of(tag: number): string;
  /** The tags in a text, in order. */
  tagsIn(text: string): number[];
  /** The tags of a text that has nothing but blanks and tags of blocks; undefined for any other. */
  onlyBlockTags(text: string): number[] | undefined;
  /** A text without the opening of a block and its end, where it begins and ends with those. */
  unwrap(html: string): { before: string; html: string; behind: string };
}

/** `blocks`: the indexes of each block's tags, from its opening to its end. */
export function wordReader(wordStart: string, blocks: readonly (readonly number[])[]): WordReader {
  const word = new RegExp(`${wordStart}(\\d+)x`, "g");
  const blockTags = new Set(blocks.flat());
  const ends = new Map(blocks.filter(({ length }) => length === 2).map(([from, to]) => [from, to]));
  const of = (tag: number): string => `${wordStart}${tag}x`;
  const tagsIn = (text: string): number[] =>
    [...text.matchAll(word)].map((match) => Number(match[1]));
  return {
    of,
    tagsIn,
    onlyBlockTags: (text) => {
      const tags = tagsIn(text);
      if (tags.some((tag) => !blockTags.has(tag))) return undefined;
      return text.replace(word, "").trim() === "" ? tags : undefined;
    },
    unwrap: (html) => {
      const tags = tagsIn(html);
      const [first = -1, last = -1] = [tags[0], tags.at(-1)];
      const [before, behind] = [of(first), of(last)];
      const isWrapped =
        ends.get(first) === last && html.startsWith(before) && html.endsWith(behind);
      if (!isWrapped) return { before: "", html, behind: "" };
      return { before, html: html.slice(before.length, -behind.length).trim(), behind };
    },
  };
}
