/**
 * A reader of HTML (and of MJML, which has the same syntax) that says where offsets of a document
 * stand. It follows the tokenizer of the HTML standard as far as places of tags depend on it, and reads
 * into Outlook's conditional comments, because Outlook does.
 */

export type Span =
  | {
      kind: "attribute";
      element: string;
      attribute: string;
      quoted: boolean;
      start: number;
      end: number;
    }
  | { kind: "element name" | "attribute name"; element: string; start: number; end: number }
  | { kind: "comment"; start: number; end: number }
  | { kind: "raw text"; element: string; start: number; end: number };

export interface ElementEvent {
  kind: "open" | "close" | "void";
  element: string;
  start: number;
}

/** Elements whose content is not markup. */
const RAW_TEXT = new Set([
  "script",
  "style",
  "xmp",
  "iframe",
  "noembed",
  "noframes",
  "plaintext",
  "mj-style",
]);
/** Elements whose content is text with character references, and no elements. */
const ESCAPABLE_RAW_TEXT = new Set(["title", "textarea"]);

/** The inside of a conditional comment: markup to Outlook, a comment to everybody else. */
export interface Conditional {
  start: number;
  end: number;
}

export interface HtmlPlaces {
  spans: Span[];
  elements: ElementEvent[];
  conditionals: Conditional[];
}

/**
 * Reads a document and returns its spans in order, those of plain text left out, its elements and its
 * conditional comments.
 * The document must not contain tags: give it with each tag replaced by as many letters.
 */
export function readHtml(html: string): HtmlPlaces {
  const reader: Reader = { html, spans: [], elements: [], conditionals: [] };
  readMarkup(reader, 0, html.length);
  return reader;
}

interface Reader extends HtmlPlaces {
  html: string;
}

function readMarkup(reader: Reader, from: number, to: number): void {
  const { html } = reader;
  let at = from;
  while (at < to) {
    const open = html.indexOf("<", at);
    if (open === -1 || open + 1 >= to) return;
    const next = html.charAt(open + 1);
    if (html.startsWith("<!--", open)) at = readComment(reader, open, to);
    else if (/[A-Za-z]/.test(next)) at = readElement(reader, open, to);
    else if (next === "/" && /[A-Za-z]/.test(html.charAt(open + 2)))
      at = readElement(reader, open, to);
    else if (next === "!" || next === "?" || next === "/") {
      const close = find(html, ">", open + 2, to);
      reader.spans.push({ kind: "comment", start: open, end: close });
      at = close + 1;
    } else at = open + 1;
  }
}

function readComment(reader: Reader, open: number, to: number): number {
  const { html, spans } = reader;
  const start = open + 4;
  const abrupt = /^-?>/.exec(html.slice(start, start + 2));
  if (abrupt) return start + abrupt[0].length;
  const ending = /--!?>/g;
  ending.lastIndex = start;
  const close = ending.exec(html);
  const end = close === null ? to : Math.min(close.index, to);
  const after = close === null ? to : Math.min(close.index + close[0].length, to);
  const condition = /^\[if[^\]>]*\]>/.exec(html.slice(start, Math.min(end, start + 200)));
  if (condition) {
    const inside = start + condition[0].length;
    const endif = html.slice(inside, end).lastIndexOf("<![endif]");
    const insideEnd = endif === -1 ? end : inside + endif;
    spans.push({ kind: "comment", start: open, end: inside });
    reader.conditionals.push({ start: inside, end: insideEnd });
    readMarkup(reader, inside, insideEnd);
    spans.push({ kind: "comment", start: insideEnd, end: after });
  } else {
    spans.push({ kind: "comment", start: open, end: after });
  }
  return after;
}

function readElement(reader: Reader, open: number, to: number): number {
  const { html, spans, elements } = reader;
  const closing = html.charAt(open + 1) === "/";
  const nameStart = open + (closing ? 2 : 1);
  let at = skip(html, /[^\s/>]/y, nameStart, to);
  const element = html.slice(nameStart, at).toLowerCase();
  spans.push({ kind: "element name", element, start: nameStart, end: at });
  let empty = false;
  for (;;) {
    const before = at;
    at = skip(html, /[\s/]/y, at, to);
    if (at >= to) return to;
    if (html.charAt(at) === ">") {
      empty = at > before && html.charAt(at - 1) === "/";
      at++;
      break;
    }
    at = readAttribute(reader, element, at, to);
  }
  elements.push({ kind: closing ? "close" : empty ? "void" : "open", element, start: open });
  if (closing || (empty && element.startsWith("mj-"))) return at;
  if (RAW_TEXT.has(element) || ESCAPABLE_RAW_TEXT.has(element)) {
    return readRawText(reader, element, at, to);
  }
  return at;
}

function readAttribute(reader: Reader, element: string, from: number, to: number): number {
  const { html, spans } = reader;
  // An attribute's name may begin with "=", and only there.
  let at = skip(html, /[^\s/>=]/y, from + 1, to);
  const attribute = html.slice(from, at).toLowerCase();
  spans.push({ kind: "attribute name", element, start: from, end: at });
  const afterName = skip(html, /\s/y, at, to);
  if (html.charAt(afterName) !== "=" || afterName >= to) return at;
  at = skip(html, /\s/y, afterName + 1, to);
  const quote = html.charAt(at);
  if (quote === '"' || quote === "'") {
    const end = find(html, quote, at + 1, to);
    // Where the closing quote is missing the attribute has no end, so it counts as unquoted.
    spans.push({ kind: "attribute", element, attribute, quoted: end < to, start: at + 1, end });
    return end + 1;
  }
  const end = skip(html, /[^\s>]/y, at, to);
  spans.push({ kind: "attribute", element, attribute, quoted: false, start: at, end });
  return end;
}

function readRawText(reader: Reader, element: string, from: number, to: number): number {
  const { html } = reader;
  const ending = new RegExp(`</${element}(?=[\\s/>])`, "gi");
  ending.lastIndex = from;
  const close = element === "plaintext" ? null : ending.exec(html);
  let end = close === null ? to : Math.min(close.index, to);
  // Inside <!-- a script may hold further script tags: take everything up to the last one.
  if (element === "script" && html.slice(from, end).includes("<!--")) {
    end = Math.max(end, Math.min(to, html.toLowerCase().lastIndexOf("</script")));
  }
  // In SVG a title holds elements: where it looks like that, nothing is promised about it.
  if (RAW_TEXT.has(element) || html.slice(from, end).includes("<")) {
    reader.spans.push({ kind: "raw text", element, start: from, end });
  }
  return end;
}

function skip(html: string, pattern: RegExp, from: number, to: number): number {
  let at = from;
  pattern.lastIndex = at;
  while (at < to && pattern.test(html)) {
    at++;
    pattern.lastIndex = at;
  }
  return Math.min(at, to);
}

function find(html: string, text: string, from: number, to: number): number {
  const at = html.indexOf(text, from);
  return at === -1 || at > to ? to : at;
}
