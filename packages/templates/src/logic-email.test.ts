import assert from "node:assert/strict";
import { test } from "node:test";
import { type DefaultTreeAdapterTypes, parse } from "parse5";
import { compiled, faultsOf, mailSource, message, rendered } from "../test/compiled.ts";

type Mail = (variables: Record<string, unknown>) => { html: string; text: string; subject: string };

async function mail(content: string, subject = "S"): Promise<Mail> {
  const template = await compiled(mailSource(content, { subject }));
  return (variables) => message(template, variables);
}

const section = (inner: string) => `<mj-section><mj-column>${inner}</mj-column></mj-section>`;

const RECEIPT = `<mjml><mj-body>
${section(`
  <mj-text><h1>Receipt {{ number }}</h1></mj-text>
  {% if name %}<mj-text>Hi {{ name }},</mj-text>{% endif %}
  {% if items.size > 0 %}
  <mj-table>
    <tr><th>Item</th><th>Price</th></tr>
    {% for item in items %}
    <tr><td>{{ item.name }}{% if item.count > 1 %} × {{ item.count }}{% endif %}</td><td>{{ item.price | money: "EUR" }}</td></tr>
    {% endfor %}
    {% unless free %}
    <tr><td>Total</td><td>{{ total | money: "EUR" }}</td></tr>
    {% endunless %}
  </mj-table>
  {% else %}
  <mj-text>Nothing was bought.</mj-text>
  {% endif %}`)}
{% if link %}
${section('<mj-button href="{{ link }}">See it</mj-button>')}
{% endif %}
${section("<mj-text>Bye</mj-text>")}
</mj-body></mjml>`;

const ITEMS = [
  { name: "Tea <b>--><i>", count: 2, price: "4.5" },
  { name: "Cup", count: 1, price: 9 },
];

test("the text of a receipt has a line for each item, and none that is empty where a block writes nothing", async () => {
  const write = await mail(RECEIPT);
  assert.equal(
    write({ number: 1, name: "Zoë", items: ITEMS, total: 18, link: "https://x.io" }).text,
    "Receipt 1\n\nHi Zoë,\n\nItem  Price\nTea <b>--><i> × 2  €4.50\nCup  €9.00\nTotal  €18.00\n\nSee it [https://x.io]\n\nBye",
  );
  assert.equal(
    write({ number: 1, items: ITEMS, free: true }).text,
    "Receipt 1\n\nItem  Price\nTea <b>--><i> × 2  €4.50\nCup  €9.00\n\nBye",
  );
  assert.equal(write({ number: 2 }).text, "Receipt 2\n\nNothing was bought.\n\nBye");
  assert.equal(
    write({ number: 2, link: "javascript:x" }).text,
    "Receipt 2\n\nNothing was bought.\n\nSee it\n\nBye",
  );
});

test("blanks beside blocks in a mail's text are those of the page", async () => {
  for (const [html, some, none] of [
    ["<p>a</p>{% if l %}<p>b</p>{% endif %}<p>c</p>", "a\n\nb\n\nc", "a\n\nc"],
    ["{% if l %}<p>a</p>{% endif %}<p>b</p>", "a\n\nb", "b"],
    ["<p>a</p>{% if l %}<p>b</p>{% endif %}", "a\n\nb", "a"],
    [
      "<p>Hi {% if l %} you {% else %} all {% endif %} there{% if l %}!{% endif %}</p>",
      "Hi you there!",
      "Hi all there",
    ],
    ["a {%- if l -%} b {%- endif -%} c", "abc", "ac"],
    ["<p>a</p> {%- if l -%} <p>b</p> {%- endif -%} <p>c</p>", "a\n\nb\n\nc", "a\n\nc"],
    ["<ul>{% for x in l %}<li>{{x}}</li>{% endfor %}<li>c</li></ul>", " * 1\n * 2\n * c", " * c"],
    // Nobody counts the items of a loop.
    ["<p>a</p><ol>{% for x in l %}<li>{{x}}</li>{% endfor %}</ol>", "a\n\n * 1\n * 2", "a"],
    [
      "<table><tr>{% for x in l %}<td>{{x}}</td>{% endfor %}<td>c</td></tr></table>",
      "1  2  c",
      "c",
    ],
    [
      "<table><tr><td>a</td>{% if l %}<td>b</td>{% endif %}<td>c</td></tr></table>",
      "a  b  c",
      "a  c",
    ],
    [
      "<p>a</p><table>{% for x in l %}<tr><td>{{x}}</td></tr>{% endfor %}</table><p>b</p>",
      "a\n\n1\n2\n\nb",
      "a\n\nb",
    ],
    [
      '<p>a</p>{% if l %}<p><a href="{{u}}">{% if l %}b{% endif %}</a></p>{% endif %}c',
      "a\n\nb [https://x.io]\n\nc",
      "a\n\nc",
    ],
    [
      "<p>a</p>{% for x in l %}{% if y %}<p>b</p>{% endif %}{% endfor %}<p>c</p>",
      "a\n\nc",
      "a\n\nc",
    ],
  ] as const) {
    const write = await mail(`<div>${html}</div>`);
    assert.equal(write({ l: [1, 2], u: "https://x.io" }).text, some, html);
    assert.equal(write({ l: false }).text, none, html);
  }
});

