import assert from "node:assert/strict";
import { test } from "node:test";
import { compiled, faultsOf, mailSource } from "../../test/compiled.ts";

const accepted = (content: string) => compiled(mailSource(content));
const faults = (content: string) => faultsOf(mailSource(content));

const IF = "{% if a %}";
const END = "{% endif %}";

test("a block holds text or whole elements, and may be a part of an attribute's value", async () => {
  for (const html of [
    `<p>${IF}a{% elsif b %}b{% else %}c${END}</p>`,
    `${IF}<p>a<br>b<img src="https://x.io/a.png" alt=""></p><hr/>${END}<p>b</p>`,
    `<p>unclosed ${IF}<b>a</b>${END}`,
    `<table><tr><th>a</th></tr>{% for x in l %}<tr><td>{{x}}</td></tr>{% else %}<tr><td>none</td></tr>{% endfor %}</table>`,
    `<ul>{% for x in l %}<li>{% unless forloop.last %}<i>{{x}}</i>{% endunless %}</li>{% endfor %}</ul>`,
    `<p title="a ${IF}{{x}}{% else %}b${END}">a</p>`,
    `<p class='${IF}a${END}'>a</p>`,
    `<p title="${IF}<b>${END}">a</p>`,
    `${IF}<a href="{{u}}">{{x}}</a>{% else %}<a href="https://x.io/{{u}}" style="color:{{c}}">b</a>${END}`,
    `<title>${IF}a${END}</title><p>b</p>`,
    `<textarea>${IF}a${END}</textarea>`,
    `${IF}<svg><path d="M0"/></svg>${END}<p>a</p>`,
    `${IF}<style>a{}</style><script>1<2</script>${END}<p>a</p>`,
    `${IF}<!-- note --><p>a</p>${END}`,
    `<!--[if mso]>${IF}<p>a</p>${END}<![endif]--><p>b</p>`,
    `${IF}<!--[if mso | IE]><table><tr><td><![endif]--><p>a</p><!--[if mso | IE]></td></tr></table><![endif]-->${END}`,
    `${IF}<!--[if !mso]><!--><p>a</p><!--<![endif]-->${END}`,
    `${IF}<![if !mso]><p>a</p><![endif]>${END}`,
    `<p>a</p> {%- if a -%} <p>b</p> {%- endif -%} <p>c</p>`,
    `<p>a - ${IF}b${END}</p>`,
  ]) {
    await accepted(html);
  }
});

/** Returns the first fault of a document with this second line. A bar marks the place. */
async function firstFault(marked: string, before = "<p>a</p>", behind = ""): Promise<string> {
  const html = marked.replace("¦", "");
  const [fault] = await faults(`${before}\n${html}\n${behind}`);
  assert.deepEqual([fault?.line, fault?.column], [2, marked.indexOf("¦") + 1], html);
  return fault?.message ?? "";
}

test("a block that would tear elements apart is refused at the element", async () => {
  for (const [html, reason] of [
    [`${IF}¦<a href="https://x.io">${END}b`, /^<a> is not closed before \{% endif %\}/],
    [`<a>${IF}b¦</a>${END}`, /^<\/a> closes nothing that is open in this part of the block/],
    [`${IF}¦<b>x{% else %}</b>${END}`, /^<b> is not closed before \{% else %\}/],
    [`{% for x in l %}¦<li>{{x}}{% endfor %}`, /^<li> is not closed before \{% endfor %\}/],
    [`${IF}<b><i>¦</b></i>${END}`, /^<\/b> closes nothing/],
    [`${IF}¦<div/>${END}<p>a</p>`, /^<div\/> is not closed/],
    [`${IF}¦<title>a${END}`, /^<title> is not closed/],
    [`${IF}<!--[if mso]>¦<td><![endif]-->${END}`, /^<td> is not closed/],
    [`${IF}¦<!--[if !mso]><!-->${END}a<!--<![endif]-->`, /^<!--\[if …\]> is not closed/],
    [`<!--[if !mso]><!-->${IF}a¦<!--<![endif]-->${END}`, /^<!\[endif\]> closes nothing/],
    [`<b>${IF}{% for x in l %}¦</b>{% endfor %}${END}`, /^<\/b> closes nothing/],
  ] as const) {
    assert.match(await firstFault(html), reason, html);
  }
});

