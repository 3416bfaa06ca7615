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
 * conditional comments. Linear: nothing is searched for twice in the same characters.
 * The document must not contain tags: give it with each tag replaced by as many letters.
 */
export function readHtml(html: string): HtmlPlaces {
  const reader: Reader = { html, spans: [], elements: [], conditionals: [], commentEnd: null };
  readMarkup(reader);
  return reader;
}

interface Reader extends HtmlPlaces {
  html: string;
  /** The last end of a comment that was found; null when none was looked for. */
  commentEnd: CommentEnd | null;
  lastScriptEnd?: number;
}

/** Where a comment ends and what follows it begins; both infinite when no end is left. */
interface CommentEnd {
  start: number;
  after: number;
}

/** A conditional comment that is being read, and what surrounds it. */
interface OpenConditional extends CommentEnd {
  /** None of its own `<![endif]>` stands in it, so that none stands further inside. */
  unclosed: boolean;
  outerTo: number;
}

function readMarkup(reader: Reader): void {
  const { html, spans } = reader;
  // A list of our own: a call in a call for each comment in a comment would overflow the stack.
  const conditionals: OpenConditional[] = [];
  let at = 0;
  let to = html.length;
  for (;;) {
    const open = at < to ? html.indexOf("<", at) : -1;
    if (open === -1 || open + 1 >= to) {
      const conditional = conditionals.pop();
      if (conditional === undefined) return;
      spans.push({ kind: "comment", start: conditional.start, end: conditional.after });
      at = conditional.after;
      to = conditional.outerTo;
    } else if (html.startsWith("<!--", open)) {
      const inside = conditionInside(reader, open, to);
      if (inside === undefined) {
        at = readComment(reader, open, to);
      } else {
        const conditional = openConditional(reader, open, inside, to, conditionals.at(-1));
        conditionals.push(conditional);
        at = inside;
        to = conditional.start;
      }
    } else {
      at = readTag(reader, open, to);
    }
  }
}

function readTag(reader: Reader, open: number, to: number): number {
  const { html, spans } = reader;
  const next = html.charAt(open + 1);
  if (/[A-Za-z]/.test(next) || (next === "/" && /[A-Za-z]/.test(html.charAt(open + 2)))) {
    return readElement(reader, open, to);
  }
  if (next !== "!" && next !== "?" && next !== "/") return open + 1;
  const close = find(html, ">", open + 2, to);
  spans.push({ kind: "comment", start: open, end: close });
  return close + 1;
}

function readComment(reader: Reader, open: number, to: number): number {
  const { html, spans } = reader;
  const start = open + 4;
  const abrupt = /^-?>/.exec(html.slice(start, start + 2));
  if (abrupt) return start + abrupt[0].length;
  const after = Math.min(commentEnd(reader, start).after, to);
  spans.push({ kind: "comment", start: open, end: after });
  return after;
}

/** Where the inside of a conditional comment begins; undefined for any other comment. */
function conditionInside(reader: Reader, open: number, to: number): number | undefined {
  const start = open + 4;
  const end = Math.min(commentEnd(reader, start).start, to);
  const condition = /^\[if[^\]>]*\]>/.exec(reader.html.slice(start, Math.min(end, start + 200)));
  return condition ? start + condition[0].length : undefined;
}

function openConditional(
  reader: Reader,
  open: number,
  inside: number,
  to: number,
  outer: OpenConditional | undefined,
): OpenConditional {
  const { html, spans, conditionals } = reader;
  const close = commentEnd(reader, open + 4);
  const end = Math.min(close.start, to);
  const endif = outer?.unclosed ? -1 : html.slice(inside, end).lastIndexOf("<![endif]");
  const unclosed = endif === -1;
  const insideEnd = unclosed ? end : inside + endif;
  spans.push({ kind: "comment", start: open, end: inside });
  conditionals.push({ start: inside, end: insideEnd });
  return { start: insideEnd, after: Math.min(close.after, to), unclosed, outerTo: to };
}

