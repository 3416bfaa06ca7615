import assert from "node:assert/strict";
import { test } from "node:test";
import { bestLocale, canonicalLocale, localeChain } from "./locale.ts";

test("a text is looked for in the locale, then in each wider one", () => {
  assert.deepEqual(localeChain("zh-Hant-TW"), ["zh-Hant-TW", "zh-Hant", "zh"]);
  assert.deepEqual(localeChain("de-AT"), ["de-AT", "de"]);
  assert.deepEqual(localeChain("es-419"), ["es-419", "es"]);
  assert.deepEqual(localeChain("de"), ["de"]);
});

test("one locale has one form, and that form is its own", () => {
  for (const text of [
    "DE-at",
    "iw",
    "zh-hant-tw",
    "sr-yu",
    "sh",
    "mo",
    "in",
    "aa-SU",
    "qqq-Zzzz-999",
  ]) {
    const canonical = canonicalLocale(text);
    assert.ok(canonical !== undefined, text);
    assert.equal(canonicalLocale(canonical), canonical, text);
  }
  assert.equal(canonicalLocale("de_AT"), undefined);
});

const BEST: [wanted: string, offered: string[], taken: string | undefined][] = [
  ["zh-CN", ["", "zh-Hans"], "zh-Hans"],
  ["zh-SG", ["", "zh-Hant", "zh-Hans"], "zh-Hans"],
  ["zh", ["", "zh-Hant", "zh-Hans"], "zh-Hans"],
  ["zh-TW", ["", "zh-Hant", "zh-Hans"], "zh-Hant"],
  ["zh-HK", ["", "zh-Hans", "zh-Hant"], "zh-Hant"],
  ["zh-MO", ["", "zh-Hant", "zh-HK"], "zh-HK"],
  ["zh-Hans", ["", "zh-CN", "zh-TW"], "zh-CN"],
  ["zh-Hant", ["", "zh-CN", "zh-TW"], "zh-TW"],
  ["zh-TW", ["", "zh-Hans"], undefined],
  ["no", ["", "nb", "nn"], "nb"],
  ["no-NO", ["", "nb"], "nb"],
  ["nb", ["", "no"], "no"],
  ["nn-NO", ["", "no"], "no"],
  ["nn", ["", "nb"], undefined],
  ["es-MX", ["", "es-419"], "es-419"],
  ["es-ES", ["", "es-419"], undefined],
  ["en-AU", ["", "en-001", "en-GB"], "en-001"],
  ["en-AT", ["", "en-001"], "en-001"],
  ["pt-AO", ["", "pt-BR", "pt-PT"], "pt-PT"],
  ["pt-MZ", ["", "pt-BR"], "pt-BR"],
  ["sr-ME", ["", "sr-Latn"], "sr-Latn"],
  ["sr-Latn", ["", "sr-Cyrl"], undefined],
  ["de-AT", ["", "de-DE"], "de-DE"],
  ["de", ["", "de-AT"], undefined],
  ["xx-Qaaa-ZZ", ["", "de"], undefined],
  // The chain goes first, and stays as it is.
  ["zh-TW", ["", "zh", "zh-Hant"], "zh"],
  ["es-MX", ["", "es", "es-419"], "es"],
  ["en-AU", ["", "en", "en-001"], "en"],
];

test("where the chain finds nothing, CLDR's parents and likely subtags do", () => {
  for (const [wanted, offered, taken] of BEST) {
    assert.equal(bestLocale(wanted, new Set(offered)), taken, `${wanted} of ${offered.join(" ")}`);
  }
});

test("any locale that is taken has a best one, and one of another script or language is none", () => {
  const offered = new Set(["", "de", "zh-Hans", "sr-Latn"]);
  for (const text of ["qqq-Zzzz-999", "und", "aa-SU", "ja", "zh-Hant", "sr-Cyrl-RS", "ar-EG"]) {
    const locale = canonicalLocale(text);
    assert.equal(locale && bestLocale(locale, offered), undefined, text);
  }
});
