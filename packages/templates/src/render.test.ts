import assert from "node:assert/strict";
import { test } from "node:test";
import { compiled, faultsOf, mailSource, message, rendered } from "../test/compiled.ts";
import { createRenderer } from "./render.ts";
import type { TemplateSource } from "./source.ts";

const render = async (source: TemplateSource, variables: Record<string, unknown>) =>
  createRenderer(await compiled<TemplateSource["kind"]>(source))(variables);

const sms = (content: string, variables: Record<string, unknown> | string) =>
  rendered(
    { kind: "text", content },
    typeof variables === "string" ? JSON.parse(variables) : variables,
  );

const mail = (content: string, variables: Record<string, unknown>, subject = "S") =>
  rendered(mailSource(content, { subject }), variables);

const TOO_COSTLY = { ok: false, code: "too-costly", reason: "too costly to render" };
const TOO_LARGE = { ok: false, code: "content-too-large", reason: "rendered content too large" };

test("keys with dots, dashes, spaces and inherited names, values of every type", async () => {
  const { text, missing } = await sms(
    "{{a.b}}|{{order-id}}|{{constructor}}|{{__proto__}}|{{o}}|{{l}}|{{l.1}}|{{n}}|{{t}}|{{z}}|{{first name}}|{{gone}}|{{u.gone}}|{{gone}}|{{toString}}",
    '{"a.b":"dot","order-id":7,"constructor":"c","__proto__":"p","o":{"k":[1]},"l":["x","y"],"n":0,"t":false,"z":null,"first name":"Ann","u":{}}',
  );
  assert.equal(text, 'dot|7|c|p|{"k":[1]}|["x","y"]|y|0|false||Ann||||');
  assert.deepEqual(missing, ["gone", "u.gone", "toString"]);
});

test("a value is escaped in HTML and plain in text and subject", async () => {
  const rendered = await mail(
    '<p title="{{x}}">{{x}}</p>',
    { x: `<script>alert("1")</script>'&` },
    "Re: {{x}}",
  );
  const escaped = "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;";
  assert.equal(rendered.html, `<p title="${escaped}">${escaped}</p>`);
  assert.equal(rendered.text, `<script>alert("1")</script>'&`);
  assert.equal(rendered.subject, `Re: <script>alert("1")</script>'&`);
});

test("a value is never read as a template", async () => {
  const { text } = await sms("{{a}}", { a: "{{b}} $& $1 {{a}}", b: "secret" });
  assert.equal(text, "{{b}} $& $1 {{a}}");
});

test("a subject and a push title stay one line whatever a value holds", async () => {
  const { subject } = await mail("x", { a: "x\r\nBcc: evil@x.io\u0000\u2028y" }, "Hi {{a}}");
  assert.equal(subject, "Hi x Bcc: evil@x.io y");
  const push = await render(
    { kind: "notification", title: "Hi {{a}}", content: "{{a}}" },
    { a: "<b>\r\nx" },
  );
  assert.deepEqual(push, {
    ok: true,
    kind: "notification",
    title: "Hi <b> x",
    body: "<b>\r\nx",
    missing: [],
  });
});

test("no NUL, control character or lone surrogate is rendered", async () => {
  const variables = { x: "a\u0000b\u0008\ud800c\udc00" };
  const rendered = await mail(
    '<p title="{{x}}">{{x}}</p><a href="https://x.io/{{x}}">l</a>',
    variables,
  );
  for (const text of [rendered.html, rendered.text, (await sms("{{x}}", variables)).text]) {
    assert.doesNotMatch(text, /[\u0000-\u0008]/);
    assert.ok(text.isWellFormed());
    assert.match(text, /ab\ufffdc\ufffd/);
  }
});

