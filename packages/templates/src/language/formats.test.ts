import assert from "node:assert/strict";
import { test } from "node:test";
import { compiled, message } from "../../test/compiled.ts";
import { createRenderer, type RenderSettings } from "../render.ts";
import { parseVariables } from "./event-variables.ts";
import { readDate } from "./formats.ts";

async function written(content: string, variables: string, settings: RenderSettings = {}) {
  return (await rendered(content, variables, settings)).body;
}

async function rendered(content: string, variables: string, settings: RenderSettings = {}) {
  const template = await compiled({ kind: "notification", title: "T", content });
  return message(template, parseVariables(variables) ?? {}, settings);
}

const MOMENT = Date.UTC(2026, 10, 25, 12, 21, 1);

test("a moment is read as databases and languages write it, whatever its zone", async () => {
  for (const text of [
    "2026-11-25T12:21:01Z",
    "2026-11-25t12:21:01.5z",
    "2026-11-25 12:21:01.123+00",
    "2026-11-25 17:51:01.123456+05:30",
    "2026-11-25 12:21:01 UTC",
    "2026-11-25 14:21:01 +0200",
    "2026-11-25T12:21:01.123456789Z",
    "2026-11-25T13:21:01.123456789+01:00[Europe/Berlin]",
    "2026-11-25T12:21:01Z[UTC]",
    "2026-11-25 12:21:01 +0000 UTC",
    "2026-11-25 13:21:01.999999999 +0100 CET m=+0.000012345",
    "2026-11-25 15:21:01 +0300 +03",
    "2026/11/25 12:21:01 UTC",
    "Wed, 25 Nov 2026 12:21:01 +0000",
    "Wed, 25 Nov 2026 04:21:01 -0800 (PST)",
    "25 Nov 2026 12:21:01 GMT",
    "Wed Nov 25 12:21:01 UTC 2026",
    "Wed Nov 25 13:21:01 GMT+01:00 2026",
    "Wed Nov 25 2026 13:21:01 GMT+0100 (Central European Standard Time)",
    " 2026-11-25T12:21:01Z\n",
  ]) {
    assert.deepEqual(readDate(text), { at: MOMENT, hasZone: true }, text);
  }
  for (const text of [
    "2026-11-25 12:21:01",
    "2026-11-25T12:21:01.123",
    "Wed Nov 25 12:21:01 2026",
  ]) {
    assert.deepEqual(readDate(text), { at: MOMENT, hasZone: false }, text);
  }
});

test("a date that may be another day or is in a zone that may be another is not guessed", () => {
  for (const text of [
    "01/02/2026",
    "1.2.2026",
    "25 Nov 26 12:21:01 GMT",
    "2026-11-25 12:21:01 CST",
    "Wed Nov 25 12:21:01 IST 2026",
    "Tue, 25 Nov 2026 12:21:01 +0000",
    "2026-11-31T12:21:01Z",
    "2026-11-25 25:21:01+00",
    "2026-11-25T12:21:01[Europe/Berlin]",
    "2026-11/25",
    "next Friday",
    "infinity",
    `${"2026-11-25 12:21:01 UTC".repeat(10)}`,
    `Wed, 25 Nov 2026 12:21:01 ${"(".repeat(40)}`,
  ]) {
    assert.equal(readDate(text), undefined, text);
  }
});

test("a value that a formatter cannot read is inserted unchanged, with a warning that does not contain the value", async () => {
  for (const [tag, value, text, warning] of [
    ["date", '"01/02/2026"', "01/02/2026", "v as a date"],
    ["date", '["2026-11-22"]', '["2026-11-22"]', "v as a date"],
    ["number", '"12 apples"', "12 apples", "v as a number"],
    ["number", '" 1234 "', "1,234", undefined],
    ['money: "EUR"', '"1,5"', "1,5", "v as a number"],
    ["money: c", "5", "$5.00", undefined],
    ["money: d", "5", "€5.00", undefined],
    ["money: gone", "5", "5", "the currency of v"],
    ["money: bad", "5", "5", "the currency of v"],
    ["date", "null", "", undefined],
    ["date", '""', "", undefined],
    [
      'plural: one: "a", other: "b"',
      '"many"',
      "b",
      'cannot read v as a number: used the form "other"',
    ],
  ] as const) {
    const variables = `{"v":${value},"c":"usd","d":" EUR","bad":"€"}`;
    const { body, warnings } = await rendered(`{{ v | ${tag} }}`, variables);
    assert.equal(plain(body), text, `${tag} ${value}`);
    const words = warning?.includes(":") ? warning : `cannot read ${warning}: inserted unchanged`;
    assert.deepEqual(warnings, warning === undefined ? undefined : [words], `${tag} ${value}`);
  }
});

