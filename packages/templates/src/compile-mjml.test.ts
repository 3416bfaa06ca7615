import assert from "node:assert/strict";
import { test } from "node:test";
import { compiled as compiledTemplate, faultsOf, mailSource } from "../test/compiled.ts";
import { compileTemplate } from "./compile.ts";
import type { TemplateFault } from "./source.ts";

const compile = (content: string) => compileTemplate(mailSource(content), { owner: "acme" });

const page = (inner: string, head = "") =>
  `<mjml>${head}<mj-body><mj-section><mj-column>\n${inner}\n</mj-column></mj-section></mj-body></mjml>`;

const compiled = (content: string) => compiledTemplate(mailSource(content));

async function fault(content: string): Promise<TemplateFault> {
  const faults = await faultsOf(mailSource(content));
  const said = JSON.stringify(faults);
  assert.ok(!said.includes(process.cwd()) && !said.includes("node_modules"), said);
  assert.doesNotMatch(said, /bf[0-9a-f]{12}x/);
  return faults[0]!;
}

test("MJML becomes HTML and text with every tag", async () => {
  const template = await compiled(
    page(
      `<mj-text css-class="{{ class }}">Hi {{ user.name }}</mj-text><mj-button href="{{ link }}">Go {{x}}</mj-button>
       <mj-image src="{{ img }}" alt="{{ alt }}" href="https://x.io/{{ id }}" />`,
      "<mj-head><mj-title>T {{ title }}</mj-title><mj-preview>{{ preview }}</mj-preview></mj-head>",
    ),
  );
  assert.equal(template.format, "mjml");
  assert.match(template.html, /<a\s+href="\{\{link\}\}"/);
  assert.match(template.html, /src="\{\{img\}\}"/);
  assert.match(template.text, /Hi \{\{user\.name\}\}/);
  assert.doesNotMatch(template.text, /preview|title/);
  assert.deepEqual([...template.variables].sort(), [
    "alt",
    "class",
    "id",
    "img",
    "link",
    "preview",
    "title",
    "user.name",
    "x",
  ]);
});

test("a mail loads no font from anybody, unless its own mj-font says so", async () => {
  const text = '<mj-text font-family="Roboto">a</mj-text><mj-text>b</mj-text>';
  assert.doesNotMatch((await compiled(page(text))).html, /googleapis|@import|<link/);
  const font = '<mj-head><mj-font name="Roboto" href="https://fonts.x.io/r.css" /></mj-head>';
  assert.match(
    (await compiled(page(text, font))).html,
    /<link href="https:\/\/fonts\.x\.io\/r\.css"/,
  );
});

test("pictures that MJML adds from elsewhere are warned about", async () => {
  const social = (attributes: string) =>
    page(`<mj-social>\n<mj-social-element ${attributes}>a</mj-social-element></mj-social>`);
  const warned = await compile(social('name="facebook" href="https://x.io"'));
  assert.ok(warned.ok);
  assert.equal(warned.warnings[0]?.line, 2);
  assert.match(warned.warnings[0]?.message ?? "", /https:\/\/www\.mailjet\.com/);
  const own = await compile(social('name="facebook" src="https://x.io/f.png" href="https://x.io"'));
  assert.deepEqual(own.ok && own.warnings, []);
});

test("a table of a mail is read row by row in its text", async () => {
  const table =
    "<mj-table><tr><th>Order</th><th>Delivery</th></tr><tr><td>A-1001</td><td>on Thursday</td></tr></mj-table>";
  const { text } = await compiled(page(`<mj-text>Hi</mj-text>${table}`));
  assert.equal(text, "Hi\n\nOrder  Delivery\nA-1001  on Thursday");
});

test("a declaration or comment may stand before the root element", async () => {
  const source = `\n<?xml version="1.0"?><!-- mail -->\n${page("<mj-text>a</mj-text>")}`;
  assert.equal((await compiled(source)).format, "mjml");
});

test("a background of a section is written for every client", async () => {
  const template = await compiled(
    '<mjml><mj-body><mj-section background-url="{{ bg }}"><mj-column><mj-text>a</mj-text></mj-column></mj-section></mj-body></mjml>',
  );
  assert.match(template.html, /<v:fill [^>]*src="\{\{bg\}\}"/);
  assert.match(template.html, /background="\{\{bg\}\}"/);
  assert.match(template.html, /url\('\{\{bg\}\}'\)/);
});

