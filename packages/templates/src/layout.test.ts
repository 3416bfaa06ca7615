import assert from "node:assert/strict";
import { test } from "node:test";
import { compiled, faultsOf, mailSource, message } from "../test/compiled.ts";
import { contrast, READABLE, textOn, withContrast } from "./colors.ts";
import { checkLayout } from "./compile-markdown.ts";
import { layoutFaults } from "./layout-faults.ts";
import { platformLayout } from "./platform-layout.ts";
import type { Layout } from "./source.ts";
import { unsubscribeWords } from "./unsubscribe-words.ts";

const page = (column: string, head = "") =>
  `<mjml>${head}\n<mj-body><mj-section><mj-column>${column}</mj-column></mj-section></mj-body>\n</mjml>`;

const SETTINGS = {
  logoUrl: "https://acme.example/logo.png?a=1&b=2",
  brandName: `A "B" & {{c}} <d>`,
  primaryColor: "#aa0000",
  backgroundColor: "#00aa00",
  textColor: "#0000aa",
  footerText: "You get this as **{{ user }}**.\n[Stop]({{ $unsubscribe_url }})",
  address: "1 Road\n<Town>",
};

async function mailIn(layout: Layout, content = "{{ a }} [b](https://x.io)\n\n[c](https://x.io)") {
  return await compiled(mailSource(content, { format: "markdown", layout }));
}

