/** Readers of each chat vendor's dialect, written from the vendor's public description without any code of ours. */

import assert from "node:assert/strict";
import MarkdownIt from "markdown-it";

/** The texts that a vendor shows, each with blanks and invisible characters removed. */
export interface Shown {
  text: string;
  /** The text that is bold, italic or code. */
  strong: string;
  emphasis: string;
  code: string;
  links: { text: string; url: string }[];
  items: number;
  /** The forms that the vendor gives to texts, such as `bold`. */
  looks: Set<string>;
  /** Everything that rings or is drawn as a mention. */
  mentions: string[];
}

/** Removes what nobody sees, and makes one of what our link texts have to change: brackets. */
export function seen(text: string): string {
  return text
    .replace(/[\s\u00a0\u2060]+/g, "")
    .replaceAll("[", "(")
    .replaceAll("]", ")");
}

class Page {
  readonly shown: Shown = {
    text: "",
    strong: "",
    emphasis: "",
    code: "",
    links: [],
    items: 0,
    looks: new Set(),
    mentions: [],
  };

  write(
    text: string,
    marks: Partial<Record<"strong" | "emphasis" | "code", unknown>>,
    url?: unknown,
  ) {
    const words = seen(text);
    this.shown.text += words;
    for (const mark of ["strong", "emphasis", "code"] as const) {
      if (!marks[mark]) continue;
      this.shown[mark] += words;
      this.shown.looks.add({ strong: "bold", emphasis: "italic", code: "code" }[mark]);
    }
    if (typeof url === "string") {
      this.shown.looks.add("link");
      const last = this.shown.links.at(-1);
      if (last?.url === url) last.text += words;
      else this.shown.links.push({ text: words, url });
    }
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a vendor's JSON
type Json = Record<string, any>;

/** https://docs.slack.dev/reference/block-kit/blocks and …/messaging/formatting-message-text */
export function slackJudge(body: Json): Shown {
  const page = new Page();
  assert.ok(!/[<>]/.test(body.text), "a sequence <…> in the text of the notification");
  assert.ok(!/&(?!(?:amp|lt|gt);)/.test(body.text), "an & that is not escaped");
  assert.equal(body.mrkdwn, false);
  assert.ok(!body.link_names && (body.parse ?? "none") === "none", "names would be linked");
  assert.ok(body.blocks.length > 0 && body.blocks.length <= 50, `${body.blocks.length} blocks`);
  const section = ({ type, elements }: Json) => {
    assert.equal(type, "rich_text_section");
    for (const { type: kind, text, style = {}, url } of elements as Json[]) {
      if (kind !== "text" && kind !== "link") page.shown.mentions.push(kind);
      assert.ok(text.length > 0);
      page.write(text, { strong: style.bold, emphasis: style.italic, code: style.code }, url);
    }
  };
  let inAll = 0;
  for (const block of body.blocks as Json[]) {
    if (block.type === "actions") {
      for (const { type, text, url } of block.elements) {
        assert.deepEqual([type, text.type], ["button", "plain_text"]);
        assert.ok(text.text.length <= 75 && url.length <= 3000);
        page.write(text.text, {}, url);
        page.shown.looks.add("button");
      }
      continue;
    }
    assert.equal(block.type, "rich_text", "blocks of mrkdwn read marks and mentions");
    let characters = 0;
    JSON.stringify(block, (key, value) => {
      if (key === "text" && typeof value === "string") characters += value.length;
      return value;
    });
    assert.ok(characters <= 3000, `${characters} characters in a block`);
    inAll += characters;
    for (const element of block.elements as Json[]) {
      if (element.type === "rich_text_list") {
        assert.ok(["bullet", "ordered"].includes(element.style) && element.indent <= 8);
        page.shown.items += element.elements.length;
        page.shown.looks.add(element.style === "ordered" ? "numbered list" : "list");
        for (const one of element.elements) section(one);
      } else {
        section(element);
      }
    }
  }
  assert.ok(inAll <= 11_000, `${inAll} characters in a message`);
  return page.shown;
}

/** https://adaptivecards.io/explorer and learn.microsoft.com/microsoftteams/platform/task-modules-and-cards */
export function teamsJudge(body: Json): Shown {
  const page = new Page();
  assert.ok(Buffer.byteLength(JSON.stringify(body)) <= 28 * 1024, "larger than 28 KB");
  const [{ contentType, content }] = body.attachments;
  assert.equal(contentType, "application/vnd.microsoft.card.adaptive");
  assert.equal(content.type, "AdaptiveCard");
  if (content.msteams.entities) page.shown.mentions.push("entities");
  for (const element of content.body as Json[]) {
    if (element.type === "ActionSet") {
      for (const { type, title, url } of element.actions) {
        assert.equal(type, "Action.OpenUrl");
        page.write(title, {}, url);
        page.shown.looks.add("button");
      }
      continue;
    }
    assert.equal(element.type, "RichTextBlock", "a TextBlock reads Markdown");
    for (const [at, run] of (element.inlines as Json[]).entries()) {
      assert.equal(run.type, "TextRun");
      assert.ok(!run.text.includes("\n") && !/\{\{(?:DATE|TIME)\(/.test(run.text), run.text);
      if (at === 0 && /^\u2003*(?:•|\d+\.) $/.test(run.text)) page.shown.items++;
      if (run.size) page.shown.looks.add("heading");
      const code = run.fontType === "Monospace";
      const marks = { strong: run.weight === "Bolder", emphasis: run.italic, code };
      page.write(run.text, marks, run.selectAction?.url);
    }
  }
  return page.shown;
}

/** https://core.telegram.org/bots/api#html-style */
export function telegramJudge(body: Json): Shown {
  const page = new Page();
  assert.equal(body.parse_mode, "HTML");
  const open: string[] = [];
  let url: string | undefined;
  let length = 0;
  let bare = "";
  for (const [part] of (body.text as string).matchAll(/<[^>]*>|[^<]+/g)) {
    const [, slash, name = "", href] = /^<(\/?)(b|i|a|code)(?: href="([^"]*)")?>$/.exec(part) ?? [];
    if (part.startsWith("<")) {
      assert.ok(name, `the API refuses ${part}`);
      if (slash) assert.equal(open.pop(), name, "elements that overlap");
      else open.push(name);
      if (name === "code") assert.ok(open.length <= 1, "code takes no other marks");
      if (name === "a") url = slash ? undefined : decoded(href ?? "");
      continue;
    }
    const text = decoded(part);
    length += text.length;
    if (!open.includes("code") && !open.includes("a")) bare += `${text}\u0000`;
    const marks = { strong: open.includes("b"), emphasis: open.includes("i") };
    page.write(text, { ...marks, code: open.includes("code") }, url);
  }
  assert.ok(length <= 4096, `${length} characters`);
  // Telegram itself finds these in a text.
  page.shown.mentions.push(...(bare.match(/(?<![\w@])@[A-Za-z]\w{2,31}/g) ?? []));
  for (const [address] of bare.matchAll(/\bhttps?:\/\/\S+/g)) page.write("", {}, address);
  return page.shown;
}

function decoded(html: string): string {
  assert.ok(!/&(?!(?:amp|lt|gt|quot);)/.test(html), html);
  const signs: Record<string, string> = { lt: "<", gt: ">", quot: '"', amp: "&" };
  return html.replace(/&(amp|lt|gt|quot);/g, (_, name: string) => signs[name]!);
}

const markdown = new MarkdownIt({ html: false, breaks: true, linkify: true });
markdown.normalizeLink = (url) => url;
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
/** The signs before which the parser of Mattermost's web app takes a backslash. */
const ESCAPABLE = /\\[\\`*{}[\]()#+\-.!_>~|]/g;

const WEB_APP_LINK =
  /(?<!\\)\[((?:\[[^\]]*\]|\\[[\]]|[^[\]]|\](?=[^[]*\]))*)\]\(\s*<?([\s\S]*?)>?\s*\)/g;

/** CommonMark with tables and links, as docs.mattermost.com/collaborate/format-messages has it. */
export function mattermostJudge(body: Json): Shown {
  const { text } = body as { text: string };
  assert.ok(text.length <= 16_383, `${text.length} characters`);
  const page = new Page();
  const words: string[] = [];
  const blocks = markdown.parse(text, {});
  const code = blocks.flatMap(({ children }) => children ?? []).filter(isCode);
  let unread = text;
  for (const { content } of code) unread = unread.replaceAll(`\`${content}\``, "");
  assert.doesNotMatch(unread.replace(ESCAPABLE, ""), /\\/, "a backslash that is shown");
  // The server itself replaces these, as Slack does.
  page.shown.mentions.push(...(unread.match(/<(?:!|@|[^<>|]+\|)[^>]*>/g) ?? []));
  for (const block of blocks) {
    const known = ["paragraph", "heading", "list_item", "bullet_list", "ordered_list", "inline"];
    assert.ok(known.includes(block.type.replace(/_(?:open|close)$/, "")), block.type);
    if (block.type === "list_item_open") page.shown.items++;
    if (block.type === "heading_open") page.shown.looks.add("heading");
    if (block.type === "bullet_list_open") page.shown.looks.add("list");
    if (block.type === "ordered_list_open") page.shown.looks.add("numbered list");
    const marks = { strong: 0, emphasis: 0 };
    let url: string | undefined;
    for (const token of block.children ?? []) {
      const { type, content, nesting } = token;
      if (type === "strong_open" || type === "strong_close") marks.strong += nesting;
      else if (type === "em_open" || type === "em_close") marks.emphasis += nesting;
      else if (type === "link_open") url = String(token.attrGet("href"));
      else if (type === "link_close") url = undefined;
      else if (type === "softbreak" || type === "hardbreak") words.push("\n");
      else {
        assert.ok(type === "text" || isCode(token), `a mark: ${type}`);
        if (type === "text") words.push(content);
        page.write(content, { ...marks, code: isCode(token) }, url);
      }
    }
    words.push("\n");
  }
  page.shown.mentions.push(...serverMentions(words.join("")));
  // The web app's parser lets a link's text hold a `]` if another one follows.
  for (const [, , url = ""] of unread.matchAll(WEB_APP_LINK)) {
    assert.ok(
      page.shown.links.some((link) => link.url === url),
      `a link to ${url}`,
    );
  }
  return page.shown;
}

const isCode = ({ type }: { type: string }) => type === "code_inline";

/** Splits words as the server does (app/notification.go, `ParseText`). */
function serverMentions(text: string): string[] {
  const parts = text.split(/[^\p{L}\p{N}:.\-_@]+/u).map((word) => word.replace(/^[:.\-_]+/, ""));
  return parts.filter(
    (word) => /^@+[\p{L}\p{N}]/u.test(word) || /[:.\-_]@[\p{L}\p{N}]/u.test(word),
  );
}

/** The rules of Discord's parser, in its order: support.discord.com, Markdown Text 101. */
const DISCORD_RULES: readonly (readonly [string, RegExp])[] = [
  ["escape", /^\\([^0-9A-Za-z\s])/],
  ["block code", /^```[\s\S]+?```/],
  ["code", /^(`+)([\s\S]*?[^`])\1(?!`)/],
  ["mention", /^<(?:@[!&]?|#|a?:\w+:|t:|\/|id:)[^<>\s]*>/],
  ["autolink", /^<([^: >]+:\/[^ >]+)>/],
  ["address", /^(?:https?|discord):\/\/[^\s<]+/],
  [
    "link",
    /^\[((?:\[[^\]]*\]|[^[\]]|\](?=[^[]*\]))*)\]\(\s*<?((?:\([^)]*\)|[^\s\\()]|\\.)*?)>?\s*\)/,
  ],
  ["strong", /^\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)/],
  ["underline", /^__((?:\\[\s\S]|[^\\])+?)__(?!_)/],
  ["emphasis", /^\*(?!\s)((?:\\[\s\S]|[^*\\])+?)\*(?!\*)/],
  ["emphasis", /^_((?:\\[\s\S]|[^_\\])+?)_\b/],
  ["strike", /^~~(?=\S)([\s\S]*?\S)~~/],
  ["spoiler", /^\|\|([\s\S]+?)\|\|/],
];
const DISCORD_LINE = /^(?:(#{1,3}) |(-#) |(>>>|>) |[ \t]*(?:([-*+])|(\d+)[.)]) )/;

export function discordJudge(body: Json): Shown {
  const { content } = body as { content: string };
  assert.ok(content.length <= 2000, `${content.length} characters`);
  assert.deepEqual(body.allowed_mentions, { parse: [] }, "@everyone would ring");
  const page = new Page();
  const read = (
    text: string,
    marks: { strong?: boolean; emphasis?: boolean },
    url?: string,
  ): void => {
    let isStart = true;
    for (let rest = text; rest !== ""; ) {
      const line = isStart && url === undefined ? DISCORD_LINE.exec(rest) : null;
      isStart = false;
      if (line) {
        const [found, , small, quote] = line;
        assert.ok(!small && !quote, `a mark: ${found}`);
        if (!line[1]) page.shown.items++;
        page.shown.looks.add(line[1] ? "heading" : line[5] ? "numbered list" : "list");
        rest = rest.slice(found.length);
        if (!line[1]) page.write(line[5] ? `${line[5]}.` : "-", marks);
        continue;
      }
      const hit = DISCORD_RULES.map(([name, rule]) => ({ name, match: rule.exec(rest) })).find(
        ({ match }) => match,
      );
      if (hit?.match == null) {
        const [sign = ""] = rest;
        isStart = sign === "\n";
        page.write(sign, marks, url);
        rest = rest.slice(sign.length);
        continue;
      }
      const [whole, first = "", second = ""] = hit.match;
      rest = rest.slice(whole.length);
      if (hit.name === "escape") page.write(first, marks, url);
      else if (hit.name === "code") page.write(second, { ...marks, code: true }, url);
      else if (hit.name === "mention") page.shown.mentions.push(whole);
      else if (hit.name === "autolink") page.write(first, marks, first);
      else if (hit.name === "address") page.write(whole, marks, whole);
      else if (hit.name === "link") read(first, marks, second);
      else if (hit.name === "strong") read(first, { ...marks, strong: true }, url);
      else if (hit.name === "emphasis") read(first, { ...marks, emphasis: true }, url);
      else assert.fail(`a mark: ${hit.name} ${whole}`);
    }
  };
  read(content, {});
  return page.shown;
}
