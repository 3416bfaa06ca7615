/** What parse5 makes of rendered documents with blocks and filters, each of which our own reader accepts. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type DefaultTreeAdapterTypes, parse } from "parse5";
import { readHtml } from "./html-places.ts";
import { htmlSlots } from "./html-slots.ts";
import { rangeFinder } from "./ranges.ts";
import { createRenderer } from "./render.ts";
import { beginRendering } from "./rendering.ts";
import { maskTags, scanTags } from "./tags.ts";
import { createTextWriter } from "./text-writer.ts";

const FILTERS = [
  ...["default: 'd'", "size", "join: '<'", "first", "last", "truncate: 9", "upcase", "downcase"],
  ...["capitalize", 'date: "medium"', "number: 2", 'money: "EUR"', "escape", "url_encode"],
  ...[
    'plural: one: "<i>", other: "items"',
    "newline_to_br",
    "downcase | escape",
    "first | default: x",
  ],
];
const values = fc
  .tuple(
    fc.constantFrom("x", "i", "l", "l.first", "gone", "'<b>'"),
    fc.constantFrom("", "", ...FILTERS),
  )
  .map(([name, filter]) => (filter === "" ? `{{${name}}}` : `{{ ${name} | ${filter} }}`));

/** Whole elements, and what tears them; any may meet any other. */
const ELEMENTS = [
  ...["<p>V</p>", "V", "<b title='V'>V</b>", '<a href="V">V</a>', '<a href="https://x.io/V">a</a>'],
  ...[
    '<td style="color:V">V</td>',
    "<img src='V' alt=\"V\">",
    '<img srcset="a 1x, V 2x">',
    "<title>V</title>",
  ],
  ...[
    "<td style=\"background:url('V')\">",
    "<!--[if mso]>V<![endif]-->",
    "<!-- a -->",
    "<tr>V</tr>",
  ],
  ...["<svg><path/></svg>", "<!--[if mso]><td><![endif]-->V<!--[if mso]></td><![endif]-->", "<br>"],
];
const TORN = [
  ...[
    "<p title='V",
    "'>",
    '<a title="',
    '">',
    "<",
    "</",
    ">",
    "-",
    "->",
    "-->",
    "<!--",
    "<!--[if mso]>",
  ],
  ...[
    "<![endif]-->",
    "<b>",
    "</b>",
    "<svg>",
    "</svg>",
    "<title>",
    "</title>",
    "<style>",
    "</style>",
    " ",
    "\n",
  ],
  ...[
    "<textarea>",
    "<![CDATA[",
    "]]>",
    "=",
    "<script>",
    "</script>",
    "a",
    "<b ",
    "<plaintext>",
    "onclick='",
  ],
];
const phrase = fc
  .tuple(
    fc.oneof(
      { arbitrary: fc.constantFrom(...ELEMENTS), weight: 4 },
      { arbitrary: fc.constantFrom(...TORN), weight: 1 },
    ),
    values,
  )
  .map(([text, value]) => text.replaceAll("V", value));

const dash = fc.constantFrom("", "", "", "-");
const { document } = fc.letrec<{ document: string; part: string; block: string }>((tie) => ({
  document: fc.array(tie("part"), { maxLength: 5, size: "max" }).map((parts) => parts.join("")),
  part: fc.oneof({ maxDepth: 3, withCrossShrink: true }, phrase, phrase, tie("block")),
  block: fc
    .tuple(
      fc.constantFrom("if a", "if b", "unless a", "for i in l", "if l contains 'q' or b"),
      tie("document"),
      fc.option(tie("document")),
      fc.tuple(dash, dash, dash, dash),
      fc.constantFrom(...["", '<p title="', "<p title='{{x}}", "<!--[if mso]>"]),
    )
    .map(([opening, body, other, [d1, d2, d3, d4], place]) => {
      const word = opening.split(" ")[0];
      const otherwise = other === null ? "" : `{%${d3} else ${d1}%}${other}`;
      const block = `{%${d1} ${opening} ${d2}%}${body}${otherwise}{%${d3} end${word} ${d4}%}`;
      const end =
        place === "" ? "" : place.startsWith("<!") ? "<![endif]-->" : `${place.charAt(9)}></p>`;
      return place + block + end;
    }),
}));

