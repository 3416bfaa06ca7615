import assert from "node:assert/strict";
import { test } from "node:test";
import { faultsOf, mailSource } from "../test/compiled.ts";
import { readHtml } from "./html/html-places.ts";
import { htmlSlots } from "./html/html-slots.ts";
import { htmlText } from "./html/html-text.ts";
import { parseTemplate } from "./language/parse-template.ts";
import { scanTags } from "./language/tags.ts";
import { templateVariables } from "./language/template-variables.ts";
import { markdownToMjml } from "./markdown.ts";
import { createRenderer } from "./render.ts";

/**
 * Each of these took half a minute to five where some piece of text was read again and again, and takes
 * milliseconds of the processor where it is read once: nobody could mistake the two.
 */
async function ends(work: () => unknown): Promise<void> {
  const started = process.cpuUsage();
  await work();
  // CPU time of this process alone.
  const { user, system } = process.cpuUsage(started);
  assert.ok(user + system < 20_000_000, "it is not linear");
}

const slots = (html: string) => htmlSlots(html, scanTags(html).tags);
const blanks = (count: number) => " ".repeat(count);

test("blanks inside a tag are read once", async () => {
  await ends(() => assert.equal(scanTags(`{{a${blanks(250_000)}b}}`).faults.length, 1));
});

test("blanks inside an address are read once, in every tag that it is written to", async () => {
  const render = createRenderer({
    kind: "email",
    format: "html",
    subject: "S",
    html: '<a href="{{u}}">'.repeat(1_000),
    text: "",
    variables: ["u"],
  });
  await ends(() => assert.ok(!render({ u: `javascript:${blanks(8_170)}b` }).ok));
});

test("a style before its tags is read once", async () => {
  const attribute = `<a style="a:url(${blanks(4_000)}(${"{{x}}".repeat(800)}">`;
  await ends(() => assert.equal(slots(attribute.repeat(8)).length, 6_400));
});

test("scripts in conditional comments are read once", async () => {
  const html = "<!--[if a]><script><!-- </script>-->".repeat(40_000);
  await ends(() => assert.equal(readHtml(html).conditionals.length, 40_000));
});

test("comments in comments are as deep as they like, ended or not", () => {
  const opened = "<!--[if a]>".repeat(20_000);
  assert.ok(slots(`${opened}<b title="{{x}}">{{x}}`).every((slot) => "write" in slot));
  const closed = `${opened}<b title="{{x}}">${"<![endif]".repeat(20_000)}-->{{x}}`;
  assert.ok(slots(closed).every((slot) => "write" in slot));
});

test("the places of many faults are found in one reading", async () => {
  const content = `${"\n".repeat(150_000)}<b>${"<b {{x}}>".repeat(10_000)}`;
  await ends(async () => {
    const faults = await faultsOf(mailSource(content));
    assert.deepEqual([faults.length, faults[49]?.line], [50, 150_001]);
  });
});

test("blanks that no line ends with are read once", async () => {
  const text = `a${"\u00a0".repeat(250_000)}b`;
  await ends(() => assert.equal(htmlText(`<p>${text}</p>`), text));
});

test("Markdown is read once, whatever is opened in it and never closed", async () => {
  const word = "bf0123456789abx";
  const links = { link: "", linkClass: "" };
  for (const part of [
    ..."[ ![ ]( [a]( [a](b) ` ` `` * _ **a_b ~~ > | |a|b <https://x.io/ &amp; \\ ( #".split(" "),
    ..."> a\n|- a\n|1. a\n|a\n\n|a  \n|---\n|10. a\n\n|[a](https:a b ".split("|"),
    `${word}0x\n- a\n${word}1x\n`,
    `a ${word}0x `,
  ]) {
    for (const before of ["", "|a|b|\n|-|-|\n"]) {
      const content = before + part.repeat(Math.ceil(262_144 / part.length));
      await ends(() =>
        markdownToMjml({ content, wordStart: word, blocks: [[0, 1]], links, direction: "rtl" }),
      );
    }
  }
});

test("a quarter of a megabyte of broken or endless tags is read once", async () => {
  for (const piece of [
    "{% if ",
    "{% if a %}",
    "{{ '",
    '{{ a | default: "',
    "{% if a == '{% ",
    "{%-",
    "{%- if a -%}   ",
    "{{ a | upcase ",
    "{% for x in x %}{{ x.x }}",
    "{% endif %}",
    "{% else %}",
    '{{ a }} \\"',
  ]) {
    const text = piece.repeat(Math.floor(250_000 / piece.length));
    await ends(async () => {
      assert.ok((await faultsOf({ kind: "text", content: text })).length > 0);
      templateVariables([text]);
      const { tags } = scanTags(text);
      parseTemplate(text, tags);
    });
  }
});

test("a tag of a quarter of a megabyte is refused and not read", async () => {
  for (const [before, piece] of [
    ["{% if ", "a or "],
    ["{{ a ", "| upcase "],
    ["{{ a | join: ", "\\"],
    ["{% if '", "\\'"],
    ["{{ a | newline_to_br", " | newline_to_br"],
    ["{{ a |", " "],
  ] as const) {
    const text = `${before}${piece.repeat(Math.floor(250_000 / piece.length))}`;
    for (const end of [" }}", " %}", "' %}{% endif %}"]) {
      await ends(async () => {
        const faults = await faultsOf({ kind: "text", content: text + end });
        assert.ok(faults.length > 0, before);
      });
    }
  }
});