test("faults of MJML have their line and no path of the server", async () => {
  assert.deepEqual(await fault(page("<mj-text>\na</mj-text>\n<mj-bogus>x</mj-bogus>")), {
    field: "content",
    line: 4,
    column: 1,
    message: "Element mj-bogus doesn't exist or is not registered (mj-bogus)",
  });
  assert.match((await fault(page('<mj-text foo="1">a</mj-text>'))).message, /Attribute foo/);
  assert.match((await fault("<mjml></mjml>")).message, /Malformed MJML/);
  assert.match((await fault(page("<mj-text>a"))).message, /closes nothing that is open/);
  assert.match((await fault("<mjml><mj-body>")).message, /<mj-body> is not closed/);
});

test("a variable that MJML would break is refused, naming the attribute", async () => {
  for (const [source, attribute, column] of [
    ['<mj-image src="https://x.io/a.png" width="{{ w }}" />', /width/, 43],
    ['<mj-text color="{{ c }}">a</mj-text>', /color.*\{\{c\}\}/, 17],
    ['<mj-text padding="{{ p }}">a</mj-text>', /padding/, 19],
    ["<mj-text><!-- {{ c }} --></mj-text>", /comment/, 15],
    ['<mj-button href={{h}}">a</mj-button>', /href needs quotes/, 17],
    ['<mj-button href="java{{h}}">a</mj-button>', /must begin the address/, 22],
    ['<mj-text><p onclick="{{h}}">a</p></mj-text>', /onclick/, 22],
    ["<mj-raw><script>{{h}}</script></mj-raw>", /<script>/, 17],
  ] as const) {
    const { message, line, column: at } = await fault(page(source));
    assert.match(message, attribute, source);
    assert.deepEqual([line, at], [2, column], source);
  }
});

test("a variable in mj-style and in mj-attributes is refused by name", async () => {
  const head = (inner: string) => page("<mj-text>a</mj-text>", `<mj-head>${inner}</mj-head>`);
  assert.match((await fault(head("<mj-style>.a{color:{{c}};}</mj-style>"))).message, /mj-style/);
  assert.match(
    (await fault(head('<mj-style inline="inline">.a{color: {{ c }};}</mj-style>'))).message,
    /mj-style/,
  );
  assert.match(
    (await fault(head('<mj-attributes><mj-all width="{{w}}" /></mj-attributes>'))).message,
    /attribute width in mj-attributes/,
  );
});

test("a variable that does not survive is refused where it stands", async () => {
  const { message, line } = await fault(
    page("<mj-text>a</mj-text>\n<mj-spacer>{{ lost }}</mj-spacer>"),
  );
  assert.match(message, /\{\{lost\}\} does not survive/);
  assert.equal(line, 3);
});

test("mj-include is refused by name and nothing is read", async () => {
  for (const include of [
    '<mj-include path="/etc/passwd" />',
    '<mj-include path="./a.mjml"></mj-include>',
    '<MJ-INCLUDE path="/etc/passwd" type="html" />',
  ]) {
    const { message, line } = await fault(page(include));
    assert.match(message, /mj-include is not allowed/);
    assert.equal(line, 2);
  }
});

test("depth and size bombs are faults and the next template compiles", async () => {
  assert.match(
    (await fault(`<mjml><mj-body>${"<mj-section>".repeat(10_000)}${"</mj-section>".repeat(9_000)}`))
      .message,
    /not closed|nested/,
  );
  const deep = `<mjml><mj-body>${"<mj-wrapper>".repeat(9_000)}${"</mj-wrapper>".repeat(9_000)}</mj-body></mjml>`;
  assert.ok((await fault(deep)).message.length > 0);
  const wide = `<mjml><mj-body><mj-section>${"<mj-column></mj-column>".repeat(8_000)}</mj-section></mj-body></mjml>`;
  assert.ok((await fault(wide)).message.length > 0);
  await compiled(page("<mj-text>a</mj-text>"));
});

test("the same source compiles to the same template", async () => {
  const source = page('<mj-text>a {{x}}</mj-text><mj-button href="{{y}}">b</mj-button>');
  assert.deepEqual(await compiled(source), await compiled(source));
});