test("compiled MJML is safe in links, images, backgrounds and Outlook's comments", async () => {
  const source = `<mjml><mj-body><mj-section background-url="{{u}}"><mj-column><mj-text css-class="{{t}}">{{t}}</mj-text>
    <mj-button href="{{u}}">go</mj-button><mj-image src="{{u}}" alt="{{t}}" /></mj-column></mj-section></mj-body></mjml>`;
  const attack = await mail(source, {
    u: "java\tscript:alert(1)//",
    t: `--><script>alert(1)</script>" onload="x`,
  });
  assert.doesNotMatch(attack.html, /script:|<script|" onload=/i);
  const good = await mail(source, { u: "https://x.io/a?b=1&c=2", t: "t" });
  assert.match(good.html, /<a\s+href="https:\/\/x\.io\/a\?b=1&amp;c=2"/);
  assert.match(good.html, /<v:fill [^>]*src="https:\/\/x\.io\/a\?b=1&amp;c=2"/);
  assert.match(good.html, /url\('https:\/\/x\.io\/a\?b=1&amp;c=2'\)/);
});

const SCHEMES = "begins with none of http:, https:, mailto:, tel:, sms:";

test("a mail tells each address that a value would have begun and that leads nowhere", async () => {
  const source = `<a href="{{ url }}">Pay</a> <a href="{{url}}/more">again</a> <img src="{{ image }}">
    <a href="{{ other | default: 'sms:+4912345678' }}">Text us</a> <a href="{{ gone }}">x</a>
    <a href="https://x.io/{{ long }}">y</a> <td style="background:url({{ image }})">z</td>`;
  const told = async (url: string) => {
    const rendered = await mail(source, { url, image: "", long: "a".repeat(9_000) });
    assert.deepEqual(rendered.missing, ["gone"], "what is missing has a warning of its own");
    assert.match(rendered.html, /href="sms:\+4912345678"/);
    assert.match(rendered.text, /Text us \[sms:\+4912345678\]/);
    return rendered.linksLeftOut;
  };
  const others = ["src {{ image }} (empty)", "href {{ long }} (longer than 8192 characters)"];
  const style = "style {{ image }} (empty)";
  assert.deepEqual(await told("https://x.io/a"), [...others, style]);
  for (const url of ["/orders/1", "www.example.com/pay", "myapp://pay", "javascript:alert(1)"]) {
    assert.deepEqual(await told(url), [`href {{ url }} (${SCHEMES})`, ...others, style], url);
  }
  const good = await mail('<a href="{{ url }}">Pay</a>', { url: "https://x.io/a" });
  assert.equal("linksLeftOut" in good, false);
});

test("links left out are told of MJML and Markdown as well, at most twenty a mail", async () => {
  const button = "<mj-button href='{{ url }}'>Pay</mj-button><mj-image src='{{ url }}' />";
  const mjml = `<mjml><mj-body><mj-section><mj-column>${button}</mj-column></mj-section></mj-body></mjml>`;
  const all = [`href {{ url }} (${SCHEMES})`, `src {{ url }} (${SCHEMES})`];
  assert.deepEqual((await mail(mjml, { url: "/pay" })).linksLeftOut, all);
  const written = { kind: "email", format: "markdown", subject: "S", content: "[Pay]({{ url }})" };
  const rendered = await render(written as TemplateSource, { url: "/pay" });
  assert.ok(rendered.ok && rendered.kind === "email");
  assert.deepEqual(rendered.linksLeftOut, all.slice(0, 1));
  const names = Array.from({ length: 30 }, (_, at) => `n${at}`);
  const many = names.map((name) => `<a href="{{ ${name} }}">x</a>`).join("");
  const paths = Object.fromEntries(names.map((name) => [name, "/path"]));
  assert.equal((await mail(many, paths)).linksLeftOut?.length, 20);
});

test("the app links that a tenant allows may begin an address, in what it writes and in values", async () => {
  const settings = { linkSchemes: ["myapp"] };
  const made = async (content: string, format?: "markdown") => {
    const source = mailSource(content, format && { format });
    assert.ok((await faultsOf(source)).length > 0, content);
    const template = await compiled(source, settings);
    const values = { id: "1&2", url: "MyApp://pay/7", bad: "other://x", image: "myapp://x.png" };
    const shown = message(template, values, { linkSchemes: ["myapp"] });
    return { ...shown, later: message(template, values) };
  };
  const html = `<a href="myapp://order/{{ id }}">Open</a> <a href="{{ url }}">Pay</a>
    <a href="{{ bad }}">x</a> <img src="{{ image }}">`;
  const shown = await made(html);
  assert.match(shown.html, /href="myapp:\/\/order\/1&amp;2"/);
  assert.match(shown.html, /href="MyApp:\/\/pay\/7"/);
  assert.match(shown.text, /^Open \[myapp:\/\/order\/1&2\] Pay \[MyApp:\/\/pay\/7\] x$/);
  assert.deepEqual(shown.linksLeftOut, [
    `href {{ bad }} (${SCHEMES}, myapp:)`,
    `src {{ image }} (${SCHEMES})`,
  ]);
  assert.match(
    shown.later.html,
    /href="myapp:\/\/order\/1&amp;2"/,
    "its own text stays as it was saved",
  );
  assert.match(shown.later.html, /<a href="#">Pay/, "a value is judged when it is sent");
  const simple = await made(
    "[Open](myapp://order/{{ id }})\n\nor [later](myapp://later), says {{ id }}",
    "markdown",
  );
  assert.match(simple.html, /href="myapp:\/\/order\/1&amp;2"/);
  assert.match(simple.text, /later \[myapp:\/\/later\]/);
});

test("plain text mails show markup of a value as text", async () => {
  const { html, text } = await mail("Hi {{x}}\nBye", { x: "<b>&\nx" });
  assert.match(html, /Hi &lt;b&gt;&amp;\nx<br>Bye/);
  assert.equal(text, "Hi <b>&\nx\nBye");
});

test("a value can turn a short message to UCS-2", async () => {
  const content = `${"a".repeat(150)}{{x}}`;
  const plain = await sms(content, { x: "é" });
  assert.deepEqual([plain.encoding, plain.segments], ["GSM-7", 1]);
  const flipped = await sms(content, { x: "ё" });
  assert.deepEqual([flipped.encoding, flipped.segments], ["UCS-2", 3]);
});

test("right-to-left text and emoji pass unchanged", async () => {
  const value = "שלום مرحبا 👩‍👩‍👧‍👦🇩🇪";
  const rendered = await mail("<p>{{x}}</p>", { x: value }, "{{x}}");
  assert.deepEqual(
    [rendered.subject, rendered.html, rendered.text],
    [value, `<p>${value}</p>`, value],
  );
});

test("mails end at 512 KiB a part, counted as UTF-8", async () => {
  const source: TemplateSource = { kind: "email", subject: "S", content: "<p>{{x}}</p>" };
  const fits = 512 * 1024 - "<p></p>".length;
  assert.ok((await render(source, { x: "a".repeat(fits) })).ok);
  assert.deepEqual(await render(source, { x: "a".repeat(fits + 1) }), TOO_LARGE);
  assert.deepEqual(await render(source, { x: "é".repeat(fits / 2 + 1) }), TOO_LARGE);
  assert.deepEqual(await render(source, { x: "&".repeat(fits / 4) }), TOO_LARGE);
});

test("a mail whose HTML Gmail would cut off is told, counted as UTF-8", async () => {
  const warnings = async (x: string) => (await mail("<p>{{x}}</p>", { x })).warnings;
  const fits = 100 * 1024 - "<p></p>".length;
  assert.equal(await warnings("a".repeat(fits)), undefined);
  const clipped = ["the HTML has 101 KB: Gmail hides what is beyond 102 KB"];
  assert.deepEqual(await warnings("a".repeat(fits + 1)), clipped);
  assert.deepEqual(await warnings("é".repeat(fits / 2 + 1)), clipped);
});

test("pushes end at 256 and 4096 characters, short messages at 10 segments", async () => {
  const push: TemplateSource = { kind: "notification", title: "{{t}}", content: "{{b}}" };
  assert.ok((await render(push, { t: "😀".repeat(256), b: "😀".repeat(4096) })).ok);
  assert.deepEqual(await render(push, { t: "a".repeat(257), b: "" }), TOO_LARGE);
  assert.deepEqual(await render(push, { t: "", b: "a".repeat(4097) }), TOO_LARGE);
  const text: TemplateSource = { kind: "text", content: "{{x}}" };
  assert.ok((await render(text, { x: "a".repeat(1530) })).ok);
  assert.ok((await render(text, { x: "ё".repeat(670) })).ok);
  for (const x of ["a".repeat(1531), "ё".repeat(671), "€".repeat(766), "😀".repeat(331)]) {
    assert.deepEqual(await render(text, { x }), TOO_LARGE);
  }
});

test("a large template of one repeated large value ends before it is built", async () => {
  const x = "a".repeat(200_000);
  for (const [content, fits] of [
    ["<p>{{x}}</p>".repeat(9_000), false],
    // An address and a style take no such value, so that nothing large is written.
    ['<a href="{{x}}">a</a>'.repeat(9_000), true],
    ['<p style="color:{{x}}">a</p>'.repeat(9_000), true],
  ] as const) {
    assert.equal((await render({ kind: "email", subject: "S", content }, { x })).ok, fits);
  }
});

test("values that are read and left out again and again end as too costly", async () => {
  const costly = (content: string, variables: Record<string, unknown>) =>
    render({ kind: "email", subject: "S", content }, variables);
  const u = `javascript:${"\t".repeat(8_000)}`;
  assert.deepEqual(await costly('<a href="{{u}}">a</a>'.repeat(9_000), { u }), TOO_COSTLY);
  assert.ok((await costly('<a href="{{u}}">a</a>'.repeat(100), { u })).ok);
  let nested: Record<string, unknown> = { z: "a".repeat(200_000) };
  for (let depth = 0; depth < 60; depth++) nested = { a: nested };
  const names = Array.from({ length: 60 }, (_, depth) => `{{a${".a".repeat(depth)}}}`);
  const styles = names.map((name) => `<p style="color:${name}">a</p>`).join("");
  assert.deepEqual(await costly(styles, nested), TOO_COSTLY);
});

test("a mail as large as it may be is not too costly", async () => {
  const names = ["a", "b", "c", "d"];
  const variables = Object.fromEntries(names.map((name) => [name, name.repeat(65_000)]));
  const content = names.map((name) => `<p title="{{${name}}}">{{${name}}}</p>`).join("");
  const { html, text } = await mail(content, variables, "{{x}}");
  assert.ok(html.length > 520_000 && text.length > 260_000);
});

test("an address of the text part is judged as in the HTML, and is left out where that leads nowhere", async () => {
  const content =
    '<p>Go <a href="{{a}}">there</a>, <a href="https://x.io/{{b}}">here</a>, <a href="{{c}}/{{b}}">or here</a>.</p>' +
    '<p><a href="mailto:{{d}}">Write</a> <a href="{{a}}"><img alt="" src="https://x.io/i.png"></a></p>';
  const good = await mail(content, { a: "https://x.io/a b", b: "1 2", c: "tel:+1", d: "a@x.io" });
  assert.equal(
    good.text,
    "Go there [https://x.io/a%20b], here [https://x.io/1%202], or here [tel:+1/1%202].\n\n" +
      "Write [a@x.io] https://x.io/a%20b",
  );
  const bad = await mail(content, { a: "java\tscript:alert(1)", b: "1", d: "a@x.io" });
  assert.equal(bad.text, "Go there, here [https://x.io/1], or here.\n\nWrite [a@x.io]");
});

test("both parts of a mail encode a parameter's value, but what url_encode has made", async () => {
  const content =
    '<a href="https://x.io/?e={{ e }}&amp;n={{ n | url_encode }}">Off</a>{% if e %}!{% endif %}';
  const { html, text } = await mail(content, { e: "ann+1@x.io", n: "Ann Lee" });
  assert.match(html, /e=ann%2B1@x\.io&amp;n=Ann\+Lee"/);
  assert.match(text, /e=ann%2B1@x\.io&n=Ann\+Lee/);
});

test("a version that was saved without the places of its addresses renders as it did", () => {
  const render = createRenderer({
    kind: "email",
    format: "html",
    subject: "S",
    html: '<a href="{{u}}">Go</a>',
    text: "Go [{{u}}]",
    variables: ["u"],
  });
  const rendered = render({ u: "javascript:x y" });
  assert.ok(rendered.ok && rendered.kind === "email");
  assert.deepEqual([rendered.html, rendered.text], ['<a href="#">Go</a>', "Go [javascript:x y]"]);
});

test("one renderer serves many events, each with its own values and missing names", async () => {
  const renderer = createRenderer(await compiled({ kind: "text", content: "{{a}}{{b}}" }));
  const first = renderer({ a: 1 });
  const second = renderer({ a: 2, b: 3 });
  assert.deepEqual(first.ok && first.kind === "text" && [first.text, first.missing], ["1", ["b"]]);
  assert.deepEqual(second.ok && second.kind === "text" && [second.text, second.missing], [
    "23",
    [],
  ]);
});

test("a tag in an unsafe place of a stored template renders as nothing", () => {
  const renderer = createRenderer({
    kind: "email",
    format: "html",
    subject: "S",
    html: "<script>{{x}}</script>",
    text: "",
    variables: ["x"],
  });
  const rendered = renderer({ x: "alert(1)" });
  assert.equal(rendered.ok && rendered.kind === "email" && rendered.html, "<script></script>");
});
