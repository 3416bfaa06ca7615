/** Parses rendered documents with blocks and filters by parse5. Our own reader accepts each of them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Node, nodesOf } from "../../test/parsed-nodes.ts";
import { scanTags } from "../language/tags.ts";
import { createRenderer } from "../render.ts";
import { htmlSlots } from "./html-slots.ts";

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
