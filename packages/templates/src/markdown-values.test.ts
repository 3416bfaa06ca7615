/** A value is never Markdown, nor an element: what parse5 reads has the structure that harmless values leave. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type DefaultTreeAdapterTypes, parse } from "parse5";
import { compiled, mailSource } from "../test/compiled.ts";
import { createRenderer, type Renderer } from "./render.ts";
import type { Layout } from "./source.ts";

const VALUES = [
  "**b** _i_ `c` ~~s~~",
  "[a](javascript:alert(1)) ![b](https://evil.example/b.png)",
  "x)](https://evil.example) [y](",
  "\n\n# h\n\n- a\n1. b\n\n> c\n\n---\n",
  "| a | b |\n| --- | --- |\n| c | d |",
  "</td></tr></table></p><script>alert(1)</script>",
  `"><i></i><b onclick="x" href="`,
  `'><i></i><b onclick='x`,
  "--><i></i><!--",
  "{{ y }}{% if y %}{% endif %}{{ $content }}",
  "&lt;i&gt;&#60;i&#62;",
  "</mj-text><mj-raw><i></i></mj-raw>",
  "<https://evil.example> \\* \\<i>",
  "preheader: a",
  "java\tscript:alert(1)",
];

const WORDS = [
  "{{ x }}",
  '{{ y | default: "**d**" }}',
  "a {{ x | upcase }} b",
  "**{{ x }}**",
  "_{{ y }}_ {{ x }}",
];
const INLINE = [
  ...WORDS,
  "`{{ x }}`",
  "[{{ x }}]({{ y }})",
  '[a](https://x.io/{{ x }}?b={{ y | url_encode }} "{{ x }}")',
  "{% if x %}{{ x }}{% else %}*a*{% endif %}",
  "<https://x.io/{{ x }}>",
  "{% for i in l %}{{ i.n }}{% unless forloop.last %}, {% endunless %}{% endfor %}",
];

const inline = fc
  .array(fc.constantFrom(...INLINE), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join(" "));
const words = fc.constantFrom(...WORDS);
const block = fc.oneof(
  inline,
  inline.map((text) => `# ${text}`),
  inline.map((text) => `> ${text}\n>\n> ${text}`),
  fc.tuple(inline, inline).map(([a, b]) => `- ${a}\n- ${b}\n  1. ${a}`),
  inline.map((text) => `{% for i in l %}\n- {{ i.n }} ${text}\n{% endfor %}`),
  fc
    .tuple(words, words)
    .map(
      ([a, b]) =>
        `| ${a} | ${b} |\n| --- | ---: |\n{% for i in l %}\n| {{ i.n }} | ${a} |\n{% endfor %}\n| ${b} | |`,
    ),
  words.map((text) => `[${text}]({{ x }})`),
  fc.constantFrom(
    "![{{ x }}]({{ y }})",
    '![{{ x }}](https://x.io/{{ y }}.png "{{ x }}")',
    "[![{{ x }}](https://x.io/a.png)]({{ y }})",
    "---",
  ),
);
const blocks = fc.array(
  fc.oneof(
    block,
    fc.tuple(block, block).map(([a, b]) => `{% if x %}\n${a}\n{% else %}\n${b}\n{% endif %}`),
    block.map((text) => `{% for i in l limit: 2 %}\n\n${text}\n\n{% endfor %}`),
  ),
  { minLength: 1, maxLength: 6 },
);
const mail = fc
  .tuple(fc.option(words, { nil: undefined }), blocks)
  .map(
    ([preheader, parts]) =>
      `${preheader ? `preheader: ${preheader}\n\n` : ""}${parts.join("\n\n")}`,
  );

const LAYOUT: Layout = {
  content: null,
  brandName: "Acme",
  footerText: "{{ x }} **{{ y }}** [a]({{ x }})",
  address: "{{ x }}",
};

type Node = DefaultTreeAdapterTypes.Node;

/** The elements of a mail with the names of their attributes, and addresses that run a script. */
function structure(html: string): { shape: string[]; scripts: string[] } {
  const nodes: Node[] = [parse(html)];
  for (const node of nodes) {
    if ("childNodes" in node) nodes.push(...node.childNodes);
    const conditional = "data" in node ? /^\[if[^\]>]*\]>([\s\S]*)/.exec(node.data) : null;
    if (conditional) nodes.push(parse(conditional[1] ?? ""));
  }
  const attributes = (node: Node) => ("attrs" in node ? node.attrs : []);
  return {
    shape: nodes
      .filter(({ nodeName }) => nodeName !== "#text")
      .map((node) => [node.nodeName, ...attributes(node).map(({ name }) => name)].join(" ")),
    scripts: nodes
      .flatMap(attributes)
      .filter(({ name }) => name === "href" || name === "src")
      .map(({ value }) => value.replace(/[\u0000-\u0020]/g, ""))
      .filter((value) => /^(?:java|vb)script:/i.test(value)),
  };
}

function structureWith(render: Renderer, value: string) {
  const rendered = render({ x: value, y: value, l: [{ n: value }, { n: value }, { n: value }] });
  assert.ok(rendered.ok && rendered.kind === "email", JSON.stringify(rendered));
  return { ...structure(rendered.html), text: rendered.text };
}

test("no value is read as Markdown or as HTML, in whatever mail it stands", async () => {
  let mails = 0;
  const keepsItsStructure = async (content: string): Promise<void> => {
    const source = mailSource(content, { format: "markdown", layout: LAYOUT });
    const render = createRenderer(await compiled(source));
    mails++;
    const harmless = structureWith(render, "v");
    for (const value of VALUES) {
      const { shape, scripts } = structureWith(render, value);
      assert.deepEqual(shape, harmless.shape, value);
      assert.deepEqual(scripts, [], value);
    }
  };
  await fc.assert(fc.asyncProperty(mail, keepsItsStructure), { numRuns: 150, seed: 20_261_122 });
  assert.ok(mails >= 150, `${mails} mails`);
});
