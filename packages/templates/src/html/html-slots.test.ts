import assert from "node:assert/strict";
import { test } from "node:test";
import { beginRendering } from "../language/rendering.ts";
import { scanTags } from "../language/tags.ts";
import { htmlSlots } from "./html-slots.ts";

const slots = (html: string) => htmlSlots(html, scanTags(html).tags);

/** Returns the text that a value becomes at the document's last tag. */
function written(html: string, value: string): string {
  const slot = slots(html).at(-1);
  assert.ok(slot && "write" in slot, `${html} is refused: ${JSON.stringify(slot)}`);
  return slot.write(value, beginRendering());
}

function refusal(html: string): string {
  const slot = slots(html).at(-1);
  assert.ok(slot && "refused" in slot, `${html} is not refused`);
  return slot.refused;
}

const ATTACK = `"'><script>alert(1)</script>-->`;
const ESCAPED = "&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;--&gt;";

test("text and quoted attributes are escaped", () => {
  for (const html of [
    "<p>{{x}}</p>",
    "{{x}}",
    "<p title='{{x}}'>",
    '<p title = "a {{x}}">',
    "<title>{{x}}</title>",
    "<textarea>{{x}}</textarea>",
    "a < b {{x}}",
    "<!-- c --><b>{{x}}</b>",
    "<!--> {{x}} -->",
    "<!---> {{x}} -->",
    "<!-- a --!> {{x}}",
    "<style>a{}</style>{{x}}",
    "<script>1<2</script><p>{{x}}</p>",
    "<script><!-- --><script></script>{{x}}",
    "<script><!--><script></script>{{x}}",
    "<svg><style><![CDATA[ a{} ]]></style></svg>{{x}}",
  ]) {
    assert.equal(written(html, ATTACK), ESCAPED, html);
  }
});

test("addresses let only safe schemes begin them", () => {
  for (const html of [
    '<a href="{{x}}">',
    "<a href=' {{x}} '>",
    '<A HREF="{{x}}">',
    '<img src="{{x}}">',
    '<form action="{{x}}">',
    '<button formaction="{{x}}">',
    '<td background="{{x}}">',
    '<video poster="{{x}}">',
    '<use xlink:href="{{x}}">',
    '<img srcset="a.png 1x, {{x}} 2x">',
    '<!--[if mso]><v:roundrect href="{{x}}"><![endif]-->',
  ]) {
    assert.equal(written(html, "java\tscript:alert(1)"), "#", html);
    assert.equal(written(html, "https://x.io/?a=b&c=d"), "https://x.io/?a=b&amp;c=d", html);
  }
});

test("inside an address a value cannot break out", () => {
  assert.equal(written('<a href="https://x.io/?q={{x}}">', '"> <b'), "%22%3E%20%3Cb");
  assert.equal(written('<a href="{{base}}/{{x}}">', "javascript:a"), "javascript:a");
  assert.equal(written('<a href="mailto:{{x}}">', "a@x.io"), "a@x.io");
  assert.equal(written('<img srcset="https://x.io/{{x}} 1x">', "a, b"), "a%2C%20b");
});

test("a variable that could complete a scheme is refused", () => {
  for (const html of [
    '<a href="java{{x}}">',
    '<a href="javascript:{{x}}">',
    '<a href="&#106;ava{{x}}">',
    '<a href="\tjavascript:{{x}}">',
    '<img src="data:{{x}}">',
    '<img srcset="a.png 1x, java{{x}} 2x">',
  ]) {
    assert.match(refusal(html), /must begin the address/, html);
  }
});

test("scripts, styles, handlers, srcdoc, comments, names and unquoted values are refused", () => {
  for (const [html, reason] of [
    ["<script>var a = '{{x}}'</script>", /inside <script>/],
    ["<SCRIPT>{{x}}</SCRIPT>", /inside <script>/],
    ["<script><!--<script></script>{{x}}</script>", /inside <script>/],
    ["<style>.a{color:{{x}}}</style>", /inside <style>/],
    ["<style>{{x}}", /inside <style>/],
    ["<iframe>{{x}}</iframe>", /inside <iframe>/],
    ["<svg><title><a href='{{x}}'></title></svg>", /inside <title>/],
    ["<svg><title><style></title>{{x}}", /inside <title>/],
    ["<math><title><style></title>{{x}}", /inside <title>/],
    ["<svg><![CDATA[ > <b title='{{x}}'> ]]>", /comment/],
    ['<p onclick="f({{x}})">', /onclick/],
    ['<p OnMouseOver="{{x}}">', /onmouseover/],
    ['<iframe srcdoc="{{x}}">', /srcdoc/],
    ['<iframe src="{{x}}">', /<iframe>/],
    ['<base href="{{x}}">', /<base>/],
    ['<meta http-equiv="refresh" content="0;url={{x}}">', /<meta>/],
    ['<link href="{{x}}">', /<link>/],
    ['<animate to="{{x}}">', /<animate>/],
    ["<!-- {{x}} -->", /comment/],
    ["<!-- {{x}}", /comment/],
    ["<!doctype {{x}}>", /comment/],
    ["<? {{x}} >", /comment/],
    ["<!--[if {{x}}]> a <![endif]-->", /comment/],
    ["<!--[if mso]><style>{{x}}</style><![endif]-->", /<style>/],
    ["<p title={{x}}>", /quotes/],
    ["<a href= {{ x }}>", /quotes/],
    ['<p title="{{x}}', /quotes/],
    ["<{{x}}>", undefined],
    ["<p{{x}}>", /element name/],
    ["</p{{x}}>", /element name/],
    ["<p {{x}}>", /attribute name/],
    ['<p {{x}}="a">', /attribute name/],
    ['<p a="b"{{x}}>', /attribute name/],
    ["<p/{{x}}>", /attribute name/],
  ] as const) {
    if (reason) assert.match(refusal(html), reason, html);
    else refusal(html);
  }
});

