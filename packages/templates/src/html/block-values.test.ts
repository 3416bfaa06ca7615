/** Compares where parse5 finds the values of rendered documents with blocks. Our own reader accepts each document. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { nodesOf } from "../../test/parsed-nodes.ts";
import { beginRendering } from "../language/rendering.ts";
import { maskTags, rangeFinder, scanTags } from "../language/tags.ts";
import { createWriter } from "../language/writer.ts";
import { readHtml } from "./html-places.ts";
import { htmlSlots } from "./html-slots.ts";

/** Texts beside a tag that begin or end something else if the tag writes nothing. */
const SIGNS = [
  ...[
    "<",
    "< ",
    ">",
    "/",
    "-",
    "--",
    "--!",
    "->",
    "-->",
    "!",
    "=",
    '"',
    "'",
    " ",
    "\n",
    "a",
    "b>",
    "&",
  ],
  ...[
    "<!--",
    "<!--[if mso]>",
    "<![endif]-->",
    "<![CDATA[",
    "]]>",
    '<a title="',
    "<a href='",
    '">',
    "'>",
  ],
  ...[
    "<p>",
    "</p>",
    "<a>",
    "</a>",
    "<svg>",
    "</svg>",
    "<title>",
    "</title>",
    "<style>",
    "</style>",
  ],
  ...[
    '<p style="color:',
    "<script>",
    "</script>",
    "<textarea>",
    "</textarea>",
    "<a",
    "script>",
    "onclick=",
  ],
];
const TAGS = [
  ...[
    "{% if a %}",
    "{% if b %}",
    "{%- if a -%}",
    "{% unless b -%}",
    "{% for i in l %}",
    "{%- for i in l -%}",
  ],
  ...[
    "{% else %}",
    "{%- else -%}",
    "{% end %}",
    "{%- end -%}",
    "{% end %}",
    "{% end -%}",
    "{%- end %}",
  ],
];
const VALUES = ["{{v}}", "{{v}}", "{{v}}", '<b title="{{v}}">a</b>', "<a href='{{v}}'>{{v}}</a>"];
const tokens = fc.array(
  fc.oneof(
    { arbitrary: fc.constantFrom(...SIGNS), weight: 4 },
    { arbitrary: fc.constantFrom(...TAGS), weight: 4 },
    { arbitrary: fc.constantFrom(...VALUES), weight: 3 },
  ),
  { minLength: 3, maxLength: 12, size: "max" },
);

/** The tokens as a template: each end by its block's word, each value with a name of its own. */
function template(parts: readonly string[]): string {
  const open: { word: string; hasElse: boolean }[] = [];
  let count = 0;
  const written = parts.map((part) => {
    const word = /^\{%-? (\w+)/.exec(part)?.[1];
    if (word === undefined) return part.replaceAll("{{v}}", () => `{{v${count++}}}`);
    const block = open.at(-1);
    if (word === "end") return open.pop() ? part.replace("end", `end${block?.word}`) : "";
    if (word !== "else") open.push({ word, hasElse: false });
    else if (block === undefined || block.hasElse) return "";
    else block.hasElse = true;
    return part;
  });
  return (
    written.join("") +
    open
      .reverse()
      .map(({ word }) => `{% end${word} %}`)
      .join("")
  );
}

test("a value stands where it is taken to stand, whichever branches are written", () => {
  const found = { text: 0, attribute: 0, documents: 0 };
  const standsThere = (parts: string[], a: boolean, b: boolean, length: number): void => {
    const html = template(parts);
    const { tags, faults } = scanTags(html);
    if (faults.length > 0 || !tags.some(({ kind }) => kind === "block")) return;
    if (htmlSlots(html, tags).some((slot) => "refused" in slot)) return;
    const spanAt = rangeFinder(readHtml(maskTags(html, tags)).spans);
    const ours = new Map<string, string>();
    for (const { kind, name, start } of tags) {
      const span = spanAt(start);
      const isAttribute = span?.kind === "attribute";
      if (kind === "value")
        ours.set(name, isAttribute ? `${span.element} ${span.attribute}` : "text");
    }
    const names = [...ours.keys()];
    const words = Object.fromEntries(names.map((name) => [name, `tag${name}tag`]));
    const write = createWriter(html, { clean: (x) => x, measure: () => 0, limit: 1e6 });
    const rendering = beginRendering();
    const text = write?.({ ...words, a, b, l: Array.from({ length }) }, rendering) ?? "";
    found.documents++;
    const note = (theirText: string, place: string): void => {
      for (const [, name = ""] of theirText.matchAll(/tag(v\d+)tag/gi)) {
        assert.equal(ours.get(name.toLowerCase()), place, text);
        found[place === "text" ? "text" : "attribute"]++;
      }
    };
    for (const node of nodesOf(text)) {
      const { nodeName } = node;
      note(nodeName, "element name");
      if ("data" in node && !node.data.startsWith("[if")) note(node.data, "comment");
      if ("value" in node)
        note(node.value, RAW_TEXT.has(node.parentNode?.nodeName ?? "") ? "raw" : "text");
      for (const { name, value } of "attrs" in node ? node.attrs : []) {
        note(name, "attribute name");
        note(value, `${nodeName} ${name}`);
      }
    }
  };
  fc.assert(fc.property(tokens, fc.boolean(), fc.boolean(), fc.nat({ max: 2 }), standsThere), {
    numRuns: 50_000,
    seed: 20_261_122,
  });
  assert.ok(found.text > 1_000 && found.attribute > 1_000, JSON.stringify(found));
});

const RAW_TEXT = new Set(["script", "style", "xmp", "iframe", "noembed", "noframes", "plaintext"]);
