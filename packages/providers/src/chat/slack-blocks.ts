import { type ChatBlock, type ChatItem, type ChatRun, plainChat } from "@belfry/contracts/chat";
import type { ChatMessage } from "@belfry/contracts/sending";
import { cutText, fitChat } from "./fit-chat.ts";

const MAX_BLOCKS = 50;
const MAX_BLOCK_CHARACTERS = 3000;
/**
 * Slack refuses more text in all blocks together as `msg_blocks_too_long`. It documents no number. Its maintainers name
 * 12,000 characters less what the blocks themselves need (github.com/slackapi/bolt-js/issues/2509).
 */
const MAX_MESSAGE_CHARACTERS = 10_000;
const MAX_URL_CHARACTERS = 3000;
const MAX_LABEL_CHARACTERS = 75;
const MAX_INDENT = 8;
const MAX_FALLBACK_CHARACTERS = 1000;

/**
 * Returns the content of a message to Slack. Its blocks are of the kind `rich_text`, whose texts are data: Slack reads
 * no marks, mentions and links in them, and mrkdwn has no escapes for `*`, `_`, `~` and backticks. `text` is what a
 * notification shows.
 */
export function slackContent(message: Pick<ChatMessage, "blocks" | "url">) {
  return fitChat(message, MAX_MESSAGE_CHARACTERS, write, ({ blocks }) => {
    const lengths = blocks.map(charactersOf);
    return (
      blocks.length <= MAX_BLOCKS &&
      lengths.every((length) => length <= MAX_BLOCK_CHARACTERS) &&
      lengths.reduce((sum, length) => sum + length, 0) <= MAX_MESSAGE_CHARACTERS
    );
  });
}

function write(blocks: readonly ChatBlock[]) {
  const text = escaped(cutText(plainChat(blocks), MAX_FALLBACK_CHARACTERS));
  return { text, mrkdwn: false, blocks: blocks.map(blockOf) };
}

/** Escapes the characters with which mentions and links begin in `text`. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function blockOf(block: ChatBlock): object {
  switch (block.kind) {
    case "paragraph":
      return { type: "rich_text", elements: [section(block.runs)] };
    case "heading": {
      const runs = block.runs.map((run): ChatRun => ({ ...run, strong: true }));
      return { type: "rich_text", elements: [section(runs)] };
    }
    case "list":
      return { type: "rich_text", elements: lists(block.items) };
    case "button": {
      const { label, url } = block;
      if (url.length > MAX_URL_CHARACTERS)
        return blockOf({ kind: "paragraph", runs: [{ text: label }] });
      const text = { type: "plain_text", text: cutText(label, MAX_LABEL_CHARACTERS), emoji: false };
      return { type: "actions", elements: [{ type: "button", text, url }] };
    }
  }
}

function section(runs: readonly ChatRun[]) {
  const elements = runs.map(({ text, strong, emphasis, code, url }) => {
    const style = { bold: strong, italic: emphasis, code };
    const isLink = url !== undefined && url.length <= MAX_URL_CHARACTERS;
    return isLink ? { type: "link", url, text, style } : { type: "text", text, style };
  });
  return { type: "rich_text_section", elements };
}

/** Returns a list for each series of items of one indent and form. */
function lists(items: readonly ChatItem[]): object[] {
  const made: {
    type: string;
    style: string;
    indent: number;
    offset?: number;
    elements: object[];
  }[] = [];
  for (const { depth, number, runs } of items) {
    const indent = Math.min(depth, MAX_INDENT);
    const style = number === undefined ? "bullet" : "ordered";
    const last = made.at(-1);
    if (last?.style === style && last.indent === indent) {
      last.elements.push(section(runs));
      continue;
    }
    const offset = number === undefined || number < 2 ? {} : { offset: number - 1 };
    made.push({
      type: "rich_text_list",
      style,
      indent,
      ...offset,
      elements: [section(runs)],
    });
  }
  return made;
}

function charactersOf(block: object): number {
  let count = 0;
  JSON.stringify(block, (key, value: unknown) => {
    if (key === "text" && typeof value === "string") count += value.length;
    return value;
  });
  return count;
}
