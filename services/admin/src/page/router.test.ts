import assert from "node:assert/strict";
import { test } from "node:test";
import { startForOperator } from "../../test/start-admin.ts";

test("a question mark in the query of an address is part of the value", async (t) => {
  const { operator } = await startForOperator(t);
  const shown = async (query: string) =>
    /id="search" name="q"[^>]*value="([^"]*)"/.exec(await operator.text(`/search?${query}`))?.[1];
  assert.equal(await shown("q=who?&x=1"), "who?");
  assert.equal(await shown("q=where?next"), "where?next");
});