const ATTACKS = [
  `"><i></i><b onclick="x" href="`,
  `'><i></i><b onclick='x' href='`,
  "--><i></i><!--",
  "-",
  "--",
  ">",
  " onclick=x href=javascript:x ",
  "javascript:alert(1)",
  "java\tscript:x",
  "</title></textarea></script></style><i>",
  "red;background:url(javascript:x)",
  "]]><i>",
  "&quot;><i>",
  "{{x}}{% if %}{%",
];

type Node = DefaultTreeAdapterTypes.Node;

/** All nodes of a document, and those that Outlook sees in conditional comments. */
function nodesOf(html: string): Node[] {
  // In a body that has begun: in front of it a blank and a word are not alike.
  const read = (text: string) => parse(`<body>a${text}`, { scriptingEnabled: false });
  const nodes: Node[] = [read(html)];
  for (const node of nodes) {
    if ("content" in node) nodes.push(node.content);
    if ("childNodes" in node) nodes.push(...node.childNodes);
    const conditional = "data" in node ? /^\[if[^\]>]*\]>([\s\S]*)/.exec(node.data) : null;
    if (conditional) nodes.push(read(conditional[1] ?? ""));
  }
  return nodes;
}

/** The nodes of a document with the names of their attributes, and what its addresses begin with. */
function structure(html: string): { shape: string[]; scripts: string[] } {
  const attributes = (node: Node) => ("attrs" in node ? node.attrs : []);
  const nodes = nodesOf(html);
  return {
    shape: nodes
      .filter(({ nodeName }) => nodeName !== "#text" && nodeName !== "br")
      .map((node) => [node.nodeName, ...attributes(node).map(({ name }) => name)].join(" ")),
    scripts: nodes
      .flatMap(attributes)
      .filter(({ name }) => ["href", "src", "srcset"].includes(name))
      .map(({ value }) => value.replace(/[\u0000-\u0020]/g, ""))
      .filter((url) => /(?:^|,)(?:java|vb)script:/i.test(url)),
  };
}

test("no value changes the structure of an accepted document, whatever branches and filters it goes through", () => {
  const accepted = { documents: 0, blocks: 0, filters: 0 };
  const keepsItsStructure = (html: string, a: boolean, b: boolean, length: number): void => {
    const { tags, faults } = scanTags(html);
    if (faults.length > 0) return;
    const slots = htmlSlots(html, tags);
    if (slots.length === 0 || slots.some((slot) => "refused" in slot)) return;
    const render = createRenderer({
      kind: "email",
      format: "html",
      subject: "{% if a %}{{x}}{% else %}{{x | upcase}}{% endif %}{{l | join: ','}}",
      html,
      text: "",
      logic: true,
      variables: [],
    });
    const rendered = (x: string): string => {
      const result = render({ a, b, x, l: Array.from({ length }, () => x) });
      if (!result.ok) assert.match(result.reason, /cannot be read/);
      if (!result.ok || result.kind !== "email") return "";
      assert.doesNotMatch(result.subject, /[\r\n\u2028]/);
      return result.html;
    };
    // A template's own script addresses are its author's: only what a value adds is counted.
    const benign = structure(rendered("1"));
    accepted.documents++;
    accepted.blocks += tags.filter(({ kind }) => kind === "block").length;
    accepted.filters += tags.filter(
      ({ kind, code }) => kind === "value" && code.includes("|"),
    ).length;
    for (const attack of ATTACKS) {
      const attacked = structure(rendered(attack));
      assert.deepEqual(attacked.shape, benign.shape, attack);
      assert.ok(attacked.scripts.length <= benign.scripts.length, attack);
    }
  };
  fc.assert(
    fc.property(document, fc.boolean(), fc.boolean(), fc.nat({ max: 3 }), keepsItsStructure),
    { numRuns: 20_000, seed: 20_261_122 },
  );
  assert.ok(accepted.documents > 1_000, JSON.stringify(accepted));
});

/** What may stand beside a tag so that, where the tag writes nothing, something else begins or ends. */
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
    const write = createTextWriter(html, { clean: (x) => x, measure: () => 0, limit: 1e6 }, true);
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
