import assert from "node:assert/strict";
import { test } from "node:test";
import { headerText } from "./header-text.ts";

test("a header sent as UTF-8 and one sent as Latin-1 are the same text", () => {
  for (const text of ["plain ~", "Übung", "größe", "À"]) {
    assert.equal(headerText(Buffer.from(text, "utf8").toString("latin1")), text);
    assert.equal(headerText(Buffer.from(text, "latin1").toString("latin1")), text);
  }
  assert.equal(headerText(Buffer.from("日本😀").toString("latin1")), "日本😀");
});
