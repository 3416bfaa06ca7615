import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { glob, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { needlessExclusions } from "@belfry/testing/needless-exclusions";

const ROOT = resolve(import.meta.dirname, "../..");
/** Of https://www.apache.org/licenses/LICENSE-2.0.txt, byte by byte. */
const APACHE_2_SHA256 = "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30";
/** Nothing of them is handed on: they check the code and the images' SBOMs, and drive the browser of the tests. */
const TOOLS = [
  /^playwright-core\//,
  /^typescript\//,
  /^@typescript\//,
  /^@cyclonedx\/cyclonedx-library\//,
];

test("LICENSE is the whole text of the license that package.json names", async () => {
  const text = await readFile(join(ROOT, "LICENSE"), "utf8");
  assert.match(text, /APPENDIX: How to apply the Apache License to your work\./);
  assert.equal(hash("sha256", text, "hex"), APACHE_2_SHA256);
  const { license } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  assert.equal(license, "Apache-2.0");
});

test("no library that ships has a NOTICE, which we would have to repeat", async () => {
  const found: string[] = [];
  const cwd = join(ROOT, "node_modules/.pnpm");
  for (const pattern of ["*/node_modules/*/NOTICE*", "*/node_modules/@*/*/NOTICE*"]) {
    for await (const path of glob(pattern, { cwd }))
      found.push(path.replace(/^.*node_modules\//, ""));
  }
  assert.deepEqual(needlessExclusions(TOOLS, found), [], "the search finds what is there");
  const others = found.filter((path) => !TOOLS.some((tool) => tool.test(path)));
  assert.deepEqual(others, []);
});
