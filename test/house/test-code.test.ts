import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { test } from "node:test";
import { needlessExclusions } from "@belfry/testing/needless-exclusions";
import { TEST_CODE, TEST_CODE_FORMS } from "../test-code.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const CODE = /^(?:packages|services|deploy)\/.*\.(?:ts|js)$/;
/** Where a program or a package begins: nothing imports these. */
const ENTRIES = [
  /\/main\.ts$/,
  /\.d\.ts$/,
  /^packages\/inbox\//,
  /^services\/admin\/src\/assets\//,
  /^deploy\//,
];

const tracked = execFileSync("git", ["ls-files"], { cwd: ROOT, encoding: "utf8" })
  .split("\n")
  .filter((path) => existsSync(join(ROOT, path)));
const files = tracked.filter((path) => CODE.test(path));
const shipped = files.filter((path) => !TEST_CODE.test(path));

/** The modules that a file imports, loads as a worker or reads, without their endings. */
function importedBy(path: string): string[] {
  const text = readFileSync(join(ROOT, path), "utf8");
  const places = text.matchAll(/(?:\bfrom|\bimport|\bURL)\s*\(?\s*["'`]([^"'`]+)["'`]/g);
  return [...places].map(([, place = ""]) => place.replace(/\.(?:ts|js)$/, ""));
}

test("no shipped file imports test code", () => {
  assert.ok(shipped.length > 300, "the files are found");
  const wrong = shipped.flatMap((path) => {
    const places = importedBy(path).filter((place) => TEST_CODE.test(`${place}.ts`));
    return places.map((place) => `${path}: ${place}`);
  });
  assert.deepEqual(wrong, []);
});

test("a shipped file imports nothing of the test kit or of node:test", () => {
  const wrong = shipped.filter((path) => {
    const text = readFileSync(join(ROOT, path), "utf8");
    return /from "(?:node:test|@belfry\/testing\/)/.test(text);
  });
  assert.deepEqual(wrong, []);
});

test("every shipped file is imported by another one: what only tests import is named as test code", () => {
  const imported = new Set(shipped.flatMap(importedBy).map((place) => basename(place)));
  const unused = shipped.filter(
    (path) => !imported.has(basename(path).replace(/\.(?:ts|js)$/, "")),
  );
  assert.deepEqual(
    unused.filter((path) => !ENTRIES.some((form) => form.test(path))),
    [],
  );
  assert.deepEqual(needlessExclusions(ENTRIES, unused), []);
});

test("each form of test code has a file", () => {
  assert.deepEqual(needlessExclusions(TEST_CODE_FORMS, tracked), []);
});
