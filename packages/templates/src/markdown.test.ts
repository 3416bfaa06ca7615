import assert from "node:assert/strict";
import { test } from "node:test";
import MarkdownIt from "markdown-it";
import { compiled, faultsOf as faultsOfSource, mailSource, rendered } from "../test/compiled.ts";
import { chance } from "../test/liquid-cases.ts";
import { findBlocks } from "./language/parse-template.ts";
import { markdownWords } from "./language/tag-words.ts";
import { scanTags } from "./language/tags.ts";
import { markdownToMjml } from "./markdown.ts";
import { parseInline, type Token } from "./markdown-parser.ts";

const LINKS = { link: "color:#2457d6", linkClass: "link" };

/** The components of a text, without what they look like. */
function components(source: string): string {
  const { tags } = scanTags(source);
  const words = markdownWords(source, tags);
  const blocks = findBlocks(tags).blocks.map(({ tags: own }) => own);
  const { content, wordStart } = words;
  const made = markdownToMjml({ content, wordStart, blocks, links: LINKS, direction: "ltr" });
  assert.ok(made.ok, JSON.stringify(made));
  return words
    .read(made.html)
    .message.replace(/ (?:style|class|mj-class|css-class|align|scope|target)="[^"]*"/g, "")
    .replaceAll("\n", "");
}

const strong = (words: string) => `<strong>${words}</strong>`;
const text = (words: string) => `<mj-text><p>${words}</p></mj-text>`;

test("paragraphs, marks, headings and quotations", () => {
  for (const [source, expected] of [
    [
      "a *b* **c** ~~d~~ `e` & <i>",
      text("a <em>b</em> <strong>c</strong> <s>d</s> <code>e</code> &amp; &lt;i&gt;"),
    ],
    ["a\nb\n\nc", text("a<br />b") + text("c")],
    ["    a\n    b", text("a<br />b")],
    [
      "# a\n## b *c*\n###### d",
      "<mj-text><h1>a</h1></mj-text><mj-text><h2>b <em>c</em></h2></mj-text><mj-text><h3>d</h3></mj-text>",
    ],
    ["> a\n> b\n>\n> c", "<mj-text><blockquote><p>a<br />b</p><p>c</p></blockquote></mj-text>"],
    ["a\n---\nb", `${text("a")}<mj-divider />${text("b")}`],
    ["[a]: https://x.io", text("[a]: https://x.io")],
    ["```\na\n```", text("<code>a</code>")],
    ["{{ a }} \\{{b} {\\%c%}", text("{{ a }} &#123;&#123;b} &#123;%c%}")],
  ] as const) {
    assert.equal(components(source), expected, source);
  }
});

test("lists, also in one another", () => {
  assert.equal(
    components("- a\n- b\n  - c\n\n3. d"),
    '<mj-text><ul><li>a</li><li>b<ul><li>c</li></ul></li></ul></mj-text><mj-text><ol start="3"><li>d</li></ol></mj-text>',
  );
  assert.equal(
    components("- a\n\n  b\n- c"),
    "<mj-text><ul><li>a<p>b</p></li><li>c</li></ul></mj-text>",
  );
});

test("a link among words is a link, one alone on its line a button, an image alone a picture", () => {
  const button = '<mj-button href="https://x.io">Go</mj-button>';
  const link = '<a href="https://x.io">Go</a>';
  for (const [source, expected] of [
    ["a [Go](https://x.io) b", text(`a ${link} b`)],
    ["[Go](https://x.io)", button],
    ["a\n[Go](https://x.io)\nb", text("a") + button + text("b")],
    ["[Go](https://x.io)\n[Go](https://x.io)", button + button],
    ["[Go](https://x.io) [Go](https://x.io)", text(`${link} ${link}`)],
    ["- [Go](https://x.io)", `<mj-text><ul><li>${link}</li></ul></mj-text>`],
    ["<https://x.io>", text('<a href="https://x.io">https://x.io</a>')],
    [
      '[**G** o](https://x.io?a=1&b=2 "t")',
      '<mj-button href="https://x.io?a=1&amp;b=2" title="t"><strong>G</strong> o</mj-button>',
    ],
    ['![a "b"](https://x.io/a.png)', '<mj-image src="https://x.io/a.png" alt="a &quot;b&quot;" />'],
    [
      '![a](https://x.io/a.png "120")',
      '<mj-image src="https://x.io/a.png" alt="a" width="120px" />',
    ],
    [
      "[![a](https://x.io/a.png)](https://x.io)",
      '<mj-image src="https://x.io/a.png" alt="a" href="https://x.io" />',
    ],
    [
      '[{{ a }}]({{ b | default: "x)" }})',
      '<mj-button href="{{ b | default: "x)" }}">{{ a }}</mj-button>',
    ],
    ["{% if a %}[Go](https://x.io){% endif %}", `{% if a %}${button}{% endif %}`],
    [
      "{% if a %}[Go](https://x.io){% else %}[Go](https://x.io){% endif %}",
      `{% if a %}${button}{% else %}${button}{% endif %}`,
    ],
  ] as const) {
    assert.equal(components(source), expected, source);
  }
});

