import assert from "node:assert/strict";
import test from "node:test";
import { OPT_WORDS, optKeyword } from "./inbound.ts";

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
const FORMS: readonly ((word: string) => string)[] = [
  ...[(word: string) => word, (word: string) => word.toUpperCase(), capitalized],
  ...[(word: string) => `  ${word}\r\n`, (word: string) => `\u00a0${word} .`],
  ...[(word: string) => `${word}.`, (word: string) => `${word}!!`, (word: string) => `${word}?`],
  (word: string) => word.replace(" ", "  \t"),
  // Quotes, brackets, hyphens.
  ...[(word: string) => `"${word}"`, (word: string) => `“${word}.”`, (word: string) => `«${word}»`],
  ...[(word: string) => `¡${word}!`, (word: string) => `'${word}'`, (word: string) => `(${word})`],
  ...["-", "\u2010", "\u2011", "\u2013"].map((sign) => (word: string) => word.replace(" ", sign)),
  (word: string) => `- ${word} -`,
  // Invisible characters, also inside a word.
  (word: string) => `\u200b${word}\ufeff`,
  (word: string) => `\u202a${word}\u202c`,
  (word: string) => word.replace(/^(..)/, "$1\u200b\u00ad"),
  // Emoji, also of several characters.
  ...["🛑", "✋🏽", "✋️", "👨‍👩‍👧", "🇫🇷", "❤️🙏"].map(
    (emoji) => (word: string) => `${word} ${emoji}`,
  ),
  (word: string) => `🛑${word}`,
  ...["™", "ℹ️", "Ⓜ️", "1️⃣"].map((sign) => (word: string) => `${word} ${sign}`),
  // Letters of another width.
  (word: string) =>
    word.replaceAll(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
];

test("a word of any language stops or starts in every form and case, if it is the whole message", () => {
  for (const { stop, start } of Object.values(OPT_WORDS)) {
    for (const form of FORMS) {
      for (const word of stop) assert.equal(optKeyword(form(word)), "stop", form(word));
      for (const word of start) assert.equal(optKeyword(form(word)), "start", form(word));
    }
  }
});

test("with accents, composed or not, a word is the same", () => {
  for (const word of ["ARRÊT", "arrêter", "Désabonner", "DÉSINSCRIPTION", "désinscrire"]) {
    assert.equal(optKeyword(word), "stop", word);
    assert.equal(optKeyword(word.normalize("NFD")), "stop", word);
  }
});

test("no word stands for both, and each is found as it is written", () => {
  const words = Object.values(OPT_WORDS).flatMap(({ stop, start }) => [...stop, ...start]);
  assert.equal(new Set(words).size, words.length);
  for (const word of words) assert.match(word, /^[a-z]+(?: [a-z]+)*$/);
});

test("whatever says more, or something else, is for people to read", () => {
  for (const text of [
    ...["please stop calling", "stop it", "don't stop", "STOP HELP", "stop, please", "stop 1"],
    ...["start now", "unsubscribe me", "opt in", "Opt  me out", "HELP", "INFO", ""],
    ...[" ", ".", "!!!", "🛑", "\u200b", "st op", "s-t-o-p", "stoppt", "constructor", "__proto__"],
    ...["stop".repeat(1000), `stop${".".repeat(250)}`, `${" ".repeat(250)}stop`],
    ...["bitte stopp mich nicht", "Ich möchte mich abmelden", "no me den de baja", "arrêt de bus"],
    ...["STOP1", "1️⃣", "non", "alta baja", "Ende", "annuler"],
  ]) {
    assert.equal(optKeyword(text), undefined, text);
  }
});

test("a message of a hundred thousand blanks, dots or words is read at once", () => {
  for (const part of [" ", ".", "stop ", "!\n", "\u200b", "🛑"]) {
    assert.equal(optKeyword(`x${part.repeat(100_000)}x`), undefined);
  }
});
