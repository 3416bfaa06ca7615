/** Reads the markup of a chat template, with its values inserted, as the blocks of a message. */

import type { ChatBlock, ChatItem, ChatRun } from "./chat-blocks.ts";

/** Values are escaped, so every `<` begins an element that chat/write-chat.ts has written. */
const PART = /<(\/?)([a-z]+[1-3]?)([^>]*)>|([^<]+)/g;
const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&#123;": "{",
};

const unescaped = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#39|#123);/g, (entity) => ENTITIES[entity] ?? entity);

/** Returns the blocks of a markup in linear time. A link that leads to neither http nor https is only its words. */
export function readChat(markup: string): ChatBlock[] {
  const blocks: ChatBlock[] = [];
  /** The next number of each list around the place; undefined for a list with bullets. */
  const lists: (number | undefined)[] = [];
  const marks = { strong: 0, em: 0, code: 0 };
  let url: string | undefined;
  let items: ChatItem[] = [];
  let runs: ChatRun[] | undefined;
  const write = (text: string): void => {
    if (text === "") return;
    const run: ChatRun = { text };
    if (marks.strong > 0) run.strong = true;
    if (marks.em > 0) run.emphasis = true;
    if (marks.code > 0) run.code = true;
    if (url !== undefined) run.url = url;
    const last = runs?.at(-1);
    if (last !== undefined && haveSameMarks(last, run)) last.text += text;
    else runs?.push(run);
  };
  const endText = (make: (runs: ChatRun[]) => ChatBlock): void => {
    const trimmed = trimmedRuns(runs ?? []);
    if (trimmed.length > 0) blocks.push(make(trimmed));
    runs = undefined;
  };
  for (const [, slash, element = "", attributes = "", text] of markup
    .replaceAll("<br />\n", "<br />")
    .matchAll(PART)) {
    if (text !== undefined) {
      write(unescaped(text).replaceAll("\r\n", "\n"));
      continue;
    }
    const isEnd = slash === "/";
    switch (element) {
      case "br":
        write("\n");
        break;
      case "a":
        url = isEnd ? undefined : linkOf(attributes);
        break;
      case "button":
        if (isEnd) endText(buttonOf);
        else runs = [];
        url = isEnd ? undefined : linkOf(attributes);
        break;
      case "strong":
      case "em":
      case "code":
        marks[element] += isEnd ? -1 : 1;
        break;
      case "p":
        if (isEnd) endText((own) => ({ kind: "paragraph", runs: own }));
        else runs = [];
        break;
      case "h1":
      case "h2":
      case "h3":
        if (isEnd) endText((own) => ({ kind: "heading", level: Number(element[1]), runs: own }));
        else runs = [];
        break;
      case "ul":
      case "ol":
        if (isEnd) lists.pop();
        else lists.push(element === "ul" ? undefined : Number(/\d+/.exec(attributes)?.[0] ?? 1));
        if (lists.length > 0) break;
        items = items.flatMap((item) => {
          const own = trimmedRuns(item.runs);
          return own.length === 0 ? [] : [{ ...item, runs: own }];
        });
        if (items.length > 0) blocks.push({ kind: "list", items });
        items = [];
        runs = undefined;
        break;
      case "li": {
        if (isEnd) break;
        runs = [];
        const number = lists.at(-1);
        if (number !== undefined) lists[lists.length - 1] = number + 1;
        items.push({ depth: lists.length - 1, ...(number !== undefined && { number }), runs });
        break;
      }
    }
  }
  return blocks;
}

function haveSameMarks(one: ChatRun, other: ChatRun): boolean {
  const marks = ["strong", "emphasis", "code", "url"] as const;
  return marks.every((mark) => one[mark] === other[mark]);
}

/** Returns a button, or its words alone if it leads nowhere. */
function buttonOf(runs: readonly ChatRun[]): ChatBlock {
  const label = runs.map(({ text }) => text.replace(/\s+/g, " ")).join("");
  const url = runs[0]?.url;
  if (url === undefined) return { kind: "paragraph", runs: [{ text: label }] };
  return { kind: "button", label, url };
}

function linkOf(attributes: string): string | undefined {
  const url = unescaped(/^ href="([^"]*)"/.exec(attributes)?.[1] ?? "");
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? url : undefined;
}

/** Removes the blanks around a text. */
function trimmedRuns(runs: readonly ChatRun[]): ChatRun[] {
  const own = runs.filter(({ text }) => text !== "");
  const first = own[0];
  if (first !== undefined) own[0] = { ...first, text: first.text.trimStart() };
  const last = own.at(-1);
  if (last !== undefined) own[own.length - 1] = { ...last, text: last.text.trimEnd() };
  return own.filter(({ text }) => text !== "");
}
