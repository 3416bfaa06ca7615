import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import { REASONS } from "@belfry/contracts/reasons";
import { SUPPRESSION_REASONS } from "@belfry/contracts/sending";

const ROOT = resolve(import.meta.dirname, "../..");
const SUPPRESSIONS: ReadonlySet<string> = new Set(SUPPRESSION_REASONS);
const FUNCTIONS = "packages/database/src/functions";

function filesOf(...patterns: string[]) {
  const found = execFileSync("git", ["ls-files", "--", ...patterns], {
    cwd: ROOT,
    encoding: "utf8",
  });
  return found
    .trim()
    .split("\n")
    .map((path) => [path, readFileSync(resolve(ROOT, path), "utf8")] as const);
}

test("SQL writes reasons as codes of the table, never as words", () => {
  const codes = new Set<string>();
  for (const [path, sql] of filesOf(`${FUNCTIONS}/*.sql`)) {
    for (const [, code = ""] of sql.matchAll(/'#([a-z-]+)|coded_reason\(\s*'([a-z-]+)'/g))
      codes.add(code);
    const written = sql.matchAll(
      /\b(?:reasons?|why|told|died)(?:\[\w+\])? *(?:constant text *)?:?= *(?:case when [^']*)?'([^'#][^']*)'/g,
    );
    // The reasons of suppressions are a list of their own.
    const words = [...written]
      .map(([, text = ""]) => text)
      .filter((text) => !SUPPRESSIONS.has(text));
    assert.deepEqual(words, [], path);
  }
  codes.delete("");
  assert.ok(codes.size > 15, `${[...codes]}`);
  // `turned-off` is written with what it is for behind it.
  assert.deepEqual(
    [...codes].filter((code) => !Object.hasOwn(REASONS, code)),
    [],
  );
});

test("nothing parses the words of a reason", () => {
  const parsing =
    /reason\??\.(?:startsWith|endsWith|includes|match|replace|split|slice)\(|\.(?:test|exec)\([\w.]*reason\b|\breason (?:not )?(?:i?like|~)/gi;
  for (const [path, text] of filesOf(
    "packages/*.ts",
    "packages/*.sql",
    "services/*.ts",
    "services/*.eta",
  )) {
    if (/\.test\.ts$|\/test\/|^packages\/testing\//.test(path)) continue;
    assert.deepEqual(text.match(parsing) ?? [], [], path);
  }
});
