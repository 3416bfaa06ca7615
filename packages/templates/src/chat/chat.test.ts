import assert from "node:assert/strict";
import { test } from "node:test";
import { compiled, faultsOf, rendered } from "../../test/compiled.ts";
import { createRenderer, saysNothing } from "../render.ts";
import type { TemplateSource } from "../source.ts";

type ChatSource = Extract<TemplateSource, { kind: "chat" }>;
const chat = (content: string, url?: string): ChatSource => {
  return { kind: "chat", content, ...(url !== undefined && { url }) };
};
const blocksOf = async (content: string, values: Record<string, unknown> = {}) =>
  (await rendered(chat(content), values)).blocks;

test("each element of a mail's Markdown becomes a block of the message", async () => {
  const content = `## Order {{ n }}

**Bold *both*** \`code\` and
[a link](https://a.example/?q={{ q }}).

- one
  1. first
  2. second

3. three

| Item | Price |
| --- | ---: |
{% for i in items %}
| {{ i }} | 2 |
{% endfor %}

> quoted

---

[Open](https://a.example)

![A picture](https://a.example/p.png)`;
  const values = { n: 7, q: "a&b c", items: ["tea", "cup"] };
  assert.deepEqual(await blocksOf(content, values), [
    { kind: "heading", level: 2, runs: [{ text: "Order 7" }] },
    {
      kind: "paragraph",
      runs: [
        { text: "Bold ", strong: true },
        { text: "both", strong: true, emphasis: true },
        { text: " " },
        { text: "code", code: true },
        { text: " and\n" },
        { text: "a link", url: "https://a.example/?q=a%26b%20c" },
        { text: "." },
      ],
    },
    {
      kind: "list",
      items: [
        { depth: 0, runs: [{ text: "one" }] },
        { depth: 1, number: 1, runs: [{ text: "first" }] },
        { depth: 1, number: 2, runs: [{ text: "second" }] },
      ],
    },
    { kind: "list", items: [{ depth: 0, number: 3, runs: [{ text: "three" }] }] },
    { kind: "paragraph", runs: [{ text: "Item · Price", strong: true }] },
    {
      kind: "list",
      items: [
        { depth: 0, runs: [{ text: "tea · 2" }] },
        { depth: 0, runs: [{ text: "cup · 2" }] },
      ],
    },
    { kind: "paragraph", runs: [{ text: "quoted" }] },
    { kind: "button", label: "Open", url: "https://a.example" },
    { kind: "paragraph", runs: [{ text: "A picture", url: "https://a.example/p.png" }] },
  ]);
});

test("a value is text: it adds no block, mark or link, and keeps its line ends", async () => {
  const value = '**b** <b>i</b> &amp; [a](https://evil.example)\n\n# h\n- i {{ x }} "';
  assert.deepEqual(await blocksOf("{{ x }}\n\n- {{ x }}", { x: value }), [
    { kind: "paragraph", runs: [{ text: value }] },
    { kind: "list", items: [{ depth: 0, runs: [{ text: value }] }] },
  ]);
});

test("a link that leads to neither http nor https is only its words, and the report says so", async () => {
  const source = chat("[a]({{ u }}) b\n\n[Open]({{ u }})\n\n[mail](mailto:a@b.example) us");
  const { blocks, linksLeftOut } = await rendered(source, { u: "javascript:alert(1)" });
  assert.deepEqual(blocks, [
    { kind: "paragraph", runs: [{ text: "a b" }] },
    { kind: "paragraph", runs: [{ text: "Open" }] },
    { kind: "paragraph", runs: [{ text: "mail us" }] },
  ]);
  assert.equal(linksLeftOut?.length, 1);
});

test("blocks of the template language leave out paragraphs, items and words", async () => {
  const content =
    "{% if a %}\nA\n\n{% endif %}\n- {% if a %}x{% else %}y{% endif %}\n{% for i in l %}\n- {{ i }}\n{% endfor %}";
  assert.deepEqual(await blocksOf(content, { l: ["p"] }), [
    {
      kind: "list",
      items: [
        { depth: 0, runs: [{ text: "y" }] },
        { depth: 0, runs: [{ text: "p" }] },
      ],
    },
  ]);
});

test("the address of the whole is https, from the template or from a value", async () => {
  const whole = async (url: string, u: unknown) => (await rendered(chat("a", url), { u })).url;
  assert.equal(await whole("https://a.example/{{ u }}", "1 2"), "https://a.example/1%202");
  assert.equal(await whole("{{ u }}", "https://a.example"), "https://a.example");
  assert.equal(await whole("{{ u }}", "/orders"), undefined);
  assert.equal(await whole("{{ u }}", "javascript:alert(1)"), undefined);
});

test("a source with a fault is refused at its place", async () => {
  const places = async (source: ChatSource) =>
    (await faultsOf(source)).map(({ field, line, column }) => `${field} ${line}:${column}`);
  assert.deepEqual(await places(chat(" ")), ["content 1:1"]);
  assert.deepEqual(await places(chat("a\n\n**{% if a %}b** c{% endif %}")), ["content 3:18"]);
  assert.deepEqual(await places(chat("a\n\n[b](javascript:x)")), ["content 3:3"]);
  assert.deepEqual(await places(chat("a\n\nb ![c](https://a.example/{{ x }})")), ["content 3:3"]);
  assert.deepEqual(await places(chat("a", "/orders")), ["url 1:1"]);
  assert.deepEqual(await places(chat("a", "http://a.example")), ["url 1:1"]);
});

test("a message without words says nothing", async () => {
  const isBlank = async (x: string) =>
    saysNothing(await rendered(chat("{{ x }}\n\n- {{ x }}"), { x }));
  assert.deepEqual(
    [await isBlank(""), await isBlank(" – "), await isBlank("a")],
    [true, true, false],
  );
});

test("a stored template that was changed writes no value where it is not safe", async () => {
  const template = await compiled(chat("{{ x }}"));
  const render = createRenderer({ ...template, markup: "<script>{{ x }}</script><p>{{ x }}</p>" });
  const message = render({ x: "value" });
  assert.ok(message.ok && message.kind === "chat");
  assert.ok(!JSON.stringify(message.blocks).includes("value"));
});
