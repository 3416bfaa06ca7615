import assert from "node:assert/strict";
import test from "node:test";
import { emailAddress, wireAddress } from "./addresses.ts";

test("every address that SMTP can carry is one, in one form", () => {
  for (const [given, stored] of [
    ["Ann.O'Hara+a/b@Example.com", "Ann.O'Hara+a/b@Example.com"],
    // Letters beyond ASCII, composed or not.
    ["jörg@example.com", "jörg@example.com"],
    ["jo\u0308rg@example.com", "jörg@example.com"],
    ["用户@例え.jp", "用户@xn--r8jz45g.jp"],
    ["अजय@डाटा.भारत", "अजय@xn--c2bd1gb.xn--h2brj9c"],
    ["💌@example.com", "💌@example.com"],
    // One domain, however it is written.
    ["ann@BÜCHER.example", "ann@xn--bcher-kva.example"],
    ["ann@bu\u0308cher。example", "ann@xn--bcher-kva.example"],
    ["ann@xn--bcher-kva.example", "ann@xn--bcher-kva.example"],
    // Dots as Japanese carriers gave them out.
    ["a..b@docomo.ne.jp", "a..b@docomo.ne.jp"],
    ["abc.@ezweb.ne.jp", "abc.@ezweb.ne.jp"],
    [".abc@docomo.ne.jp", ".abc@docomo.ne.jp"],
    // Quotes, where they are needed.
    ['"a..b"@docomo.ne.jp', "a..b@docomo.ne.jp"],
    ['"ann"@example.com', "ann@example.com"],
    ['"a b"@example.com', '"a b"@example.com'],
    ['"a@b, c;d"@example.com', '"a@b, c;d"@example.com'],
    ['"a\\"b\\\\c"@example.com', '"a\\"b\\\\c"@example.com'],
    // As long as they may be, in octets.
    [`${"l".repeat(64)}@b.example`, `${"l".repeat(64)}@b.example`],
    [`${"ö".repeat(32)}@b.example`, `${"ö".repeat(32)}@b.example`],
    [`a@${"b".repeat(63)}.example`, `a@${"b".repeat(63)}.example`],
  ] as const) {
    assert.equal(emailAddress(given), stored, given);
    assert.equal(emailAddress(stored), stored, "a stored form is its own");
  }
});

test("on the wire a local part whose dots are odd stands in quotes", () => {
  for (const [stored, written] of [
    ["a..b@docomo.ne.jp", '"a..b"@docomo.ne.jp'],
    ["abc.@docomo.ne.jp", '"abc."@docomo.ne.jp'],
    [".abc@docomo.ne.jp", '".abc"@docomo.ne.jp'],
    ["a.b@docomo.ne.jp", "a.b@docomo.ne.jp"],
    ['"a.. b"@example.com', '"a.. b"@example.com'],
    ["jörg@example.com", "jörg@example.com"],
  ] as const) {
    assert.equal(wireAddress(stored), written);
    assert.equal(emailAddress(written), stored);
  }
});

test("a long text is read at once", () => {
  for (const part of ["a", ".", "a.", "ö", '"', "\\", '\\"', "@", "a@", "-", "a-."]) {
    for (const text of [part.repeat(100_000), `"${part.repeat(60)}`, `a@${part.repeat(120)}!`]) {
      assert.equal(emailAddress(text), undefined);
    }
  }
});
