import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { readDoc } from "./markdown.ts";

/** As the page names a test: its file and its name. */
const NAMED_TEST = /`([^`]+\.ts)` “([^”]+)”/g;

test("every promise of the delivery contract names a test that is there", async () => {
  const page = readDoc("delivery-contract.md");
  const promises = page.split("\n").filter((line) => /^\| [A-Z].*\.\s*\|/.test(line));
  assert.ok(promises.length > 40, `${promises.length} promises`);
  for (const promise of promises) {
    const named = [...promise.matchAll(NAMED_TEST)];
    assert.ok(named.length > 0, `no test: ${promise}`);
    for (const [, file = "", name = ""] of named) {
      const source = await readFile(new URL(`../../${file}`, import.meta.url), "utf8");
      assert.ok(source.includes(`test(${JSON.stringify(name)}`), `${file} has no test “${name}”`);
    }
  }
});
