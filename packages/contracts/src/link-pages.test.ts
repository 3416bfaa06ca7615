import assert from "node:assert/strict";
import test from "node:test";
import { linkAddress, parsePublicUrl } from "./message-links.ts";

test("a public address is https, or http on this machine, and is written in one way", () => {
  for (const [given, read] of [
    ["https://mail.example.com", "https://mail.example.com"],
    ["https://Mail.Example.com:443/", "https://mail.example.com"],
    ["https://example.com/belfry//", "https://example.com/belfry"],
    ["https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC"],
    ["http://localhost:3000", "http://localhost:3000"],
    ["http://127.0.0.1:3000/", "http://127.0.0.1:3000"],
  ] as const) {
    assert.equal(parsePublicUrl(given), read);
  }
  assert.equal(
    linkAddress("https://mail.example.com", "unsubscribe", "k1.abc"),
    "https://mail.example.com/unsubscribe/k1.abc",
  );
});

test("what is no address to send people to is refused", () => {
  for (const bad of [
    "mail.example.com",
    "http://mail.example.com",
    "ftp://localhost",
    "javascript:alert(1)",
    "https://ann:secret@mail.example.com",
    "https://mail.example.com/?a=b",
    "https://mail.example.com/#a",
    `https://mail.example.com/${"a".repeat(200)}`,
  ]) {
    assert.throws(() => parsePublicUrl(bad), /^Error: must /, bad);
  }
});
