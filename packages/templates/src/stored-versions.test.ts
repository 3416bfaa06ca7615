import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { type CompiledTemplate, compileTemplate } from "./compile.ts";
import { parseVariables } from "./parse-variables.ts";
import { createRenderer, type Rendered } from "./render.ts";
import type { TemplateSource } from "./source.ts";

interface Stored {
  source: TemplateSource;
  compiled: CompiledTemplate;
  rendered: { variables: string; result: Rendered }[];
}

/** Made by the code of d11bc6b, the last before blocks and filters: one version a line. */
const versions = readFileSync(new URL("./stored-versions.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line): Stored => JSON.parse(line));

test("a version that was stored before there was logic renders byte for byte as it did", () => {
  assert.ok(versions.some(({ compiled }) => JSON.stringify(compiled).includes("{% if")));
  for (const { source, compiled, rendered } of versions) {
    const render = createRenderer(compiled);
    for (const { variables, result } of rendered) {
      const values = parseVariables(variables);
      assert.ok(values !== undefined);
      const settings = { locale: "de", timeZone: "Asia/Tokyo", required: [], system: { $y: "1" } };
      assert.deepEqual(message(render(values)), message(result), source.kind);
      assert.deepEqual(message(render(values, settings)), message(result), source.kind);
    }
  }
});

/** What is sent; what the timeline tells of it besides is newer than these versions. */
function message(rendered: Rendered): object {
  return { ...rendered, linksLeftOut: undefined };
}

test("a template without logic compiles to what it compiled to", async () => {
  const plain = versions.filter(
    ({ source }) => !/\{%|\.(?:size|first|last)/.test(JSON.stringify(source)),
  );
  assert.ok(plain.length >= 6);
  for (const { source, compiled } of plain) {
    const result = await compileTemplate(source, { owner: "acme" });
    assert.deepEqual(result.ok && result.compiled, compiled);
  }
});
