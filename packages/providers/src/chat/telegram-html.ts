import { type ChatBlock, type ChatRun, itemMark } from "@belfry/contracts/chat";
import type { ChatMessage } from "@belfry/contracts/sending";
import { breakMarksOfText } from "../vendor-marks.ts";
import { fitChat } from "./fit-chat.ts";
import { MENTION_OR_ADDRESS } from "./markdown-dialects.ts";

const MAX_CHARACTERS = 4096;

/** Returns the text of a message to Telegram for its parse mode HTML, which needs only three characters escaped. */
export function telegramHtml(message: Pick<ChatMessage, "blocks" | "url">): string {
  const write = (blocks: readonly ChatBlock[]) => blocks.map(blockOf).join("\n\n");
  return fitChat(message, MAX_CHARACTERS, write, (html) => shownLength(html) <= MAX_CHARACTERS);
}

/** The length that Telegram limits: without elements, and with references as the characters that they stand for. */
function shownLength(html: string): number {
  return html.replace(/<[^>]*>/g, "").replace(/&[a-z]+;/g, "&").length;
}

function blockOf(block: ChatBlock): string {
  switch (block.kind) {
    case "paragraph":
      return runsOf(block.runs);
    case "heading":
      return `<b>${runsOf(block.runs)}</b>`;
    case "list":
      return block.items.map((item) => itemMark(item, "    ") + runsOf(item.runs)).join("\n");
    case "button":
      return runOf({ text: block.label, strong: true, url: block.url });
  }
}

function runsOf(runs: readonly ChatRun[]): string {
  return runs.map(runOf).join("");
}

/** Writes a run. Telegram allows no other marks around code. */
function runOf({ text, strong, emphasis, code, url }: ChatRun): string {
  if (code && url === undefined) return `<code>${escaped(text)}</code>`;
  let html = escaped(breakMarksOfText(text, MENTION_OR_ADDRESS));
  if (emphasis) html = `<i>${html}</i>`;
  if (strong) html = `<b>${html}</b>`;
  return url === undefined ? html : `<a href="${escaped(url)}">${html}</a>`;
}

function escaped(text: string): string {
  const html = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return html.replaceAll('"', "&quot;");
}
