import type { Preview } from "@belfry/administration/templates/preview-template";
import { plainChat } from "@belfry/contracts/chat";
import { Phrase, say, type Words } from "../page/language.ts";

/**
 * A preview renders a variable without a value as its name between two characters that no text has, so that the page
 * can mark the place.
 */
const BEGIN = "\uE0F1";
const END = "\uE0F2";
const MARKED = new RegExp(`${BEGIN}([^${BEGIN}${END}]*)${END}`, "g");

export function unfilledMark(name: string): string {
  return `${BEGIN}${name.replaceAll(/[\uE0F1\uE0F2]/g, "")}${END}`;
}

const NO_VALUE = say`no value`;
const NO_ADDRESS = say`no address`;
/** Marks that replace an empty headline. They contain blanks, which a variable's name never does. */
const HEADLINES = [say`no subject yet`, say`no title yet`];

interface MarkedPart {
  text: Words;
  unfilled: boolean;
}

function markedParts(text: string): MarkedPart[] {
  return text
    .split(MARKED)
    .map((part, index) => ({
      text: HEADLINES.find((one) => String(one) === part) ?? part,
      unfilled: index % 2 === 1,
    }))
    .filter((part) => part.text !== "");
}

const STYLE = `<style>
.belfry-unfilled{padding:0 5px;border-radius:4px;background:#ffe2b8!important;color:#6d4200!important}
a[href="#"]{outline:2px dashed #c06a00!important;outline-offset:2px}
a[href="#"]::after{content:" {address}";font-size:12px;color:#c06a00;background:#fff8ec}
</style>`;
/** Elements whose content is text, not markup. */
const RAW = /^<(style|title|script|textarea|xmp|noscript)(?=[\s/>])/i;
const RAW_ENDS = new Map(
  ["style", "title", "script", "textarea", "xmp", "noscript"].map((element) => [
    element,
    new RegExp(`</${element}`, "gi"),
  ]),
);

/** Returns a rendered mail with its marks as `<mark>` elements. Within a tag or a title only the name remains. */
export function markedHtml(html: string): Phrase {
  return new Phrase((language) => {
    const mark = `<mark class="belfry-unfilled" title="${NO_VALUE.in(language)}">$1</mark>`;
    return withMarks(html, mark) + STYLE.replace("{address}", NO_ADDRESS.in(language));
  });
}

function withMarks(html: string, mark: string): string {
  const pieces: string[] = [];
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    const end = open === -1 ? html.length : open;
    pieces.push(html.slice(at, end).replace(MARKED, mark));
    if (open === -1) break;
    at = endOfTag(html, open);
    pieces.push(html.slice(open, at).replace(MARKED, "$1"));
  }
  return pieces.join("");
}

/** Returns the place after a tag, a comment, or an element whose content is text. */
function endOfTag(html: string, open: number): number {
  if (html.startsWith("<!--", open)) return after(html, "-->", open);
  const raw = RAW.exec(html.slice(open, open + 20))?.[1];
  if (raw !== undefined) return endOfRaw(html, raw.toLowerCase(), open);
  let quote = "";
  for (let at = open + 1; at < html.length; at += 1) {
    const character = html[at]!;
    if (quote !== "") {
      if (character === quote) quote = "";
    } else if (character === '"' || character === "'") quote = character;
    else if (character === ">") return at + 1;
  }
  return html.length;
}

function after(html: string, end: string, from: number): number {
  const found = html.indexOf(end, from + 1);
  return found === -1 ? html.length : found + end.length;
}

/** Returns the place after `</element`. Searches from the element's start, so that many elements take linear time. */
function endOfRaw(html: string, element: string, from: number): number {
  const end = RAW_ENDS.get(element);
  if (end === undefined) return html.length;
  end.lastIndex = from + 1;
  return end.exec(html) === null ? html.length : end.lastIndex;
}

/** Returns the preview for the editor: `marked` is rendered with marks, `plain` is what would be sent. */
export function shownPreview(plain: Preview, marked: Preview): object {
  if (marked.kind === "email" && plain.kind === "email") {
    const { kind, channel, missing, linksLeftOut } = plain;
    return {
      kind,
      channel,
      missing,
      linksLeftOut,
      subject: markedParts(marked.subject),
      html: markedHtml(marked.html),
      text: markedParts(marked.text),
    };
  }
  if (marked.kind === "text" && plain.kind === "text") {
    const { text, ...rest } = plain;
    return { ...rest, characters: [...text].length, text: markedParts(marked.text) };
  }
  if (marked.kind === "notification" && plain.kind === "notification") {
    return { ...plain, title: markedParts(marked.title), body: markedParts(marked.body) };
  }
  if (marked.kind === "chat" && plain.kind === "chat") {
    return { ...plain, text: markedParts(plainChat(marked.blocks)) };
  }
  throw new Error("the two are of different kinds");
}
