import assert from "node:assert/strict";
import { test } from "node:test";
import { findBlocks } from "@belfry/templates/language/parse-template";
import { markdownWords } from "@belfry/templates/language/tag-words";
import { scanTags } from "@belfry/templates/language/tags";
import { markdownToMjml } from "@belfry/templates/markdown";
import { STARTERS } from "@belfry/templates/starters";
import { chance } from "@belfry/templates/test/liquid-cases";

const assets = new URL("../assets/", import.meta.url);
const { readDocument } = await import(`${assets}visual-document.js`);
const { writeDocument } = await import(`${assets}visual-text.js`);
const { schema } = await import(`${assets}visual-schema.js`);

test("every starter is shown, and written back byte for byte", () => {
  for (const { key, email } of STARTERS) {
    const { doc, reason } = readDocument(email.content);
    assert.equal(reason, undefined, key);
    assert.equal(writeDocument(doc).text, email.content, key);
  }
});

test("a thousand generated documents come back byte for byte, and are what the server reads", () => {
  const random = chance(36);
  for (let count = 0; count < 1000; count++) {
    const made = document(random);
    const { text } = writeDocument(made);
    const { doc, reason } = readDocument(text);
    assert.equal(reason, undefined, text);
    assert.equal(writeDocument(doc).text, text);
    assert.equal(words(doc), words(made), text);
    assert.deepEqual(ofDocument(doc), ofServer(text), text);
  }
});

test("a text that is shown is what the server reads; of any other the reason has a line", () => {
  const random = chance(8);
  let shown = 0;
  for (let count = 0; count < 5000; count++) {
    const pieces = Array.from({ length: 1 + Math.floor(random() * 12) }, () =>
      pick(random, PIECES),
    );
    const text = pieces.join("");
    const { doc, reason } = readDocument(text);
    if (doc === undefined) {
      assert.match(reason, /^line \d+ has /, text);
      continue;
    }
    const read = ofServer(text);
    if (read === undefined) continue;
    shown += 1;
    assert.deepEqual(ofDocument(doc), read, JSON.stringify(text));
  }
  assert.ok(shown > 500, `${shown} of them`);
});

test("what cannot be shown says what and where", () => {
  for (const [text, reason] of [
    ["a\n\n- b\n\n  c", "line 5 has an indented line of this form"],
    ["a\n\n_b_", "line 3 has the sign _, which marks no words here"],
    ["{% if a %}\nb", "line 1 has a condition or a loop that does not end"],
    ["a <https://example.com>", "line 1 has an address between < and >"],
    ["a\n\n* b\n+ c\n\n  \nd", "line 4 has blanks or signs that would be written otherwise"],
    ["a {{ b", "line 1 has a tag that does not end on its line"],
  ]) {
    assert.equal(readDocument(text).reason, reason);
  }
});

test("a long text of any kind is read once, and written once", () => {
  const size = 131_072;
  const lines = (one: (at: number) => string) =>
    Array.from({ length: 20_000 }, (_, at) => one(at)).join("\n");
  const parts = [
    ...["{{", "a {{", "{{}}", "{% a", "a {", "{{ a }} ", "**{{ a }}** ", "{% if a %}b{% endif %} "],
    ...[
      "[a](b) ",
      "[",
      "[a",
      "![a](",
      "](",
      "[a]({{",
      "[\\[",
      "**a** ",
      "a ** b",
      "*",
      "`a` ",
      "_b_ ",
    ],
    ...["&a", "<a", "~ ", "\\", "# ", "\n", "- ", "> a\n> a\n>\n", "| a |\n", "{% if a %}\n"],
  ];
  const texts = parts.map((part) => `x ${part.repeat(size / part.length)}y`);
  const blanks = " ".repeat(size);
  for (const text of [
    ...texts,
    ...[lines((at) => `${at + 1}. a`), lines(() => "- a"), lines((at) => `${at * 3}. a`)],
    ...[`{% if a${blanks}b %}\nx\n{% endif %}`, `{%${blanks}%}`, `a${blanks}b`, `\n${blanks}\n`],
    ...[`x [a](${"{{}}".repeat(size / 4)}`, `a\n\n| b |\n| - |\n${"{{".repeat(size / 2)}`],
  ]) {
    // The writer escapes the same text where somebody typed it as words.
    ends(() => readDocument(text), text);
    ends(() => {
      const words = text.split("\n").map((line) => line && schema.text(line));
      const paragraphs = words.map((line) => schema.node("paragraph", {}, line || undefined));
      return writeDocument(schema.node("doc", {}, paragraphs));
    }, text);
  }
});

/**
 * Each took minutes of the processor where some piece of text was read again and again, and takes a second or two where
 * it is read once: nobody could mistake the two.
 */
