import assert from "node:assert/strict";
import test from "node:test";
import { optKeyword } from "./inbound.ts";

const STOPS = [
  ...["STOP", "STOPALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT", "REVOKE", "OPTOUT", "opt out"],
];
const STARTS = ["START", "UNSTOP"];

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
const FORMS: readonly ((word: string) => string)[] = [
  ...[(word: string) => word, (word: string) => word.toLowerCase(), capitalized],
  ...[(word: string) => `  ${word}\r\n`, (word: string) => `\u00a0${word} .`],
  ...[(word: string) => `${word}.`, (word: string) => `${word}!!`],
  (word: string) => word.replace(" ", "  \t"),
];

test("a keyword stops or starts in every form and case, if it is the whole message", () => {
  for (const form of FORMS) {
    for (const word of STOPS) assert.equal(optKeyword(form(word)), "stop", form(word));
    for (const word of STARTS) assert.equal(optKeyword(form(word)), "start", form(word));
  }
});

test("whatever says more, or something else, is for people to read", () => {
  for (const text of [
    ...["please stop calling", "stop it", "don't stop", "STOP HELP", "stop?", "stop, please"],
    ...["start now", "unsubscribe me", "opt in", "opt-out", "Opt  me out", "HELP", "INFO", ""],
    ...[" ", ".", "!!!", "st op", "stopp", "ＳＴＯＰ", "stop\u0000", "constructor", "__proto__"],
    ...["stop".repeat(1000), `stop${".".repeat(50)}`, `${" ".repeat(100)}x`],
  ]) {
    assert.equal(optKeyword(text), undefined, text);
  }
});

test("a message of a hundred thousand blanks, dots or words is read at once", () => {
  for (const part of [" ", ".", "stop ", "!\n"]) {
    assert.equal(optKeyword(`x${part.repeat(100_000)}x`), undefined);
  }
});
