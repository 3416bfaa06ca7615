import assert from "node:assert/strict";
import { test } from "node:test";
import { compiled, faultsOf, mailSource } from "../test/compiled.ts";
import { compileTemplate } from "./compile.ts";

const compiledEmail = (content: string) => compiled(mailSource(content));
const email = (content: string, subject = "S") => mailSource(content, { subject });

test("plain text becomes an HTML page with its line ends, and stays as it is as text", async () => {
  const template = await compiledEmail("Hi {{name}} <john@x.io>,\n1 < 2 & so on");
  assert.equal(template.format, "text");
  assert.equal(template.text, "Hi {{name}} <john@x.io>,\n1 < 2 & so on");
  assert.match(template.html, /Hi \{\{name\}\} &lt;john@x\.io&gt;,<br>1 &lt; 2 &amp; so on/);
  assert.match(template.html, /style="[^"]*overflow-wrap:break-word/);
});

test("HTML keeps its source and gets a text part with its tags", async () => {
  const html =
    '<h1>Order {{ order-id }}</h1><p>Go <a href="{{ link }}">there</a></p><style>.a{}</style>' +
    '<img src="https://x.io/a.png" alt="Logo {{brand}}"><p>a &amp; b</p><!-- note -->';
  const template = await compiledEmail(html);
  assert.equal(template.format, "html");
  assert.equal(template.html, html);
  assert.equal(
    template.text.replace(/\s+/g, " "),
    "Order {{order-id}} Go there [{{link}}] Logo {{brand}} a & b",
  );
  assert.deepEqual(template.variables, ["order-id", "link", "brand"]);
});