test("blanks of a value stay, and so do those of the author that no block stands beside", async () => {
  const write = await mail("<p>a</p><p>{{x}}</p>{% if y %}<p>{{x}}</p>{% endif %}<p>b</p>");
  assert.equal(
    write({ x: "1\n\n\n\n2  3", y: 1 }).text,
    "a\n\n1\n\n\n\n2  3\n\n1\n\n\n\n2  3\n\nb",
  );
});

test("in a plain text a line of blocks' tags alone is no line, in both parts", async () => {
  const write = await mail(
    "Items:\n{% for x in items %}\n- {{x.name}}\n  {% if x.count > 1 %}  {% else %}\n  just one\n{% endif %}\n{% endfor %}\n\n{% if a %}\nA\n\n{% endif %}\nEnd{% if a %}!{% endif %}",
  );
  const { text, html } = write({ items: ITEMS, a: true });
  assert.equal(text, "Items:\n- Tea <b>--><i>\n- Cup\n  just one\n\nA\n\nEnd!");
  assert.match(
    html,
    />Items:<br>- Tea &lt;b&gt;--&gt;&lt;i&gt;<br>- Cup<br> {2}just one<br><br>A<br><br>End!</,
  );
  assert.equal(write({}).text, "Items:\n\nEnd");
});

const TEXT = "<mj-text>T {{x.name}}</mj-text>";
const LOOPS: Record<string, string> = {
  "sections of the body": `{% for x in items %}${section(TEXT)}{% else %}${section("<mj-text>none</mj-text>")}{% endfor %}`,
  "sections of a wrapper": `<mj-wrapper background-url="{{u}}">{% for x in items %}${section(TEXT)}{% endfor %}${section(TEXT)}</mj-wrapper>`,
  "wrappers and heroes": `{% for x in items %}<mj-wrapper>${section(TEXT)}</mj-wrapper>{% if forloop.first %}<mj-hero mode="fluid-height">${TEXT}</mj-hero>{% endif %}{% endfor %}`,
  "texts of a hero": `<mj-hero>{% for x in items %}${TEXT}<mj-button href="{{u}}">b</mj-button>{% endfor %}</mj-hero>`,
  "texts of a column": section(
    `{% for x in items %}${TEXT}<mj-divider />{% if x.count > 1 %}<mj-image src="{{u}}" />{% endif %}{% endfor %}`,
  ),
  "rows of a table": section(
    "<mj-table><tr><th>h</th></tr>{% for x in items %}<tr><td>{{x.name}}</td></tr>{% endfor %}</mj-table>",
  ),
  "sections with columns": `{% for x in items %}<mj-section full-width="full-width" background-url="{{u}}"><mj-column>${TEXT}</mj-column><mj-column>${TEXT}</mj-column></mj-section>{% endfor %}${section(TEXT)}`,
  "social links and menus": section(
    `{% if items %}<mj-social><mj-social-element href="{{u}}" src="{{u}}">a</mj-social-element></mj-social><mj-navbar hamburger="hamburger"><mj-navbar-link href="{{u}}">n</mj-navbar-link></mj-navbar>{% endif %}`,
  ),
};