test("a layout's own tags are filled for their places, its other ones stay", async () => {
  const content = page(
    `<mj-image src="{{ $logo_url }}" alt="{{ $brand_name }}" />
    <mj-text color="{{ $text_color }}"><a href="https://x.io/{{ $logo_url }}" title="{{$brand_name}}">{{ $brand_name }}</a> {{ own }}</mj-text>
    {{ $content }}
    <mj-text>{{ $footer_text }}</mj-text><mj-text>{{ $address }}</mj-text>
    {% if $unsubscribe_url != "$content" %}<mj-text>{{ $unsubscribe_url }}</mj-text>{% endif %}`,
    "<mj-head><mj-style>.a { color: {{ $primary_color }}; background: {{ $background_color }} }</mj-style></mj-head>",
  );
  const { html, text, variables } = await mailIn({ content, ...SETTINGS });
  const name = "A &quot;B&quot; &amp; &#123;&#123;c}} &lt;d&gt;";
  assert.match(html, /src="https:\/\/acme\.example\/logo\.png\?a=1&amp;b=2"/);
  assert.ok(html.includes(`alt="${name}"`) && html.includes(`>${name}</a> {{own}}`), html);
  assert.match(html, /\.a \{ color: #aa0000; background: #00aa00 \}/);
  assert.match(html, /1 Road<br \/>&lt;Town&gt;/);
  assert.match(
    html,
    /as <strong>\{\{user\}\}<\/strong>\.<br \/><a href="\{\{\$unsubscribe_url\}\}"/,
  );
  assert.deepEqual([...variables].sort(), ["$unsubscribe_url", "a", "own", "user"]);
  assert.match(text, /A "B" & \{ \{c\}\} <d>/);
  const mail = message(await mailIn({ content, ...SETTINGS }), { a: "x", own: "y", user: "z" });
  assert.match(mail.html, /<strong>z<\/strong>/);
});

test("the title of a mail in the platform's layout is the name of its sender", async () => {
  const { html } = await mailIn({ content: null, brandName: SETTINGS.brandName });
  assert.match(html, /<title>A &quot;B&quot; &amp; &#123;&#123;c}} &lt;d&gt;<\/title>/);
});

test("a mail that its reader may turn off says how, in its language; any other is as it was", async () => {
  const sent = async (locale: string, content: string, system: Record<string, string> = {}) => {
    const layout = { content: null, footerText: "Hi" };
    const source = mailSource(content, { format: "markdown", layout });
    return message(await compiled(source, { locale }), {}, { system });
  };
  const links = { $unsubscribe_url: "https://x.io/u", $preferences_url: "https://x.io/p" };
  const listed = { ...links, $list_unsubscribe_url: "https://x.io/u" };
  for (const [locale, words] of [
    ["de-AT", "Abmelden"],
    ["fr", "Se désabonner"],
    ["es", "Darse de baja"],
    ["en", "Unsubscribe"],
    ["ar", "Unsubscribe"],
  ] as const) {
    const { html, text } = await sent(locale, "a", listed);
    assert.ok(html.includes(`href="https://x.io/u"`) && html.includes(`>${words}</a>`), html);
    assert.ok(text.includes(`${words} [https://x.io/u]`), text);
  }
  // Its own link takes the place of the one below, so it is how a mail looks without.
  const own = "a{% if nothing %}{{ $unsubscribe_url }}{% endif %}";
  const without = await sent("de", own, listed);
  assert.doesNotMatch(without.html, /Abmelden/);
  for (const system of [{}, links]) assert.deepEqual(await sent("de", "a", system), without);
});

test("what a layout says of buttons and headings wins, with a head of its own or without", async () => {
  const content = page("{{ $content }}");
  assert.match((await mailIn({ content })).html, /bgcolor="#2457d6"/);
  assert.match((await mailIn({ content, primaryColor: "#aa0000" })).html, /bgcolor="#aa0000"/);
  const own =
    '<mj-head><mj-preview>own</mj-preview><mj-attributes><mj-class name="button" background-color="#123123" /></mj-attributes></mj-head>';
  assert.match((await mailIn({ content: page("{{ $content }}", own) })).html, /bgcolor="#123123"/);
  assert.match((await mailIn({ content: page("{{ $content }}", own) })).html, />own<\/div>/);
  const told = await mailIn({ content: page("{{ $content }}", own) }, "preheader: told\n\na");
  assert.match(told.html, />told<\/div>/);
  const empty = page("{{ $content }}", "<mj-head />");
  assert.match((await mailIn({ content: empty }, "preheader: told\n\na")).html, />told<\/div>/);
});

test("the faults of a layout have their field, line and column", () => {
  const content = (column: string) => ({ content: page(column) });
  for (const [layout, field, line, column, message] of [
    [{ logoUrl: "http://x.io/a.png" }, "logoUrl", 1, 1, /https:\/\//],
    [{ logoUrl: 'https://x.io/"a' }, "logoUrl", 1, 1, /https:\/\//],
    [{ logoUrl: "https://{{x}}" }, "logoUrl", 1, 1, /https:\/\//],
    [{ primaryColor: "red" }, "primaryColor", 1, 1, /colour as #/],
    [{ textColor: "#12345;" }, "textColor", 1, 1, /colour as #/],
    [{ brandName: "a".repeat(256) }, "brandName", 1, 1, /longer than 255/],
    [{ address: "a\u0000" }, "address", 1, 1, /not allowed/],
    [{ footerText: "a\n{{ b" }, "footerText", 2, 1, /not closed/],
    [{ footerText: "a\n{{ b | c }}" }, "footerText", 2, 8, /c/],
    [{ footerText: "{% if a %}" }, "footerText", 1, 1, /endif/],
    [{ footerText: "{{ $content }}" }, "footerText", 1, 1, /unknown.*\$unsubscribe_url/],
    [{ content: "<p>{{ $content }}</p>" }, "content", 1, 1, /a layout is MJML/],
    [{ content: "" }, "content", 1, 1, /a layout is MJML/],
    [{ content: `<mjml>\u0007` }, "content", 1, 7, /U\+0007/],
    [{ content: `<mjml>${"a".repeat(300_000)}` }, "content", 1, 1, /256 KiB/],
    [content("{{ a"), "content", 2, 33, /not closed/],
    [content("a"), "content", 1, 1, /\$content \}\} is missing/],
    [content("{{ $content }}{{$content}}"), "content", 2, 47, /second time/],
    [content("{{ $content | upcase }}"), "content", 2, 33, /no filter/],
    [content("{% if a %}{{ $content }}{% endif %}"), "content", 2, 43, /in a block/],
    [content("<mj-text>{{ $content }}</mj-text>"), "content", 2, 42, /directly in an mj-column/],
    [content('<mj-image src="{{ $content }}" />'), "content", 2, 48, /directly in an mj-column/],
    [
      content("{{ $content }}<mj-text>{{ $nobody }}</mj-text>"),
      "content",
      2,
      56,
      /unknown: there is/,
    ],
    [content("{{ $content }}{% if $brand_name %}{% endif %}"), "content", 2, 47, /filled in when/],
    [content("{{ $content }}{% if $nobody %}{% endif %}"), "content", 2, 47, /unknown/],
    [
      content("{{ $content }}<mj-text>{{ $brand_name | upcase }}</mj-text>"),
      "content",
      2,
      56,
      /no filter/,
    ],
    [content('{{ $content }}<mj-image src="{{ $logo_url }}" />'), "content", 2, 62, /no logo/],
    [
      content('{{ $content }}<mj-text css-class="{{ $address }}">a</mj-text>'),
      "content",
      2,
      67,
      /in text only/,
    ],
    [
      content("{{ $content }}<mj-text><!-- {{ $brand_name }} --></mj-text>"),
      "content",
      2,
      61,
      /comment/,
    ],
  ] as const) {
    const [fault] = layoutFaults({ content: null, ...layout });
    assert.ok(fault, JSON.stringify(layout));
    assert.deepEqual([fault.field, fault.line, fault.column], [field, line, column], fault.message);
    assert.match(fault.message, message);
  }
  assert.deepEqual(layoutFaults({ content: null, ...SETTINGS }), []);
  assert.deepEqual(
    layoutFaults({ content: platformLayout(SETTINGS as Layout, unsubscribeWords()), ...SETTINGS }),
    [],
  );
});

test("a layout is compiled before it is used; what is wrong stands where it was written", async () => {
  const check = async (layout: Partial<Layout>) =>
    (await checkLayout({ content: null, ...layout }, { owner: "acme" })).map(
      ({ field, line, column, message }) => [field, line, column, message] as const,
    );
  assert.deepEqual(await check({}), []);
  assert.deepEqual(await check(SETTINGS), []);
  assert.deepEqual(
    await check({ content: platformLayout({ content: null }, unsubscribeWords()) }),
    [],
  );
  const [unknown] = await check({ content: page("\n{{ $content }}\n<mj-nothing>a</mj-nothing>") });
  assert.deepEqual(unknown?.slice(0, 3), ["content", 4, 1]);
  assert.match(unknown?.[3] ?? "", /mj-nothing/);
  const [width] = await check({
    content: page('{{ $content }}\n<mj-text color="{{ w }}">a</mj-text>'),
  });
  assert.deepEqual(width?.slice(0, 3), ["content", 3, 17]);
  const [unclosed] = await check({ content: page("<mj-text>{{ $content }}") });
  assert.match(unclosed?.[3] ?? "", /directly in an mj-column|is not closed/);
  const [link] = await check({ footerText: "a\n[b](/c)" });
  assert.deepEqual(link?.slice(0, 3), ["footerText", 2, 3]);
});

test("a fault of the layout is told as one, whatever mail is compiled in it", async () => {
  const broken = page("{{ $content }}\n<mj-nothing>a</mj-nothing>");
  for (const [layout, line] of [
    [{ content: broken }, 3],
    [{ content: page("a") }, 1],
    [{ content: null, footerText: "[b](/c)" }, 1],
  ] as const) {
    const [fault] = await faultsOf(mailSource("a", { format: "markdown", layout }));
    assert.deepEqual([fault?.field, fault?.line], ["layout", line]);
  }
});

test("words stand out from what is behind them, whatever colours a tenant has", () => {
  const channel = ["00", "40", "80", "c0", "ff"];
  for (const red of channel) {
    for (const green of channel) {
      for (const blue of channel) {
        const color = `#${red}${green}${blue}`;
        assert.ok(contrast(textOn(color), color) >= READABLE, color);
        assert.ok(contrast(withContrast("#656d76", color), color) >= READABLE, color);
        assert.ok(contrast(withContrast(color, "#ffffff"), "#ffffff") >= READABLE, color);
        assert.ok(contrast(withContrast(color, "#1a1d21"), "#1a1d21") >= READABLE, color);
      }
    }
  }
});

test("a layout that says its footer thousands of times is refused before it is compiled", async () => {
  const content = page(`<mj-text>${"{{ $footer_text }}".repeat(9_000)}</mj-text>{{ $content }}`);
  const footerText = "[a](https://x.io)".repeat(230);
  const faults = await checkLayout({ content, footerText }, { owner: "acme" });
  assert.match(faults[0]?.message ?? "", /^too large/);
});

test("a mail that is too large for its layout is itself at fault", async () => {
  const content = "_a_ ".repeat(65_500);
  const [fault] = await faultsOf(mailSource(content, { format: "markdown" }));
  assert.equal(fault?.field, "content");
});
