import assert from "node:assert/strict";
import { test } from "node:test";
import { compiled, mailSource, message } from "../test/compiled.ts";
import type { CompileSettings, TemplateSource } from "./source.ts";
import { directionOf } from "./text-direction.ts";

type Email = Extract<TemplateSource, { kind: "email" }>;

async function mail(source: Partial<Email>, settings: Partial<CompileSettings>): Promise<string> {
  const template = await compiled(mailSource("", source), settings);
  return message(template, { items: [{ name: "a", n: 1 }], x: "v" }).html;
}

const page = (inside: string, root = "") => `<mjml${root}>${inside}</mjml>`;
const COLUMN =
  "<mj-text>{{ x }}</mj-text><mj-table><tr><td>a</td></tr></mj-table><mj-button href='https://x.io'>b</mj-button>";
const BODY = `<mj-body><mj-section><mj-column>${COLUMN}</mj-column></mj-section></mj-body>`;
const root = (html: string) => /<html lang="([^"]*)" dir="([^"]*)"/.exec(html)?.slice(1);

test("a language runs as its script does", () => {
  for (const one of [
    "ar",
    "ar-EG",
    "he",
    "iw",
    "fa",
    "ur",
    "yi",
    "dv",
    "az-Arab",
    "pa-PK",
    "ckb",
  ]) {
    assert.equal(directionOf(one), "rtl", one);
  }
  for (const one of ["en", "de", "ar-Latn", "az", "pa", "zh", "x", "", "{{x}}"]) {
    assert.equal(directionOf(one), "ltr", one);
  }
});

test("MJML says its language, and in Arabic its columns and words begin at the right", async () => {
  const arabic = await mail({ content: page(BODY) }, { locale: "ar" });
  assert.deepEqual(root(arabic), ["ar", "rtl"]);
  assert.match(arabic, /role="article" lang="ar" dir="rtl"/);
  assert.doesNotMatch(arabic, /direction:ltr|text-align:left|align="left"/);
  assert.match(arabic, /<td\s+align="right"[^>]*>\s*<div\s+style="[^"]*text-align:right/);
  const german = await mail({ content: page(BODY) }, { locale: "de-AT" });
  assert.deepEqual(root(german), ["de-AT", "ltr"]);
  const plain = await mail({ content: page(BODY) }, {});
  assert.equal(german.replace(/lang="de-AT" dir="ltr"/g, 'lang="und" dir="auto"'), plain);
  const own = await mail({ content: page(BODY) }, { defaultLocale: "he" });
  assert.deepEqual(root(own), ["he", "rtl"], "a default text is in its tenant's language");
  const named = await mail({ content: page(BODY) }, { defaultLocale: "he", locale: "fr" });
  assert.deepEqual(root(named), ["fr", "ltr"]);
});

test("what MJML says itself of its language and its sides stays", async () => {
  const head = "<mj-head><mj-attributes><mj-text align='center' /></mj-attributes></mj-head>";
  assert.match(await mail({ content: page(head + BODY) }, { locale: "ar" }), /text-align:center/);
  const all = "<mj-head><mj-attributes><mj-all align='center' /></mj-attributes></mj-head>";
  assert.doesNotMatch(await mail({ content: page(all + BODY) }, { locale: "ar" }), /align="right"/);
  assert.match(
    await mail({ content: page(`<mj-head />${BODY}`) }, { locale: "ar" }),
    /align="right"/,
  );
  const left = BODY.replace("<mj-text>", "<mj-text align='left'>");
  assert.match(await mail({ content: page(left) }, { locale: "ar" }), /text-align:left/);
  const own = await mail({ content: page(BODY, " lang='fa' owa='desktop'") }, { locale: "en" });
  assert.deepEqual(root(own), ["fa", "rtl"]);
  const both = await mail({ content: page(BODY, " lang='ar' dir='ltr'") }, { locale: "en" });
  assert.deepEqual(root(both), ["ar", "ltr"]);
  const tail = BODY.replace("<mj-text>", "<mj-text align='end'>");
  const button = tail.replace("<mj-button", "<mj-button align='start' text-align='end'");
  const [ltr, rtl] = [
    await mail({ content: page(button) }, {}),
    await mail({ content: page(button) }, { locale: "ar" }),
  ];
  assert.match(ltr, /<td\s+align="right"[^>]*>\s*<div/);
  assert.match(rtl, /<td\s+align="left"[^>]*>\s*<div/);
  assert.match(ltr, /<td\s+align="left"[^>]*>\s*<table/);
  assert.match(rtl, /<td\s+align="right"[^>]*>\s*<table/);
});

const SIMPLE = `# Title

- one

> quoted

| Item | Amount |
| --- | ---: |
{% for item in items %}
| {{ item.name }} | {{ item.n }} |
{% endfor %}

[Pay](https://x.io)
`;

test("simple mail in Arabic is the mirror of the one in English, in the platform's layout and a tenant's", async () => {
  const own = `<mjml lang="en"><mj-body><mj-section><mj-column>{{ $content }}</mj-column></mj-section></mj-body></mjml>`;
  for (const content of [null, own]) {
    const source = { content: SIMPLE, format: "markdown", layout: { content } } as const;
    const arabic = await mail(source, { locale: "ar" });
    assert.deepEqual(root(arabic), ["ar", "rtl"], "a layout serves all languages");
    assert.doesNotMatch(arabic, /direction:ltr/);
    const english = await mail(source, { locale: "en" });
    for (const [there, here] of [
      ['<ul style="margin:0;padding:0 0 0 24px"', '<ul style="margin:0;padding:0 24px 0 0"'],
      ["padding:2px 0 2px 16px;border-left:3px", "padding:2px 16px 2px 0;border-right:3px"],
      [
        '<th scope="col" align="right" style="padding:0 0 8px 0',
        '<th scope="col" align="left" style="padding:0 0 8px 0',
      ],
      [
        '<td align="left" style="padding:10px 12px 10px 0',
        '<td align="right" style="padding:10px 0 10px 12px',
      ],
    ] as const) {
      assert.ok(english.includes(there) && !english.includes(here), there);
      assert.ok(arabic.includes(here) && !arabic.includes(there), here);
    }
    assert.match(arabic, /<td\s+align="right" class="button"/);
    assert.match(english, /<td\s+align="left" class="button"/);
  }
});

test("plain text says its language in its page, and HTML stays as its author wrote it", async () => {
  const text = await mail({ content: "Hi {{ x }}" }, { locale: "ar" });
  assert.match(text, /^<!doctype html><html lang="ar">.*<div dir="rtl" style/);
  assert.match(await mail({ content: "Hi" }, {}), /<html><head>.*<div dir="auto" style/);
  assert.equal(await mail({ content: "<p>Hi</p>" }, { locale: "ar" }), "<p>Hi</p>");
});
