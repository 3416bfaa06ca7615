import assert from "node:assert/strict";
import { test } from "node:test";
import { compileTemplate } from "@belfry/templates/compile";
import { createRenderer } from "@belfry/templates/render";
import { blocksOf } from "./markdown.ts";

/** The Markdown of the page, each with the text that it says it makes of the values above it. */
test("each mail of docs/templates.md reads as the page says", async () => {
  const blocks = blocksOf("templates.md");
  let count = 0;
  let variables: Record<string, unknown> = {};
  for (const [at, block] of blocks.entries()) {
    if (block.language === "json" && block.info === "example") variables = JSON.parse(block.text);
    if (block.language !== "markdown") continue;
    const where = `${block.page}:${block.line}`;
    const result = blocks[at + 1];
    assert.equal(result?.language, "text", where);
    const content = block.text;
    const source = { kind: "email", subject: "S", content, format: "markdown" } as const;
    const made = await compileTemplate(source, "acme");
    assert.ok(made.ok, `${where}: ${JSON.stringify(made)}`);
    assert.deepEqual(made.warnings, [], where);
    const mail = createRenderer(made.compiled)(variables);
    assert.ok(mail.ok && mail.kind === "email", where);
    assert.deepEqual(mail.missing, [], where);
    assert.equal(`${mail.text}\n`, result?.text, where);
    count++;
  }
  assert.ok(count >= 2, `${count} examples`);
});