function ends(work: () => unknown, text: string): void {
  const started = process.cpuUsage();
  work();
  // The process's own time does not depend on the machine's other load.
  const { user, system } = process.cpuUsage(started);
  assert.ok(user + system < 20_000_000, `it is not linear: ${JSON.stringify(text.slice(0, 20))}`);
}

const LINK = "https://example.com/a?b={{ c }}";
const PIECES = [
  ..."a b é ж 请 。 ñ . , : ; ! ? ( ) \" ' “ … — € 😀 # > - + 1. 12. 2) | = \\ / & < @".split(" "),
  ...["*", "**", "***", "_", "__", "~~", "~", "`", "[", "]", "](", "![", "{", "}", "&amp;"],
  ...[
    " ",
    " ",
    " ",
    "  ",
    "\n",
    "\n",
    "\n\n",
    "\n\n",
    "\n- ",
    "\n  ",
    "\n> ",
    "\n# ",
    "\n1. ",
    "\n---\n",
  ],
  ...[
    "{{ a }}",
    "{% if a %}",
    "{% endif %}",
    "\n{% if a %}\n",
    "\n{% endif %}\n",
    "\n{% else %}\n",
  ],
  ...["[a](https://b.c)", "\n[a](https://b.c)\n", "\n![a](https://b.c/d.png)\n", "**a**", "*b*"],
];

function pick<T>(random: () => number, all: readonly T[]): T {
  return all[Math.floor(random() * all.length)] as T;
}

/** A document as somebody may make it, with whatever they may type. */
function document(random: () => number) {
  const many = <T>(most: number, make: () => T): T[] =>
    Array.from({ length: 1 + Math.floor(random() * most) }, make);
  const marks = () =>
    ["link", "strong", "em", "strike"]
      .filter(() => random() < 0.12)
      .map((name) => schema.mark(name, name === "link" ? { href: LINK } : {}));
  const plain = PIECES.filter((piece) => !/\n|[{}]/.test(piece));
  const inline = (extra: readonly string[], marked = marks) =>
    many(6, () => {
      const kind = random() < 0.8 ? "text" : pick(random, ["tag", ...extra]);
      if (kind === "hard_break") return schema.node(kind);
      if (kind === "tag") return schema.node(kind, { code: "{{ a.b | upcase }}" }).mark(marked());
      return schema.text(many(4, () => pick(random, plain)).join(""), marked());
    });
  const bare = () => marks().filter(({ type }: { type: { name: string } }) => type.name !== "link");
  const paragraph = () =>
    schema.node("paragraph", {}, [schema.text("x"), ...inline(["hard_break"])]);
  const list = (depth: number): unknown => {
    const items = many(3, () => {
      const nested = depth < 2 && random() < 0.2 ? [list(depth + 1)] : [];
      return schema.node("list_item", {}, [paragraph(), ...nested]);
    });
    return schema.node(pick(random, ["bullet_list", "ordered_list"]), {}, items);
  };
  const block = (depth: number): unknown => {
    const names = "paragraph paragraph heading list quote divider button image table box".split(
      " ",
    );
    switch (pick(random, depth > 2 ? names.slice(0, -1) : names)) {
      case "heading":
        return schema.node("heading", { level: pick(random, [1, 2, 3]) }, inline([]));
      case "list":
        return list(0);
      case "quote":
        return schema.node("quote", {}, many(3, paragraph));
      case "divider":
        return schema.node("divider");
      case "button":
        return schema.node("button", { href: LINK }, [schema.text("x"), ...inline([], bare)]);
      case "image":
        return schema.node("image", {
          src: "https://example.com/a.png",
          alt: "a [b] * & {{ c }}",
          title: "200",
        });
      case "table":
        return schema.node("table", { text: "| a | b |\n| --- | --- |\n| c | {{ d }} |" });
      case "box": {
        const [tag, end] = pick(random, [
          ["{% if a.b > 1 %}", "{% endif %}"],
          ["{% for c in d limit: 3 %}", "{% endfor %}"],
        ] as const);
        const branch = (own: string) =>
          schema.node(
            "branch",
            { tag: own },
            many(3, () => block(depth + 1)),
          );
        const other = random() < 0.3 ? [branch("{% else %}")] : [];
        return schema.node("box", { end }, [branch(tag), ...other]);
      }
      default:
        return schema.node("paragraph", {}, inline(["hard_break"]));
    }
  };
  const preheader = random() < 0.3 ? [schema.node("preheader", {}, schema.text("a *b* c"))] : [];
  return schema.node("doc", {}, [...preheader, ...many(6, () => block(0))]);
}

interface DocumentNode {
  type: { name: string };
  attrs: Record<string, string>;
  text?: string;
  marks: { type: { name: string }; attrs: Record<string, string> }[];
  forEach(visit: (child: DocumentNode, offset: number, index: number) => void): void;
  descendants(visit: (node: DocumentNode) => void): void;
}