test("a block in an address, a style, a name, raw text or a comment is refused with what to do", async () => {
  for (const [before, behind, reason] of [
    [`<a href="`, `">`, /a block cannot stand in href: put it around the whole element, once with/],
    [`<img src='https://x.io/`, `'>`, /cannot stand in src/],
    [`<img srcset="`, `">`, /cannot stand in srcset/],
    [`<td background="`, `">`, /cannot stand in background/],
    [`<p style="color:`, `">`, /cannot stand in style: .* each style/],
    [`<p onclick="`, `">`, /a block cannot stand in the attribute onclick/],
    [`<iframe title="`, `"></iframe>`, /a block cannot stand in an attribute of <iframe>/],
    ["<p title=", ">", /needs quotes around the block/],
    ["<p ", ">", /a block cannot stand among an element's attributes: put it around/],
    ["<p", ">", /a block cannot be part of an element's name/],
    ["<", ">", /an element's name/],
    ["</", "p>", /an element's name/],
    ["<style>", "</style>", /a block cannot stand inside <style>/],
    ["<script>", "</script>", /inside <script>/],
    ["<plaintext>", "", /inside <plaintext>/],
    ["<!-- ", " -->", /a block cannot stand in a comment/],
    ["<!--", "-->", /in a comment/],
    ["<![CDATA[", "]]>", /in a comment/],
    ["<!doctype ", ">", /in a comment/],
    ["<!--[if ", "]><![endif]-->", /in a comment/],
    ["<!--[if mso]>-", "->a<![endif]-->", /behind a hyphen in a comment/],
    ["<!--[if mso]>--", ">a<![endif]-->", /behind a hyphen in a comment/],
    ["<!--[if mso]>--!", ">a<![endif]-->", /behind a hyphen in a comment/],
    ["<!--[if mso]>-{{x}}", "->a<![endif]-->", /behind a hyphen in a comment/],
    // The blanks that a tag trims belong to it.
    ["< {%- if x -%} b{% endif %}", "", /an element's name/],
  ] as const) {
    const html = `<p>a</p>${before}${IF}a${END}${behind}`;
    assert.match((await faults(html))[0]?.message ?? "", reason, html);
  }
});

test("a block begins and ends in one place", async () => {
  for (const html of [
    `<p title="${IF}">a${END}</p>`,
    `${IF}<p title="${END}">`,
    `<p title="${IF}" class="${END}">a</p>`,
    `${IF}<p title="a{% else %}"></p>${END}`,
    `<!--[if mso]>${IF}<![endif]-->a${END}`,
    `${IF}<!--[if mso]>${END}<![endif]-->`,
    `<!--[if mso]>${IF}<![endif]--><!--[if mso]>${END}<![endif]-->`,
    `${IF}<!-- ${END} -->`,
    `${IF}<style>${END}</style>`,
    `${IF}<b title="a>${END}`,
    `${IF}a <${END}script>`,
  ]) {
    const [fault] = await faults(`<p>a</p>${html}`);
    assert.match(
      fault?.message ?? "",
      /must stand in the same|cannot stand|cannot be part|closed|closes|needs quotes/,
      html,
    );
  }
  assert.match(
    (await faults(`<p title="${IF}">a${END}</p>`))[0]?.message ?? "",
    /^\{% endif %\} and its \{% if %\} must stand in the same place/,
  );
  assert.match(
    (await faults(`<p>a</p><!--[if mso]>${IF}a<![endif]-->a${END}`)).at(-1)?.message ?? "",
    /^\{% endif %\} and its \{% if %\} must stand in the same comment for Outlook/,
  );
});

test("a block that is only half in the text part is refused", async () => {
  // The paragraph ends where the div begins, so that only the block's beginning is hidden.
  const hidden = `<p style="display:none">${IF}<div>x</div>¦${END}</p>`;
  assert.match(await firstFault(hidden), /this block does not survive here as a whole/);
  await accepted(`<div style="display:none">${IF}<div>x</div>${END}</div><p>a</p>`);
});

const page = (body: string, head = "") => `<mjml>${head}<mj-body>\n${body}\n</mj-body></mjml>`;
const section = (inner: string) => `<mj-section><mj-column>${inner}</mj-column></mj-section>`;
const FOR = "{% for x in l %}";
const ENDFOR = "{% endfor %}";
const TEXT = "<mj-text>a {{x}}</mj-text>";

test("MJML carries blocks through between its elements, and in what they hold", async () => {
  for (const mjml of [
    page(`${FOR}${section(TEXT)}${ENDFOR}`),
    page(`${IF}${section(TEXT)}{% else %}${section(TEXT)}${section(TEXT)}${END}${section(TEXT)}`),
    page(`<mj-wrapper>${FOR}${section(TEXT)}${ENDFOR}</mj-wrapper>`),
    page(`<mj-wrapper>${IF}<mj-hero>${TEXT}</mj-hero>${END}</mj-wrapper>`),
    page(`<mj-hero>${FOR}${TEXT}${ENDFOR}</mj-hero>`),
    page(
      `<mj-hero mode="fluid-height">${TEXT}</mj-hero>${IF}<mj-hero mode="fluid-height">${TEXT}</mj-hero>${END}`,
    ),
    page(section(`${FOR}${TEXT}<mj-image src="{{x}}" />${ENDFOR}`)),
    page(section(`{%- for x in l -%}\n ${TEXT}\n {%- else -%} <mj-divider /> {%- endfor -%}`)),
    page(section(`<mj-text>${FOR}<p>{{x}}</p>${ENDFOR}</mj-text>`)),
    page(section(`<mj-table><tr><th>h</th></tr>${FOR}<tr><td>{{x}}</td></tr>${ENDFOR}</mj-table>`)),
    page(section(`<mj-button href="{{u}}">${IF}a{% else %}b${END}</mj-button>`)),
    page(section(`${IF}<mj-button href="{{u}}">a</mj-button>${END}`)),
    page(section(`<mj-text css-class="${IF}a${END}">a</mj-text>`)),
    page(
      section(
        `${IF}<mj-social><mj-social-element href="{{u}}" src="https://x.io/a.png">a</mj-social-element></mj-social>${END}`,
      ),
    ),
    page(
      section(
        `${IF}<mj-navbar hamburger="hamburger"><mj-navbar-link href="{{u}}">a</mj-navbar-link></mj-navbar>${END}`,
      ),
    ),
    page(section(`${IF}<mj-raw><p>a</p></mj-raw>${END}`)),
    page(section(`<mj-raw>${IF}<p>a</p>${END}</mj-raw>`)),
    page(
      section(TEXT),
      `<mj-head><mj-title>${IF}a${END}</mj-title><mj-preview>${FOR}{{x}}${ENDFOR}</mj-preview></mj-head>`,
    ),
    page(
      `${FOR}${section(TEXT)}${ENDFOR}`,
      '<mj-head><mj-style inline="inline">td{color:red}</mj-style></mj-head>',
    ),
    page(
      `${FOR}<mj-section background-url="{{u}}" full-width="full-width"><mj-column>${TEXT}</mj-column></mj-section>${ENDFOR}`,
    ),
  ]) {
    const { html } = await accepted(mjml);
    const count = (text: string) => text.split(/\{%/).length;
    assert.ok(count(html) >= count(mjml), html);
  }
});

test("a block that MJML cannot carry through is refused at its place, with what to do", async () => {
  for (const [mjml, reason] of [
    [
      `<mj-section>¦${FOR}<mj-column>${TEXT}</mj-column>${ENDFOR}</mj-section>`,
      /\{% for %\} cannot stand directly in mj-section, as its columns share its width: put the block around the whole mj-section/,
    ],
    [
      `<mj-section><mj-group>¦${IF}<mj-column></mj-column>${END}</mj-group></mj-section>`,
      /directly in mj-group/,
    ],
    [
      section(
        `<mj-social>¦${IF}<mj-social-element src="a">a</mj-social-element>${END}</mj-social>`,
      ),
      /directly in mj-social: put the block around the whole mj-social/,
    ],
    [
      section(`<mj-navbar>¦${IF}<mj-navbar-link>a</mj-navbar-link>${END}</mj-navbar>`),
      /directly in mj-navbar/,
    ],
    [section(`${IF}¦<mj-text>a${END}</mj-text>`), /<mj-text> is not closed before \{% endif %\}/],
    [
      `<mj-raw>${IF}¦</mj-raw>${section(TEXT)}<mj-raw>${END}</mj-raw>`,
      /<\/mj-raw> closes nothing .*: mj-raw is not needed/,
    ],
    [`${IF}¦<mj-section><mj-column>${END}</mj-column></mj-section>`, /<mj-section> is not closed/],
    [section(`<mj-button href="¦${IF}a${END}">a</mj-button>`), /cannot stand in href/],
    [section(`<mj-text color="¦${IF}red${END}">a</mj-text>`), /color/],
    [
      `<mj-section background-url="¦${IF}a${END}"><mj-column></mj-column></mj-section>`,
      /cannot stand in (?:style|background|src)|attribute/,
    ],
    [section(`<mj-text font-family="¦${IF}a${END}">a</mj-text>`), /cannot stand in style/],
    [section(`<mj-text><!-- ¦${IF}a${END} --></mj-text>`), /comment/],
    [section(`<mj-spacer>¦${IF}a${END}</mj-spacer>`), /does not survive|directly in mj-spacer/],
  ] as const) {
    assert.match(await firstFault(mjml, "<mjml><mj-body>", "</mj-body></mjml>"), reason, mjml);
  }
  const head = (inner: string) => faults(page(section(TEXT), `<mj-head>${inner}</mj-head>`));
  assert.match(
    (await head(`<mj-attributes><mj-all css-class="${IF}a${END}" /></mj-attributes>`))[0]
      ?.message ?? "",
    /attribute css-class in mj-attributes/,
  );
  assert.match(
    (await head(`${IF}<mj-title>a</mj-title>${END}`))[0]?.message ?? "",
    /directly in mj-head/,
  );
  assert.match((await head(`<mj-style>${IF}a{}${END}</mj-style>`))[0]?.message ?? "", /mj-style/);
});
