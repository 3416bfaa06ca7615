import assert from "node:assert/strict";
import { test } from "node:test";
import { parseOrigins } from "./origins.ts";

test("an origin is compared whole, a star stands for labels only", () => {
  const allows = parseOrigins(
    "https://app.example.com,https://*.example.org,http://localhost:3003",
  );
  for (const origin of [
    "https://APP.example.com",
    "https://a.b.example.org",
    "http://localhost:3003",
  ]) {
    assert.equal(allows(origin), true, origin);
  }
  for (const origin of [
    "https://appxexample.com",
    "https://example.org",
    "https://x/.example.org",
    "https://evil.net/.example.org",
    "http://localhost:3004",
    "http://localhost",
    "",
  ]) {
    assert.equal(allows(origin), false, origin);
  }
  assert.equal(allows(undefined), true);
});

test("an empty list allows any origin, and a bad entry stops the start", () => {
  assert.equal(parseOrigins(" ")("https://any.example"), true);
  for (const list of ["example.com", "https://a*b.com", "https://x/", "*"]) {
    assert.throws(() => parseOrigins(list), /origin 1 is not of the form/, list);
  }
});
