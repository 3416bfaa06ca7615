import type { ChatBlock, ChatRun } from "@belfry/contracts/chat";
import type { ChatMessage } from "@belfry/contracts/sending";
import { breakMarksOfText, WORD_JOINER } from "../vendor-marks.ts";
import { fitChat } from "./fit-chat.ts";

/** How a chat reads Markdown. */
interface Dialect {
  maxCharacters: number;
  /** The blanks before an item, for each list around its own. */
  indent: string;
  /** Writes a text so that no character of it is a mark. */
  escape(text: string): string;
}

/**
 * Escapes what both read alike: headings, bullets and numbers at a line's beginning, and `](`, which even behind a
 * backslash would end a link that has begun before it.
 */
function escapeRest(text: string): string {
  const lines = text.replace(/^([ \t]*)([#+-])/gm, "$1\\$2");
  const numbers = lines.replace(/^([ \t]*\d{1,9})([.)])/gm, "$1\\$2");
  return numbers.replaceAll("](", `]${WORD_JOINER}(`);
}

/** Discord takes a backslash before any mark, and also one that keeps an address from becoming a link. */
const DISCORD: Dialect = {
  maxCharacters: 2000,
  indent: "  ",
  escape: (text) => escapeRest(text.replace(/[\\`*_~|<>[\]@!]|:(?=\/\/)/g, "\\$&")),
};

/**
 * Mattermost takes a backslash before some marks and references to characters. An invisible character breaks the others:
 * mentions, addresses, and lines of `=`.
 */
const MATTERMOST: Dialect = {
  maxCharacters: 16_383,
  indent: "    ",
  escape(text) {
    const marks = text
      .replace(/&(?=#?\w+;)/g, "&amp;")
      .replace(/[\\`*_~|[\]!]|\bwww(?=\.)/gi, (mark) =>
        /w/i.test(mark) ? `${mark}\\` : `\\${mark}`,
      )
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;");
    const broken = breakMarksOfText(marks, MENTION_OR_ADDRESS).replace(/^=/gm, `${WORD_JOINER}=`);
    return escapeRest(broken);
  },
};

/** An `@` that is not within a word, as it is in an email address, and the colon of an address. */
export const MENTION_OR_ADDRESS = /(?<![\p{L}\p{N}])@|:(?=\/\/)/gu;

export function discordMarkdown(message: Pick<ChatMessage, "blocks" | "url">): string {
  return fitted(message, DISCORD);
}

export function mattermostMarkdown(message: Pick<ChatMessage, "blocks" | "url">): string {
  return fitted(message, MATTERMOST);
}

function fitted(message: Pick<ChatMessage, "blocks" | "url">, dialect: Dialect): string {
  const { maxCharacters } = dialect;
  const write = (blocks: readonly ChatBlock[]) =>
    blocks.map((one) => blockOf(one, dialect)).join("\n\n");
  return fitChat(message, maxCharacters, write, ({ length }) => length <= maxCharacters);
}

function blockOf(block: ChatBlock, dialect: Dialect): string {
  switch (block.kind) {
    case "paragraph":
      return runsOf(block.runs, dialect);
    case "heading":
      return `${"#".repeat(block.level)} ${onOneLine(runsOf(block.runs, dialect))}`;
    case "list":
      return block.items
        .map(({ depth, number, runs }) => {
          const blanks = dialect.indent.repeat(depth);
          const text = runsOf(runs, dialect).replaceAll("\n", `\n${blanks}${dialect.indent}`);
          return `${blanks}${number === undefined ? "-" : `${number}.`} ${text}`;
        })
        .join("\n");
    case "button":
      return runsOf([{ text: block.label, strong: true, url: block.url }], dialect);
  }
}

function runsOf(runs: readonly ChatRun[], dialect: Dialect): string {
  let written = "";
  for (const run of runs) {
    const next = runOf(run, dialect);
    // The marks of two runs must not become one.
    const meet = written.at(-1) === next.at(0) && /[*`]/.test(next.at(0) ?? "");
    written += meet ? WORD_JOINER + next : next;
  }
  // A blank line would end the paragraph with its marks, and blanks behind it would begin code.
  return written.replace(/\n(?=[ \t]*\n)/g, `\n${WORD_JOINER}`);
}

/** Writes a run. Its marks stand around its words, because a mark beside a blank is none. */
function runOf({ text, strong, emphasis, code, url }: ChatRun, dialect: Dialect): string {
  const words = text.trim();
  if (words === "") return text;
  const at = text.indexOf(words);
  const mark = `${strong ? "**" : ""}${emphasis ? "*" : ""}`;
  const plain = code && !/[`\n]/.test(words) ? `\`${words}\`` : dialect.escape(words);
  const marked = mark + (url === undefined ? plain : linkOf(words, plain, url)) + mark;
  return text.slice(0, at) + marked + text.slice(at + words.length);
}

/** Writes a link. Brackets in its words, even escaped ones, would end it, so they become parentheses. */
function linkOf(words: string, written: string, url: string): string {
  const target = url.replace(
    /[()[\]*]|(?<=&#?\w+);/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  if (words === url) return `<${target}>`;
  const label = onOneLine(written).replaceAll("\\[", "(").replaceAll("\\]", ")");
  return `[${label}](${target})`;
}

function onOneLine(text: string): string {
  return text.replaceAll("\n", " ");
}