test("a row of a table is a line, and its cells stay apart", async () => {
  const rows = (...cells: string[][]) =>
    `<table>${cells.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join("\n")}</tr>`).join("")}</table>`;
  for (const [html, text] of [
    [rows(["2", "19.90"], ["1", "5.00"]), "2  19.90\n1  5.00"],
    [`<p>a</p>${rows(["Order", "{{id}}"])}<p>b</p>`, "a\n\nOrder  {{id}}\n\nb"],
    [rows(["", "&nbsp;", "a", "<img alt='' src='x'>", "b"]), "a  b"],
    [rows(["<p>a</p>", "<p>b</p>"]), "a\n\nb"],
    [rows(["<div>a</div>", rows(["b", "c"])], ["d"]), "a\n\nb  c\n\nd"],
    ["<dl><dt>Order</dt><dd>A-1001</dd></dl>", "Order\nA-1001"],
  ] as const) {
    assert.equal((await compiledEmail(html)).text, text, html);
  }
});

test("the text part names each address that leads somewhere, unbroken", async () => {
  for (const [link, text] of [
    ['<a href="javascript:alert(1)">a</a>', "a"],
    ['<a href=" JAVA&#9;script:alert(1)">a</a>', "a"],
    ['<a href="data:text/html,x">a</a>', "a"],
    ['<a href="">a</a>', "a"],
    ['<a href="#b">a</a>', "a"],
    ['<a name="b">a</a>', "a"],
    ['<a href=" https://x.io/a b\n">a</a>', "a [https://x.io/a%20b]"],
    ['<a href="mailto:a@x.io">a</a>', "a [a@x.io]"],
    ['<a href="https://x.io"><img alt="b" src="c"></a>', "b [https://x.io]"],
    ['<a href="https://x.io"></a>', "https://x.io"],
    ['<a href="https://x.io/{{b}}?c=d e">a</a>', "a [https://x.io/{{b}}?c=d%20e]"],
    // It looks like what stands for a tag or an address while a mail is compiled.
    ['<a href="bf0123456789abx7x">a &#0;v[b]&#0;e</a>', "a \ufffdv[b]\ufffde [bf0123456789abx7x]"],
  ] as const) {
    assert.equal((await compiledEmail(`<p>${link}</p>`)).text, text, link);
  }
});

test("text that only looks like a tag after conversion stays text", async () => {
  const template = await compiledEmail("<p>&#123;&#123;secret}} {<b>{{x}}</b>}</p>");
  assert.deepEqual(template.variables, ["x"]);
  assert.equal(template.text, "{ {secret}} { {{x}}}");
});

test("templates of all channels are plain JSON with their variables", async () => {
  assert.deepEqual(await compiled({ kind: "text", content: "Code {{code}}\n" }), {
    kind: "text",
    text: "Code {{code}}",
    variables: ["code"],
  });
  const push = await compiled({ kind: "notification", title: "{{a}}", content: "{{b}} {{a}}" });
  assert.deepEqual(push, {
    kind: "notification",
    title: "{{a}}",
    body: "{{b}} {{a}}",
    variables: ["a", "b"],
  });
  assert.deepEqual(JSON.parse(JSON.stringify(push)), push);
});

test("a fault names its field, line and column", async () => {
  assert.deepEqual(await faultsOf(email("<p>a</p>\n<p>{{a+b}}</p>\n{{c", "x {{ y( }}")), [
    {
      field: "subject",
      line: 1,
      column: 7,
      message:
        '"(" is not allowed in a tag: a name is made of letters, digits, _ - . $ : and single spaces',
    },
    {
      field: "content",
      line: 2,
      column: 7,
      message:
        '"+" is not allowed in a tag: a name is made of letters, digits, _ - . $ : and single spaces',
    },
    { field: "content", line: 3, column: 1, message: "this tag is not closed: }} is missing" },
  ]);
});

test("a variable in a script is refused with its place", async () => {
  assert.deepEqual(await faultsOf(email("<p>a</p>\n<script>{{a}}</script>")), [
    { field: "content", line: 2, column: 9, message: "a variable cannot stand inside <script>" },
  ]);
});

test("line ends and control characters are refused in a subject and a title, NUL everywhere", async () => {
  assert.match((await faultsOf(email("x", "a\r\nBcc: b")))[0]?.message ?? "", /U\+000D .* subject/);
  const title = await faultsOf({ kind: "notification", title: "a\nb", content: "x" });
  assert.equal(title[0]?.field, "title");
  for (const content of ["a\u0000b", "a\u001bb", "a\ud800b"]) {
    const [fault] = await faultsOf({ kind: "text", content });
    assert.deepEqual([fault?.line, fault?.column], [1, 2], JSON.stringify(content));
  }
});

test("empty and oversized fields are refused", async () => {
  assert.match((await faultsOf(email(" \n", "s")))[0]?.message ?? "", /content is empty/);
  assert.match((await faultsOf(email("x", "")))[0]?.message ?? "", /subject is empty/);
  assert.match((await faultsOf(email("é".repeat(131_073))))[0]?.message ?? "", /256 KiB/);
  assert.match((await faultsOf(email("x", "s".repeat(999))))[0]?.message ?? "", /998 characters/);
  const longName = await faultsOf(email(`x\n{{${"n".repeat(256)}}}`));
  assert.deepEqual([longName[0]?.line, longName[0]?.column], [2, 1]);
  assert.match(longName[0]?.message ?? "", /name is longer than 255 characters/);
  for (const source of [
    { kind: "text", content: "a".repeat(1531) },
    { kind: "notification", title: "t".repeat(257), content: "x" },
    { kind: "notification", title: "t", content: "x".repeat(4097) },
  ] as const) {
    assert.match((await faultsOf(source))[0]?.message ?? "", /too large/, source.kind);
  }
});

test("a short message that leaves GSM-7 by itself is warned about, at the character", async () => {
  const result = await compileTemplate(
    { kind: "text", content: "Hi {{имя}},\nit’s" },
    { owner: "acme" },
  );
  assert.ok(result.ok);
  assert.deepEqual([result.warnings[0]?.line, result.warnings[0]?.column], [2, 3]);
  const plain = await compileTemplate(
    { kind: "text", content: "Hi {{имя}}\tand €" },
    { owner: "acme" },
  );
  assert.deepEqual(plain.ok && plain.warnings, []);
});

test("deep and unclosed HTML is a result, not a crash", async () => {
  const deep = await compileTemplate(email("<div>".repeat(50_000)), { owner: "acme" });
  assert.equal(typeof deep.ok, "boolean");
  assert.ok((await compileTemplate(email("<p>after</p>"), { owner: "acme" })).ok);
});