for (const [name, body] of Object.entries(LOOPS)) {
  test(`MJML with blocks is whole for every client, whichever branches are written: ${name}`, async () => {
    const write = await mail(`<mjml><mj-body>${body}</mj-body></mjml>`);
    const words = new Set<string>();
    for (const items of [[], ITEMS.slice(0, 1), ITEMS, false]) {
      const { html, text } = write({ items, u: "https://x.io/a.png" });
      assert.doesNotMatch(html, /\{%|\{\{/);
      words.add(text);
      isWhole(html.replace(/<!--\[if mso \| IE\]>|<!--\[if mso\]>|<!\[endif\]-->/g, ""));
      isWhole(html.replace(/<!--\[if [^!\]][^\]]*\]>[\s\S]*?<!\[endif\]-->/g, ""));
      conditionsAreWhole(html);
      const harmless = Array.isArray(items) && items.map((item) => ({ ...item, name: "a" }));
      assert.deepEqual(
        elementsOf(html),
        elementsOf(write({ items: harmless, u: "https://x.io" }).html),
      );
    }
    assert.ok(words.size > 1, "no branch makes a difference");
  });
}

/** Each element of a document ends in the one it begins in. */
function isWhole(html: string): void {
  const body = html
    .slice(html.indexOf("<body"), html.indexOf("</html>"))
    .replace(/<!--[\s\S]*?-->/g, "");
  const open: string[] = [];
  for (const [tag, slash, name = ""] of body.matchAll(
    /<(\/?)([a-z][a-z0-9:]*)(?:"[^"]*"|[^">])*>/g,
  )) {
    if (tag.endsWith("/>") || /^(?:br|hr|img|input)$/.test(name)) continue;
    if (slash === "") open.push(name);
    else assert.equal(open.pop(), name, body);
  }
  assert.deepEqual(open, []);
}

test("braces that the text part spells out are no tags, though the subject has logic", async () => {
  const content = "<p>Write &#123;% if x %}a&#123;% endif %} for {{ b }}</p>";
  const { html, text } = (await mail(content, "{{ a | upcase }}"))({ a: "a", b: "b" });
  assert.equal(html, "<p>Write &#123;% if x %}a&#123;% endif %} for b</p>");
  assert.equal(text, "Write { % if x %}a{ % endif %} for b");
});

/** Outlook's comments begin and end in turn. */
function conditionsAreWhole(html: string): void {
  let isOpen = false;
  for (const [sign] of html.matchAll(/<!--\[if|<!\[endif\]/g)) {
    assert.equal(sign.startsWith("<!--"), !isOpen, html);
    isOpen = !isOpen;
  }
  assert.equal(isOpen, false);
}

function elementsOf(html: string): string[] {
  const names: string[] = [];
  const read = (node: DefaultTreeAdapterTypes.Node): void => {
    if (node.nodeName !== "#text") names.push(node.nodeName);
    for (const child of "childNodes" in node ? node.childNodes : []) read(child);
  };
  read(parse(html));
  return names;
}

test("a value trims the blanks around it in every format, and its place stays known", async () => {
  const values = { name: "A & B", x: "1" };
  const html = await mail('<p title="a {{- x -}} b">Hi \n {{- name -}} \n !</p>');
  assert.equal(html(values).html, '<p title="a1b">HiA &amp; B!</p>');
  assert.equal(html(values).text, "HiA & B!");
  const mjml = `<mjml><mj-body>${section("<mj-text>Hi {{- name -}} <b>!</b></mj-text>")}</mj-body></mjml>`;
  assert.match((await mail(mjml))(values).html, />HiA &amp; B<b>!<\/b></);
  const text = await mail("Hi\n{{- name -}}\n!\n{ {{- x }}");
  assert.equal(text(values).text, "HiA & B!\n{ 1");
  assert.match(text(values).html, />HiA &amp; B!<br>\{ 1</);
  const markdown = mailSource("Hi **you**\n\n{{- name -}}\n!", { format: "markdown" });
  const shown = await rendered(markdown, values);
  assert.match(shown.html, /Hi <strong>you<\/strong>A &amp; B!</);
  for (const content of [
    "<p {{- x -}} >a</p>",
    "<p{{- x }}>a</p>",
    '<p title=" "{{- x -}} a>b</p>',
    "<p>a</p><!-- {{- x }} -->",
  ]) {
    assert.ok((await faultsOf(mailSource(content))).length > 0, content);
  }
});
