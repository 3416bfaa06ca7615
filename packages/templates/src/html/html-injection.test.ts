/** Parses documents that our own reader accepts by parse5, which follows the HTML standard. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type DefaultTreeAdapterTypes, parse } from "parse5";
import { rangeFinder, scanTags } from "../language/tags.ts";
import { createRenderer } from "../render.ts";
import { readHtml, spanFault } from "./html-places.ts";
import { htmlSlots } from "./html-slots.ts";

/** Texts before and after a tag, for each kind of place. Any two may be combined. */
const BEFORE = [
  `<p>|<b title="|<b title='|<b title=|<b title=\u00a0"|<b\u00a0title="|<b onclick="|`,
  `<a href="|<a href='|<a href=|<a href="https://x.io/|<a href="java|<a href="&#106;ava|<img srcset="a 1x, `,
  `<td style="color:|<td style="background:url('|<style>|<script>|<script><!--<script>|<title>|<textarea>`,
  "<b |<|</|</p title='|<iframe>|<plaintext>|<svg><title>|<svg><style>|</svg>|<math>|<!--|<!-->",
  "<!--[if mso]>|<![CDATA[|<!doctype ",
].flatMap((line) => line.split("|"));
const BEHIND = [
  `">|'>|>| |')">|="a">|</script>|</style>|</style\u00a0>|</title>|</textarea>|</iframe>`,
  "-->|--!>|<![endif]-->|]]>|",
].flatMap((line) => line.split("|"));
const TAGS = ["{{x}}", "{{x}}{{y}}", "a{{x}}", "{{x}}/a", "a", ""];
const SIGNS = Array.from("<<=\"'>/!?- \u00a0\na");

const phrase = fc
  .tuple(...[BEFORE, TAGS, BEHIND].map((list) => fc.constantFrom(...list)))
  .map((parts) => parts.join(""));
const html = fc
  .array(fc.oneof(phrase, fc.constantFrom(...BEFORE, ...TAGS, ...BEHIND, ...SIGNS)), {
    minLength: 1,
    maxLength: 6,
    size: "max",
  })
  .map((parts) => parts.join(""));
const RUNS = { numRuns: 10_000, seed: 20_261_120 };

const ATTACKS = [
  `"><i></i><b onclick="x" href="`,
  `'><i></i><b onclick='x' href='`,
  "--><i></i><!--",
  " onclick=x href=javascript:x ",
  "javascript:alert(1)",
  "java\tscript:x",
  "</title></textarea></script></style><i>",
  "red;background:url(javascript:x)",
  "]]><i>",
  "&quot;><i>",
];

type Node = DefaultTreeAdapterTypes.Node;

/** All nodes of a document, and those that Outlook sees in conditional comments. */
function nodesOf(document: string): Node[] {
  const nodes: Node[] = [parse(document, { scriptingEnabled: false })];
  for (const node of nodes) {
    if ("content" in node) nodes.push(node.content);
    if ("childNodes" in node) nodes.push(...node.childNodes);
    const conditional = "data" in node ? /^\[if[^\]>]*\]>([\s\S]*)/.exec(node.data) : null;
    if (conditional) nodes.push(parse(conditional[1] ?? "", { scriptingEnabled: false }));
  }
  return nodes;
}

/** A document's nodes with the names of their attributes, and addresses that run a script. */
function structure(document: string): { shape: string[]; scripts: string[] } {
  const attributes = (node: Node) => ("attrs" in node ? node.attrs : []);
  const nodes = nodesOf(document);
  return {
    shape: nodes
      .filter(({ nodeName }) => nodeName !== "#text")
      .map((node) => [node.nodeName, ...attributes(node).map(({ name }) => name)].join(" ")),
    scripts: nodes
      .flatMap(attributes)
      .filter(({ name }) => ["href", "src", "srcset"].includes(name))
      .map(({ value }) => value.replace(/[\u0000-\u0020]/g, ""))
      .filter((url) => /^(?:java|vb)script:/i.test(url)),
  };
}

test("no value changes the elements or attributes of a document that is accepted, or runs a script", () => {
  let accepted = 0;
  const keepsItsStructure = (document: string): void => {
    const slots = htmlSlots(document, scanTags(document).tags);
    if (slots.length === 0 || slots.some((slot) => "refused" in slot)) return;
    accepted++;
    const render = createRenderer({
      kind: "email",
      format: "html",
      subject: "S",
      html: document,
      text: "",
      variables: ["x", "y"],
    });
    const structureOf = (x: string) => {
      const rendered = render({ x, y: x });
      return structure(rendered.ok && rendered.kind === "email" ? rendered.html : "too large");
    };
    // A template's own script addresses are its author's: only what a value adds is counted.
    const benign = structureOf("1");
    for (const attack of ATTACKS) {
      const attacked = structureOf(attack);
      assert.deepEqual(attacked.shape, benign.shape, attack);
      assert.ok(attacked.scripts.length <= benign.scripts.length, attack);
    }
  };
  fc.assert(fc.property(html, keepsItsStructure), RUNS);
  assert.ok(accepted > 1_000, `only ${accepted} documents are accepted`);
});

test("a tag that is accepted stands where parse5 finds it, or where it finds nothing", () => {
  const found = { text: 0, attribute: 0 };
  const standsThere = (template: string): void => {
    let count = 0;
    const document = template.replace(/\{\{.\}\}/g, () => `tag${count++}tag`);
    const places = new Map<string | undefined, string>();
    const note = (text: string, place: string) => {
      for (const [word] of text.matchAll(/tag\d+tag/g)) places.set(word, place);
    };
    for (const node of nodesOf(document)) {
      const { nodeName } = node;
      note(nodeName, "element name");
      if ("data" in node && !node.data.startsWith("[if")) note(node.data, "comment");
      if ("value" in node) note(node.value, textPlace(node));
      for (const { prefix, name, value } of "attrs" in node ? node.attrs : []) {
        note(name, "attribute name");
        note(value, `${nodeName} ${prefix ? `${prefix}:${name}` : name}`);
      }
    }
    const spanAt = rangeFinder(readHtml(document).spans);
    for (const { 0: word, index } of document.matchAll(/tag\d+tag/g)) {
      const span = spanAt(index);
      if (span && spanFault(span) !== undefined) continue;
      const isAttribute = span?.kind === "attribute";
      const ours = isAttribute ? `${span.element} ${span.attribute}` : "text";
      const theirs = places.get(word);
      if (theirs === undefined) continue;
      assert.equal(ours, theirs, word);
      found[isAttribute ? "attribute" : "text"]++;
    }
  };
  fc.assert(fc.property(html, standsThere), RUNS);
  assert.ok(found.text > 1_000 && found.attribute > 1_000, JSON.stringify(found));
});

const RAW_TEXT = ["script", "style", "xmp", "iframe", "noembed", "noframes", "plaintext"];

function textPlace({ parentNode }: DefaultTreeAdapterTypes.TextNode): string {
  return parentNode && RAW_TEXT.includes(parentNode.nodeName) ? parentNode.nodeName : "text";
}