test("blanks that are none to HTML end no name and no value", () => {
  for (const blank of ["\u00a0", "\u3000", "\u2028", "\ufeff", "\u000b"]) {
    assert.match(refusal(`<a title=${blank}"{{x}}">`), /quotes/);
    assert.match(refusal(`<a title${blank}="{{x}}"${blank}{{y}}>`), /attribute name/);
    assert.match(refusal(`<a${blank}title="{{x}}">`), /element name/);
    assert.match(refusal(`<style></style${blank}>{{x}}</style>`), /inside <style>/);
  }
});

test("in a style attribute only plain values of a property survive", () => {
  assert.equal(written('<p style="color:{{x}}">', "#ff0000"), "#ff0000");
  assert.equal(written('<p style="a:b; width: {{x}}">', "12.5px"), "12.5px");
  for (const value of ["red;position:fixed", "url(x)", "expression(1)", "a\\b", '"', "a/*"]) {
    assert.equal(written('<p style="color:{{x}}">', value), "", value);
  }
  assert.match(refusal('<p style="{{x}}">'), /property's value/);
  assert.match(refusal('<p style="a:b;{{x}}:c">'), /property's value/);
  assert.match(refusal('<p style="width:expression({{x}})">'), /property/);
});

test("url(…) of a style takes http and https only and cannot be left", () => {
  const html = `<td style="background:url('{{x}}') top">`;
  assert.equal(written(html, "https://x.io/a.png?b&c"), "https://x.io/a.png?b&amp;c");
  assert.equal(written(html, "javascript:alert(1)"), "");
  assert.equal(written(html, "https://x.io/') , url(x"), "https://x.io/%27%29%20,%20url%28x");
  assert.equal(written('<td style="background:url(https://x.io/{{x}})">', "a)b;c"), "a%29b%3Bc");
});

test("the value of a parameter keeps its plus sign, and does not end at an ampersand", () => {
  for (const [href, value, expected] of [
    ["https://x.io/?email={{x}}", "ann+news@x.io", "ann%2Bnews@x.io"],
    ["https://x.io/?a=1&amp;name={{x}}&amp;b=2", "Tom & Jerry #1", "Tom%20%26%20Jerry%20%231"],
    ["mailto:a@x.io?subject={{x}}", "1+1", "1%2B1"],
    ["{{a}}?next={{x}}", "https://y.io/?a=1&b=2", "https://y.io/?a=1%26b=2"],
    ["https://x.io/?a={{x}}", "a%2Bb", "a%2Bb"],
    ["https://x.io/?a=user-{{x}}&amp;b=2", "c+d&e", "c%2Bd%26e"],
    ["https://x.io/?to={{a}}@{{x}}", "x+y.io", "x%2By.io"],
    ["https://x.io/?a=1&amp;{{x}}", "b=1+2&c=3", "b=1+2&amp;c=3"],
    ["https://x.io/?{{x}}", "a=1+2&b=2", "a=1+2&amp;b=2"],
    ["https://x.io/{{x}}", "a+b", "a+b"],
  ] as const) {
    assert.equal(written(`<a href="${href}">`, value), expected, href);
  }
});

test("a value inside a conditional comment of Outlook cannot end the comment", () => {
  const html = '<!--[if mso | IE]><td class="{{x}}">{{x}}</td><![endif]-->';
  const rendering = beginRendering();
  for (const slot of slots(html)) {
    assert.ok("write" in slot);
    assert.ok(!slot.write("--><script>--!>", rendering).includes(">"));
    for (const value of ["--", "-", "a--!", "--a", "---"]) {
      assert.doesNotMatch(`-${slot.write(value, rendering)}>`, /--!?>/, value);
    }
    assert.equal(slot.write("a-b-c", rendering), "a-b-c");
  }
});

test("ten thousand tags are classified", () => {
  const html = '<a href="{{a}}" style="color:{{b}}">{{c}}</a>'.repeat(3300);
  assert.equal(slots(html).length, 9900);
  const many = `<a href="${"{{a}}".repeat(9900)}">`;
  assert.equal(slots(many).length, 9900);
  const styled = `<a style="color:${"{{a}}".repeat(9900)}">`;
  assert.ok(slots(styled).some((slot) => "refused" in slot));
});
