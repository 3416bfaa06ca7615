import assert from "node:assert/strict";
import { test } from "node:test";
import { Parser } from "htmlparser2";
import { htmlSlots } from "./html-slots.ts";
import { createRenderer } from "./render.ts";
import { scanTags } from "./tags.ts";

/** What may stand before and behind a tag, for each kind of place; any two may meet. */
const BEFORE = [
  "<p>",
  '<b title="',
  "<b title='",
  "<b title=",
  '<a href="',
  "<a href='",
  "<a href=",
  '<a href="https://x.io/',
  '<a href="java',
  '<a href="&#106;ava',
  '<img srcset="a 1x, ',
  '<td style="color:',
  `<td style="background:url('`,
  '<b onclick="',
  "<script>",
  "<style>",
  "<title>",
  "<textarea>",
  "<svg><title>",
  "<!--",
  "<!-->",
  "<!--[if mso]>",
  "<![CDATA[",
  "<!doctype ",
  "<b ",
  "<",
  "</",
  "",
];
const BEHIND = [
  '">',
  "'>",
  ">",
  " ",
  "')\">",
  "</script>",
  "</style>",
  "</title>",
  "</textarea>",
  "-->",
  "--!>",
  "<![endif]-->",
  "]]>",
  '="a">',
  "",
];
const TAGS = ["{{x}}", "{{x}}{{y}}", "a{{x}}", "{{x}}/a", "a", ""];

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

/** The document's elements with their attributes, and addresses that run a script. */
function structure(html: string): { shape: string[]; scripts: string[] } {
  const shape: string[] = [];
  const scripts: string[] = [];
  const parser = new Parser({
    onopentag(name, attributes) {
      shape.push(`${name} ${Object.keys(attributes).join(" ")}`);
      for (const attribute of ["href", "src", "srcset"]) {
        const url = attributes[attribute]?.replace(/[\u0000-\u0020]/g, "") ?? "";
        if (/^(?:java|vb)script:/i.test(url)) scripts.push(url);
      }
    },
    oncomment: () => shape.push("comment"),
  });
  parser.end(html);
  return { shape, scripts };
}

/** A small seeded generator, so that a failure can be seen again. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

test("no value changes the elements or attributes of a document that is accepted, or runs a script", () => {
  const random = randomNumbers(20_261_120);
  let accepted = 0;
  for (let run = 0; run < 10_000; run++) {
    const any = (list: readonly string[]) => list[Math.floor(random() * list.length)] ?? "";
    const html = Array.from(
      { length: 1 + Math.floor(random() * 3) },
      () => any(BEFORE) + any(TAGS) + any(BEHIND),
    ).join("");
    const slots = htmlSlots(html, scanTags(html).tags);
    if (slots.length === 0 || slots.some((slot) => "refused" in slot)) continue;
    accepted++;
    const render = createRenderer({
      channel: "EMAIL",
      format: "html",
      subject: "S",
      html,
      text: "",
      variables: ["x", "y"],
    });
    const htmlOf = (x: string): string => {
      const rendered = render({ x, y: x });
      return rendered.ok && rendered.channel === "EMAIL" ? rendered.html : "too large";
    };
    // A template's own script addresses are its author's: only what a value adds is counted.
    const benign = structure(htmlOf("1"));
    for (const attack of ATTACKS) {
      const attacked = structure(htmlOf(attack));
      assert.deepEqual(attacked.shape, benign.shape, `${html} with ${attack}`);
      assert.ok(attacked.scripts.length <= benign.scripts.length, `${html} with ${attack}`);
    }
  }
  assert.ok(accepted > 1_000, `only ${accepted} documents are accepted`);
});
