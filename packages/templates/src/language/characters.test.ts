import assert from "node:assert/strict";
import { test } from "node:test";
import {
  cleanBody,
  cleanLine,
  cleanSms,
  countCharacters,
  isBlank,
  plainCharacters,
} from "./characters.ts";

test("a body keeps line ends and tabs and loses other control characters and lone surrogates", () => {
  assert.equal(cleanBody("a\u0000b\n\r\tc\u001b\u007f\ud800d"), "ab\n\r\tc\ufffdd");
  assert.equal(cleanBody("مرحبا 👩‍👩‍👧"), "مرحبا 👩‍👩‍👧");
});

test("a line holds no line end of any kind", () => {
  assert.equal(cleanLine("a\r\nBcc: x\u2028y\u0000\u0085z\udc00"), "a Bcc: x y z\ufffd");
});

test("a short message has single line ends and no tabs", () => {
  assert.equal(cleanSms("a\r\nb\tc"), "a\nb c");
});

test("a text says nothing without a letter, a digit, a symbol or an emoji that shows", () => {
  const blank = [
    "",
    " \n\t",
    "\u00a0\u2003",
    "\u200b\u2060\ufeff\u00ad",
    ": ",
    "…!?",
    "「」",
    "\u3164",
    "\u2800",
    "\ufe0f",
  ];
  assert.deepEqual(
    blank.filter((text) => !isBlank(text)),
    [],
  );
  const words = ["a", "7", "€", "+", "👍", "‼️", "❤", "ש", "注意", "…a", "½", "🇩🇪"];
  assert.deepEqual(words.filter(isBlank), []);
});

test("typographic characters become those of GSM-7, and others stay", () => {
  assert.equal(
    plainCharacters("“It’s” – 5\u202f€\u00a0… «ok»\u200b • 3‑4 − ‹x› `y´"),
    "\"It's\" - 5 € ... \"ok\" * 3-4 - 'x' 'y'",
  );
  for (const text of ["Grüße, ñ Ø @", "注意：请", "👩\u200d👧", "سلام\u200cها"]) {
    assert.equal(plainCharacters(text), text);
  }
});

test("characters are counted by code point", () => {
  assert.equal(countCharacters("a😀b"), 3);
  assert.equal(countCharacters(""), 0);
});