/** All that a document says, without blanks. */
function words(doc: DocumentNode): string {
  let text = "";
  doc.descendants((node) => {
    text += node.text ?? node.attrs.code ?? node.attrs.src ?? "";
  });
  return text.replaceAll(/\s/g, "");
}

/** Each word with its marks and each block, as the server reads a text; undefined where it refuses it. */
function ofServer(source: string): string[] | undefined {
  const body = source.replace(/^\s*preheader:[ \t]*[^\n]+/i, "");
  const { tags, faults } = scanTags(body);
  const found = findBlocks(tags);
  if (faults.length > 0 || found.faults.length > 0) return undefined;
  const { content, wordStart, read } = markdownWords(body, tags);
  const blocks = found.blocks.map(({ tags: own }) => own);
  const links = { link: "", linkClass: "" };
  const made = markdownToMjml({ content, wordStart, blocks, links, direction: "ltr" });
  if (!made.ok) return /content is empty/.test(made.errors[0]?.message ?? "") ? [] : undefined;
  const tokens: string[] = [];
  const marks: string[] = [];
  const html = read(made.html).message.replaceAll("\n", "");
  for (const [piece, end, name = "", rest = "", tag] of html.matchAll(
    /<(\/?)([a-z0-9-]+)((?:"[^"]*"|[^">])*)>|(\{\{.*?\}\}|\{%.*?%\})|&[#\w]+;|./gsu,
  )) {
    const address = /(?:href|src)="([^"]*)"/.exec(rest)?.[1] ?? "";
    if (["strong", "em", "s", "code", "a"].includes(name)) {
      if (end)
        marks.splice(marks.lastIndexOf(marks.findLast((one) => one.startsWith(name)) ?? ""), 1);
      else marks.push(name + plain(address));
    } else if (/^(h\d|li|blockquote|th|td|p|mj-button|mj-divider|mj-image)$/.test(name)) {
      if (!end) tokens.push(`¶${name}${plain(address)}`);
    } else if (name === "br") tokens.push("¶br");
    else if (name === "") push(tokens, tag ?? plain(piece), marks);
  }
  return tidy(tokens);
}

function plain(html: string): string {
  const names: Record<string, string> = {
    amp: "&",
    lt: "<",
    gt: ">",
    quot: '"',
    "#39": "'",
    "#123": "{",
  };
  return html.replace(/&([#\w]+);/g, (_, name: string) => names[name] ?? `?${name}`);
}

function push(tokens: string[], text: string, marks: readonly string[]): void {
  tokens.push(/^\s+$/.test(text) ? " " : [text, ...[...marks].sort()].join(" "));
}

/** Blanks beside the ends of lines and blocks are nothing; a break that a button follows is none. */
function tidy(tokens: string[]): string[] {
  return tokens.filter((token, at) => {
    const isEdge = (one: string | undefined) => one === undefined || one.startsWith("¶");
    const before = tokens.slice(0, at).findLast((one) => one !== " ");
    const behind = tokens.slice(at + 1).find((one) => one !== " ");
    return (
      token !== " " ||
      !(isEdge(before) || isEdge(behind) || /^\{%/.test(behind ?? "") || /^\{%/.test(before ?? ""))
    );
  });
}

/** The same of a document. */
function ofDocument(doc: DocumentNode): string[] {
  const tokens: string[] = [];
  const visit = (node: DocumentNode, parent: string): void => {
    const { attrs, type, text } = node;
    const marks = node.marks.map(
      (mark) => ({ link: `a${mark.attrs.href}`, strike: "s" })[mark.type.name] ?? mark.type.name,
    );
    const begins: Record<string, string> = {
      paragraph: parent === "list_item" ? "" : "¶p",
      heading: `¶h${attrs.level}`,
      list_item: "¶li",
      quote: "¶blockquote",
      divider: "¶mj-divider",
      button: `¶mj-button${attrs.href}`,
      image: `¶mj-image${attrs.src}`,
      hard_break: "¶br",
      branch: attrs.tag ?? "",
    };
    if (type.name === "preheader") return;
    if (type.name === "table")
      for (const token of ofServer(attrs.text ?? "") ?? []) tokens.push(token);
    if (begins[type.name]) tokens.push(begins[type.name] as string);
    if (type.name === "tag") push(tokens, attrs.code ?? "", marks);
    for (const character of text ?? "") push(tokens, character, marks);
    node.forEach((child) => {
      visit(child, type.name);
    });
    if (type.name === "box") tokens.push(attrs.end ?? "");
  };
  visit(doc, "");
  const isEmpty = (at: number) =>
    tokens[at] === "¶p" && /^¶|^\{% e[ln]/.test(tokens[at + 1] ?? "¶");
  return tidy(tokens.filter((_, at) => !isEmpty(at)));
}
