import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalLocale, localeChain } from "./locale.ts";

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
