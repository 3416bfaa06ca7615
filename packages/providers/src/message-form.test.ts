import assert from "node:assert/strict";
import test from "node:test";
import { namedAddress } from "./message-form.ts";

test("an address stands with its name as mail has it: quoted, or in encoded words", () => {
  const cases: [string, string | undefined, string][] = [
    ["shop@example.com", undefined, "shop@example.com"],
    ["shop@example.com", "The Shop, Inc.", '"The Shop, Inc." <shop@example.com>'],
    ["shop@example.com", 'a "b" \\c', '"a \\"b\\" \\\\c" <shop@example.com>'],
    ["laden@bücher.example", "Bücher", "=?UTF-8?B?QsO8Y2hlcg==?= <laden@xn--bcher-kva.example>"],
    // Mail clients would decode it.
    ["a@b.example", "=?UTF-8?B?RXZl?=", "=?UTF-8?B?PT9VVEYtOD9CP1JYWmw/PQ==?= <a@b.example>"],
  ];
  for (const [address, name, written] of cases) assert.equal(namedAddress(address, name), written);
  const long = namedAddress("a@b.example", "größer ".repeat(30));
  const words = long.replace(" <a@b.example>", "").split(" ");
  const texts = words.map((word) => {
    assert.ok(word.length <= 75, "RFC 2047, 2");
    return Buffer.from(/^=\?UTF-8\?B\?(.*)\?=$/.exec(word)?.[1] ?? "", "base64").toString();
  });
  assert.equal(texts.join(""), "größer ".repeat(30));
});