test("of a list with many unreadable values each name is told once", async () => {
  const list = Array.from({ length: 500 }, (_, n) => `{"at":"day ${n}"}`).join();
  const { warnings } = await rendered(
    "{% for i in l %}{{ i.at | date }}{% endfor %}",
    `{"l":[${list}]}`,
  );
  assert.deepEqual(warnings, ["cannot read i.at as a date: inserted unchanged"]);
});

/** Replaces non-breaking blanks, which differ between versions of ICU. */
const plain = (text: string): string => text.replace(/\p{Zs}/gu, " ");

test("dates are written in the language and the zone, and moved by no zone without a time or a zone", async () => {
  for (const [tag, value, settings, text] of [
    ["date", '"2026-11-22"', {}, "Nov 22, 2026"],
    [
      'date: "long"',
      '"2026-11-22"',
      { locale: "de", timeZone: "Pacific/Honolulu" },
      "22. November 2026",
    ],
    [
      'date: "short", "short"',
      '"2026-11-22T23:30:00Z"',
      { locale: "de", timeZone: "Asia/Tokyo" },
      "23.11.26, 08:30",
    ],
    [
      'date: "short", "short"',
      '"2026-11-22T23:30"',
      { locale: "de", timeZone: "Asia/Tokyo" },
      "22.11.26, 23:30",
    ],
    ['date: "time"', '"2026-11-22 10:05:00+0200"', { locale: "de" }, "08:05"],
    ['date: "time"', "1763805600", { locale: "de", timeZone: "Europe/Berlin" }, "11:00"],
    ['date: "full"', "1763805600000", { locale: "fr" }, "samedi 22 novembre 2025"],
    ["date", '"2026-02-30"', {}, "2026-02-30"],
    ["date", '"2026-02-30T10:00:60Z"', {}, "2026-02-30T10:00:60Z"],
    ["date", '"2026-11-25T10:00:00+99:99"', {}, "2026-11-25T10:00:00+99:99"],
    ["date", '"2026-11-25 10:00:00+00 BC"', {}, "2026-11-25 10:00:00+00 BC"],
    ["date", '"tomorrow"', {}, "tomorrow"],
    ["date", "2026", {}, "2026"],
    ["date", "null", {}, ""],
    ["date", '["2026-11-22"]', {}, '["2026-11-22"]'],
  ] as const) {
    assert.equal(
      plain(await written(`{{ d | ${tag} }}`, `{"d":${value}}`, settings)),
      text,
      `${tag} ${value}`,
    );
  }
});

test("numbers keep their digits, amounts have those of their currency", async () => {
  for (const [tag, value, locale, text] of [
    ["number", "1234567.10", "en", "1,234,567.10"],
    ["number", "12345678901234567890.123456789", "de", "12.345.678.901.234.567.890,123456789"],
    ["number: 0", "2.5", "en", "3"],
    ["number: 2", '"1000"', "de", "1.000,00"],
    ["number", '"12 apples"', "en", "12 apples"],
    ["number", "1e3", "en", "1,000"],
    ["number", "1e999", "en", "1e999"],
    ['money: "EUR"', "19.9", "de", "19,90 €"],
    ['money: "JPY"', '"1234.5"', "en", "¥1,235"],
    ["money: c", "5", "en", "$5.00"],
    ["money: gone", "5", "en", "5"],
    ['money: "EUR"', "true", "en", "true"],
  ] as const) {
    const body = await written(`{{ n | ${tag} }}`, `{"n":${value},"c":"USD"}`, { locale });
    assert.equal(plain(body), text, `${tag} ${value} ${locale}`);
  }
});