/** The first end of a comment from here on; asked for with offsets that only grow. */
function commentEnd(reader: Reader, from: number): CommentEnd {
  if (reader.commentEnd === null || reader.commentEnd.start < from) {
    const ending = /--!?>/g;
    ending.lastIndex = from;
    const found = ending.exec(reader.html);
    reader.commentEnd = found
      ? { start: found.index, after: found.index + found[0].length }
      : { start: Number.POSITIVE_INFINITY, after: Number.POSITIVE_INFINITY };
  }
  return reader.commentEnd;
}

function readElement(reader: Reader, open: number, to: number): number {
  const { html, spans, elements } = reader;
  const closing = html.charAt(open + 1) === "/";
  const nameStart = open + (closing ? 2 : 1);
  let at = skip(html, isName, nameStart, to);
  const element = html.slice(nameStart, at).toLowerCase();
  spans.push({ kind: "element name", element, start: nameStart, end: at });
  let empty = false;
  for (;;) {
    const before = at;
    at = skip(html, isBlankOrSlash, at, to);
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
  let at = skip(html, isAttributeName, from + 1, to);
  const attribute = html.slice(from, at).toLowerCase();
  spans.push({ kind: "attribute name", element, start: from, end: at });
  const afterName = skip(html, isBlank, at, to);
  if (html.charAt(afterName) !== "=" || afterName >= to) return at;
  at = skip(html, isBlank, afterName + 1, to);
  const quote = html.charAt(at);
  if (quote === '"' || quote === "'") {
    const end = find(html, quote, at + 1, to);
    // Where the closing quote is missing the attribute has no end, so it counts as unquoted.
    spans.push({ kind: "attribute", element, attribute, quoted: end < to, start: at + 1, end });
    return end + 1;
  }
  const end = skip(html, isUnquotedValue, at, to);
  spans.push({ kind: "attribute", element, attribute, quoted: false, start: at, end });
  return end;
}

function readRawText(reader: Reader, element: string, from: number, to: number): number {
  const { html } = reader;
  const ending = new RegExp(`</${element}(?=[\\t\\n\\f\\r />])`, "i");
  const close =
    element === "plaintext" ? null : ending.exec(html.slice(from, to + element.length + 2));
  let end = close === null ? to : Math.min(from + close.index, to);
  // Inside <!-- a script may hold further script tags: take everything up to the last one.
  if (element === "script" && html.slice(from, end).includes("<!--")) {
    end = Math.max(end, Math.min(to, lastScriptEnd(reader)));
  }
  // In SVG a title holds elements: where it looks like that, nothing is promised about it.
  if (RAW_TEXT.has(element) || html.slice(from, end).includes("<")) {
    reader.spans.push({ kind: "raw text", element, start: from, end });
  }
  return end;
}

function lastScriptEnd(reader: Reader): number {
  if (reader.lastScriptEnd === undefined) {
    reader.lastScriptEnd = -1;
    for (const { index } of reader.html.matchAll(/<\/script/gi)) reader.lastScriptEnd = index;
  }
  return reader.lastScriptEnd;
}

function skip(html: string, isIn: (code: number) => boolean, from: number, to: number): number {
  let at = from;
  while (at < to && isIn(html.charCodeAt(at))) at++;
  return Math.min(at, to);
}

const SLASH = 0x2f;
const EQUALS = 0x3d;
const GREATER = 0x3e;

/** As HTML has it: a no-break space or a vertical tab is part of a name or a value. */
function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0c || code === 0x0d;
}

const isBlankOrSlash = (code: number): boolean => code === SLASH || isBlank(code);
const isUnquotedValue = (code: number): boolean => code !== GREATER && !isBlank(code);
const isName = (code: number): boolean => code !== SLASH && isUnquotedValue(code);
const isAttributeName = (code: number): boolean => code !== EQUALS && isName(code);

function find(html: string, text: string, from: number, to: number): number {
  const at = html.slice(from, to).indexOf(text);
  return at === -1 ? to : from + at;
}
