import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalLinkSchemes, linkSchemesFault } from "./message-links.ts";

test("schemes of apps are taken, in any case", () => {
  for (const schemes of [[], ["myapp"], ["com.example.shop", "x-app", "MyApp"]]) {
    assert.equal(linkSchemesFault(schemes), undefined, JSON.stringify(schemes));
  }
  assert.deepEqual(canonicalLinkSchemes(["MyApp", "shop", "myapp"]), ["myapp", "shop"]);
});

test("what is no scheme, what runs code and what reads files is refused", () => {
  for (const scheme of ["", "a", "1app", "my app", "myapp:", "myapp://", "mÿapp", "a".repeat(64)]) {
    assert.match(
      linkSchemesFault([scheme]) ?? "",
      /^must hold schemes without their colon/,
      scheme,
    );
  }
  for (const scheme of ["javascript", "JavaScript", "data", "vbscript", "file", "blob", "about"]) {
    assert.match(linkSchemesFault(["myapp", scheme]) ?? "", /never safe/, scheme);
  }
  const many = Array.from({ length: 21 }, (_, at) => `app${at}`);
  assert.equal(linkSchemesFault(many), "must be at most 20 schemes");
});