test("letters change their case as the language of the variant has them", async () => {
  for (const [locale, upper, lower, capital] of [
    ["tr", "İSTANBUL", "ıstanbul", "İstanbul"],
    ["en", "ISTANBUL", "istanbul", "Istanbul"],
    ["xx-invalid-locale-", "ISTANBUL", "istanbul", "Istanbul"],
  ] as const) {
    const body = await written(
      "{{ a | upcase }} {{ b | downcase }} {{ a | capitalize }} {{ c | capitalize }}",
      JSON.stringify({ a: "istanbul", b: "ISTANBUL", c: "\u{10428}X" }),
      { locale },
    );
    assert.equal(body, `${upper} ${lower} ${capital} \u{10400}x`, locale);
  }
  const greek = await written("{{ a | upcase }} {{ a | capitalize }}", '{"a":"άγιος"}', {
    locale: "el",
  });
  assert.equal(greek, "ΑΓΙΟΣ Άγιος");
  const turkish = await compiled({ kind: "text", content: "{{ a | upcase }}" }, { locale: "tr" });
  assert.equal(message(turkish, { a: "i" }, { locale: "en" }).text, "İ");
});

test("a text is cut between characters as a reader sees them", async () => {
  const family = "👩\u200d👩\u200d👧";
  for (const [text, cut] of [
    [family.repeat(5), `${family.repeat(2)}…`],
    ["e\u0301te\u0301s d'Alger", "e\u0301t…"],
    ["🇩🇪🇫🇷🇮🇹🇯🇵", "🇩🇪🇫🇷…"],
    ["한국어입니다", "한국…"],
    ["नमस्ते जी", "नम…"],
    [`ab${family}`, `ab${family}`],
    ["abcd", "ab…"],
    ["abx\u0301", "abx\u0301"],
  ] as const) {
    assert.equal(
      await written('{{ t | truncate: 3, "…" }}', JSON.stringify({ t: text })),
      cut,
      text,
    );
  }
  const ends = await written(
    "{{ t | first }}|{{ t | last }}",
    JSON.stringify({ t: `${family}-e\u0301` }),
  );
  assert.equal(ends, `${family}|e\u0301`);
});

test("cutting texts of many joined characters comes to the end of the message's steps", async () => {
  const content = "{% for i in l %}{{ t | truncate: 4000 | size }}{% endfor %}";
  const template = await compiled({ kind: "notification", title: "T", content });
  const variables = { l: Array.from({ length: 100 }, () => 0), t: "한".repeat(5_000) };
  const ended = createRenderer(template)(variables);
  assert.equal(!ended.ok && ended.code, "too-costly");
});

test("a word's form goes by its number and language", async () => {
  const forms = 'plural: one: "plik", few: "pliki", many: files, other: "pliku"';
  for (const [value, text] of [
    ["1", "plik"],
    ["3", "pliki"],
    ["5", "plików"],
    ["1.5", "pliku"],
    ['"5"', "plików"],
    ["null", "pliku"],
  ] as const) {
    const variables = `{"n":${value},"files":"plików"}`;
    assert.equal(await written(`{{ n | ${forms} }}`, variables, { locale: "pl" }), text, value);
  }
});

test("a language or a zone that there is none of is English and UTC, not the machine's", async () => {
  const settings = { locale: "xx-invalid-locale-", timeZone: "Mars/Olympus" };
  const body = await written(
    '{{ d | date: "short", "short" }} {{ n | number }}',
    '{"d":"2026-11-22T10:00Z","n":1.5}',
    settings,
  );
  assert.equal(plain(body), "11/22/26, 10:00 AM 1.5");
});

test("in a short message no blank doubles its price", async () => {
  const content = '{{ n | money: "EUR" }} {{ n | number }} {{ d | date: "time" }} {{ own }}';
  const french = await compiled({ kind: "text", content }, { locale: "fr" });
  const { text, encoding } = message(french, { n: 12345.5, d: "2026-11-22T10:00Z", own: "x" });
  assert.equal(text, "12 345,50 € 12 345,5 10:00 x");
  assert.equal(encoding, "GSM-7");
});
