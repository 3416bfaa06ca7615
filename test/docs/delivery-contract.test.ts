import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { readDoc } from "./markdown.ts";

/** A test file, or a module whose tests such a file runs. */
const TEST_FILE = /`([^`]+\.ts)`/g;

test("every promise of the delivery contract names a file that holds tests", async () => {
  const rows = readDoc("delivery-contract.md").split("\n");
  const promises = rows.filter((line) => /^\| [A-Z].*\.\s*\|/.test(line));
  assert.ok(promises.length > 40, `${promises.length} promises`);
  for (const promise of promises) {
    const files = [...promise.matchAll(TEST_FILE)].map(([, file]) => file!);
    assert.ok(files.length > 0, `no test: ${promise}`);
    for (const file of files) {
      const source = await readFile(new URL(`../../${file}`, import.meta.url), "utf8");
      // Or it runs a suite of tests: testEmailVendor({ … }).
      assert.match(source, /\btest(?:[A-Z]\w*)?\(/, `${file} holds no test`);
    }
  }
});