test("a table has its alignments, and rows that a loop repeats", () => {
  const source =
    '| a | b |\n| --- | ---: |\n{% for x in y %}\n| {{ x.c | money: "EUR" }} | d |\n{% if e %}\n| e | |\n{% endif %}\n{% endfor %}\n| f | g |';
  const row = (...cells: string[]) =>
    `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
  assert.equal(
    components(source),
    `<mj-table><thead><tr><th>a</th><th>b</th></tr></thead><tbody>{% for x in y %}${row('{{ x.c | money: "EUR" }}', "d")}{% if e %}${row("e", "")}{% endif %}{% endfor %}${row("f", "g")}</tbody></mj-table>`,
  );
});

test("block tags on lines of their own stand between paragraphs, items and rows", () => {
  const list = (items: string) => `<mj-text><ul>${items}</ul></mj-text>`;
  for (const [source, expected] of [
    [
      "a\n{% if b %}\nc\n{% else %}\nd\n{% endif %}\ne",
      `${text("a")}{% if b %}${text("c")}{% else %}${text("d")}{% endif %}${text("e")}`,
    ],
    [
      "{% for x in y %}\n- {{ x }}\n{% endfor %}\n- z",
      list("{% for x in y %}<li>{{ x }}</li>{% endfor %}<li>z</li>"),
    ],
    [
      "- a\n{% for x in y %}\n- b\n{% else %}\n- c\n{% endfor %}",
      list("<li>a</li>{% for x in y %}<li>b</li>{% else %}<li>c</li>{% endfor %}"),
    ],
    [
      "- a\n  {% if b %}\n  c\n  {% endif %}\n- d",
      list("<li>a{% if b %}<p>c</p>{% endif %}</li><li>d</li>"),
    ],
    [
      "{% if a %}\nb\n\n- c\n{% endif %}\n{% for x in y %}\n- d\n{% endfor %}",
      `{% if a %}${text("b")}${list("<li>c</li>")}{% endif %}${list("{% for x in y %}<li>d</li>{% endfor %}")}`,
    ],
    [
      "{% if a %}\nb\n{% else %}\n- c\n{% endif %}\n\n{% for x in y %}\n- d\n{% endfor %}",
      `{% if a %}${text("b")}{% else %}${list("<li>c</li>")}{% endif %}${list("{% for x in y %}<li>d</li>{% endfor %}")}`,
    ],
    [
      "{% if a %}\n| b |\n| --- |\n| c |\n{% else %}\nd\n{% endif %}",
      `{% if a %}<mj-table><thead><tr><th>b</th></tr></thead><tbody><tr><td>c</td></tr></tbody></mj-table>{% else %}${text("d")}{% endif %}`,
    ],
    [
      "{% if a %}\n| b |\n| --- |\n| c |\n{% else %}\n| d |\n| --- |\n{% endif %}",
      `{% if a %}<mj-table><thead><tr><th>b</th></tr></thead><tbody><tr><td>c</td></tr></tbody></mj-table>{% else %}<mj-table><thead><tr><th>d</th></tr></thead></mj-table>{% endif %}`,
    ],
    [
      "> a\n{% if b %}\n> c\n{% endif %}",
      "<mj-text><blockquote><p>a</p></blockquote></mj-text>{% if b %}<mj-text><blockquote><p>c</p></blockquote></mj-text>{% endif %}",
    ],
    [
      "{% for x in y %}\n> {{ x }}\n{% endfor %}",
      "{% for x in y %}<mj-text><blockquote><p>{{ x }}</p></blockquote></mj-text>{% endfor %}",
    ],
    [
      "{% if a %}{% if b %}\nc\n{% endif %}{% endif %}",
      `{% if a %}{% if b %}${text("c")}{% endif %}{% endif %}`,
    ],
    ["a {% if b %}*c*{% endif %}", text("a {% if b %}<em>c</em>{% endif %}")],
    ["{% if b %} c {% endif %}", `{% if b %}${text("c")}{% endif %}`],
    ["# {% if b %}c{% endif %}", "{% if b %}<mj-text><h1>c</h1></mj-text>{% endif %}"],
    [
      "a\r\n{%- if b\n and c -%}\r\nd\r\n{% endif %}",
      `${text("a")}{% - if b and c - %}${text("d")}{% endif %}`,
    ],
  ] as const) {
    assert.equal(components(source), expected, source);
  }
});

async function faultsOf(content: string) {
  const faults = await faultsOfSource(mailSource(content, { format: "markdown" }));
  assert.doesNotMatch(JSON.stringify(faults), /bf[0-9a-f]{12}[xz]/);
  return faults.map(({ field, line, column, message }) => {
    assert.equal(field, "content");
    return [line, column, message] as const;
  });
}

test("each fault has its line and its column in the Markdown", async () => {
  for (const [content, line, column, message] of [
    ["a\n\nb {{ c }} [d](/e)", 3, 13, /a link leads to https/],
    ["a\n{% if x %}\nb\n{% endif %}\n[d](javascript:alert)", 5, 3, /a link leads to https/],
    ["a\nb ![c](https://x.io/c.png)", 2, 3, /an image stands alone/],
    ["- ![c](https://x.io/c.png)", 1, 3, /an image stands alone/],
    ["![c](data:image/png;base64,x)", 1, 1, /an image is loaded from https/],
    ["a\n{{ b | nonsense }}", 2, 8, /nonsense/],
    ["preheader: {% if a %}b\n\nc {% endif %}", 1, 12, /begins in one text and ends in another/],
    ["a {% if b %}c\n\nd{% endif %}", 1, 3, /begins in one text and ends in another/],
    ["a {% if b %}\nc\n{% endif %}", 1, 3, /lines of their own and tags within text/],
    ["| a |\n{% if b %}\n| --- |\n| c |\n{% endif %}", 2, 1, /around whole paragraphs, items/],
    [
      "{% if b %}\n| a |\n| --- |\n| c |\n{% endif %}\n| d |",
      1,
      1,
      /around whole paragraphs, items/,
    ],
    ["| a |\n| --- |\n| b | {{ lost }} |", 3, 7, /lost.*Markdown drops it/],
    ["a **{% if b %}c** d{% endif %}", 1, 5, /./],
    ["a [b](https://x.io/{% if c %}d{% endif %})", 1, 20, /./],
    ["[b](java{{ c }})", 1, 3, /a link leads to https/],
    ["preheader: a", 1, 1, /content is empty/],
    ["a {{ $content }}", 1, 3, /stands in a layout/],
    [`${"> ".repeat(60)}a`, 1, 1, /too deep/],
  ] as const) {
    const [first] = await faultsOf(content);
    assert.ok(first, content);
    assert.deepEqual([first[0], first[1]], [line, column], `${content}: ${first[2]}`);
    assert.match(first[2], message, content);
  }
});

test("a mail is said to be Markdown; nothing is taken for it", async () => {
  assert.equal((await compiled(mailSource("# a"))).format, "text");
  const chosen = await compiled(mailSource("# a", { format: "markdown" }));
  assert.equal(chosen.format, "markdown");
  assert.equal(chosen.text.split("\n")[0], "a");
});

test("a preheader is in the HTML before everything, and in no text", async () => {
  const content = "Preheader:  {{ a }} & *b*\n\nc";
  const mail = await rendered(mailSource(content, { format: "markdown" }), { a: "<A>" });
  assert.match(mail.html, /display:none[^>]*>&lt;A&gt; &amp; \*b\*<\/div>/);
  assert.equal(mail.text, "c");
});

test("marks beside full-width punctuation and quotes of Chinese, Japanese and Korean are read", () => {
  for (const [source, expected] of [
    ["**注意：**请", `${strong("注意：")}请`],
    ["请**「お茶」**を", `请${strong("「お茶」")}を`],
    ["**「お茶」**を", `${strong("「お茶」")}を`],
    ["これは**太字。**です", `これは${strong("太字。")}です`],
    ["他说：**“你好”**。", `他说：${strong("“你好”")}。`],
    ["**스크립트(script)**라고", `${strong("스크립트(script)")}라고`],
    ["订单*（{{ id }}）*已付", "订单<em>（{{ id }}）</em>已付"],
    ["价格~~（旧）~~新", "价格<s>（旧）</s>新"],
    ["**{{ name }}、**こんにちは", `${strong("{{ name }}、")}こんにちは`],
  ] as const) {
    assert.equal(components(source), text(expected), source);
  }
});

test("marks in other texts are read as CommonMark has them", () => {
  const plain = new MarkdownIt({ html: false, breaks: true });
  const parts =
    "* ** *** _ __ ~~ a b1 é ж ش ש ñ . , : ; ! ? ( ) \" ' “ ” ‘ ’ « » „ … – — € © 😀 ❤️ 👩‍👩‍👧 1️⃣ 𝒳".split(
      " ",
    );
  const random = chance(7);
  const pick = () => parts[Math.floor(random() * parts.length)] ?? "";
  for (let count = 0; count < 20_000; count++) {
    const source = Array.from({ length: 2 + Math.floor(random() * 9) }, () =>
      random() < 0.2 ? " " : pick(),
    ).join("");
    const tokens = (all: readonly Token[]) => all.map(({ type, content }) => `${type} ${content}`);
    const expected = plain.parseInline(source, {})[0]?.children ?? [];
    const found = parseInline(source)[0]?.children ?? [];
    assert.deepEqual(tokens(found), tokens(expected), source);
  }
});

test("a number that begins a text begins no list", () => {
  const list = (start: string, ...items: string[]) =>
    `<mj-text><ol${start}>${items.map((item) => `<li>${item}</li>`).join("")}</ol></mj-text>`;
  for (const [source, expected] of [
    ["2026. A good year.", text("2026. A good year.")],
    ["24. Dezember ist Weihnachten", text("24. Dezember ist Weihnachten")],
    ["1999) it was", text("1999) it was")],
    ["a\n\n2026. b\n\n2025. c", text("a") + text("2026. b") + text("2025. c")],
    ["> 2026. a", "<mj-text><blockquote><p>2026. a</p></blockquote></mj-text>"],
    ["1. a", list("", "a")],
    ["0. a", list(' start="0"', "a")],
    ["7. a", list(' start="7"', "a")],
    ["17. a\n18. b", list(' start="17"', "a", "b")],
    ["12. a\nmore\n\n13. b", list(' start="12"', "a<br />more", "b")],
    ["9. a\n\n---\n\n10. b", `${list(' start="9"', "a")}<mj-divider />${list(' start="10"', "b")}`],
    ["1. a\n1. b", list("", "a", "b")],
    ["- 2026. a", "<mj-text><ul><li>2026. a</li></ul></mj-text>"],
  ] as const) {
    assert.equal(components(source), expected, source);
  }
});

test("a link that cannot be read is refused where it stands, and what is none stays text", async () => {
  const of = (content: string) => mailSource(content, { format: "markdown" });
  for (const [link, column] of [
    ["[Pay](https://a b)", 5],
    ["now [Pay](https://a.io/b c.html) or later", 9],
    ["[Pay](https://a.io/(b)", 5],
    ["![Mug](https://a.io/my mug.png)", 6],
    ["[Pay]({{ url }} now)", 5],
    ["[Pay](www.a.io b)", 5],
    ["[Pay](https://a.io 'x)", 5],
  ] as const) {
    const [{ line, column: at, message } = {}] = await faultsOfSource(of(`Hello\n\n${link}`));
    assert.deepEqual([line, at], [3, column], link);
    assert.match(message ?? "", /^this link cannot be read/, link);
  }
  for (const words of [
    "a [1](see below) b",
    "\\[a\\](https://a b)",
    "`[a](https://a b)`",
    "[a] (https://a b)",
  ]) {
    await compiled(of(words));
  }
  await compiled(of("[Pay](https://a.io/b%20c 'Title') [Pay](<https://a.io/b c>)"));
});
