import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";

const ROOT = resolve(import.meta.dirname, "../..");
const LINES = readFileSync(resolve(ROOT, "ARCHITECTURE.md"), "utf8").split("\n");

const filesOf = (text: string) =>
  [...text.matchAll(/`((?:packages|services|deploy|docs|test)\/[^`*<>\s]+)`/g)].map(
    ([, path]) => path!,
  );

test("every path in ARCHITECTURE.md is there", () => {
  const paths = LINES.flatMap(filesOf);
  assert.ok(paths.length > 40);
  assert.deepEqual(
    paths.filter((path) => !existsSync(resolve(ROOT, path))),
    [],
  );
});

test("every path in CONTRIBUTING.md is there, but for the provider that its reader adds", () => {
  const paths = filesOf(readFileSync(resolve(ROOT, "CONTRIBUTING.md"), "utf8"));
  assert.ok(paths.length > 10);
  const missing = paths.filter((path) => !existsSync(resolve(ROOT, path)));
  assert.deepEqual(
    [...new Set(missing)],
    ["packages/providers/src/acme.ts", "packages/providers/src/acme.test.ts"],
  );
});

test("a channel is added in at most twelve files, a field of the trigger in at most seven", () => {
  for (const [what, most] of [
    ["a channel", 12],
    ["a field of the trigger", 7],
  ] as const) {
    const line = LINES.find((one) => one.startsWith(`| ${what} |`)) ?? "";
    const files = filesOf(line);
    assert.equal(new Set(files).size, files.length);
    assert.ok(files.length > 0 && files.length <= most, `${what}: ${files.length}`);
  }
});
