import assert from "node:assert/strict";
import { test } from "node:test";
import { compileTemplate } from "@belfry/templates/compile";
import { withGathered } from "@belfry/templates/gathered";
import { createRenderer } from "@belfry/templates/render";
import type { TemplateSource } from "@belfry/templates/source";
import { type Block, blocksOf } from "./markdown.ts";

/** What each piece of a template on the page is a piece of. */
const SOURCES: Record<string, (content: string) => TemplateSource> = {
  markdown: (content) => ({ kind: "email", subject: "S", content, format: "markdown" }),
  html: (content) => ({ kind: "email", subject: "S", content, format: "html" }),
  mjml: (content) => ({ kind: "email", subject: "S", content, format: "mjml" }),
  liquid: (content) => ({ kind: "text", content }),
};

test("each piece of a template in docs/templates.md comes out as the page shows it", async () => {
  const blocks = blocksOf("templates.md");
  const shown = { markdown: 0, liquid: 0, html: 0, mjml: 0 } as Record<string, number>;
  let variables: Record<string, unknown> = {};
  for (const [at, block] of blocks.entries()) {
    if (block.info === "values") variables = JSON.parse(block.text);
    const source = SOURCES[block.language]?.(block.text);
    if (source === undefined) continue;
    await comesOut(block, source, variables, blocks[at + 1]);
    shown[block.language] = (shown[block.language] ?? 0) + 1;
  }
  assert.ok(shown.html === 1 && shown.mjml === 1, JSON.stringify(shown));
  assert.ok((shown.markdown ?? 0) >= 2 && (shown.liquid ?? 0) >= 5, JSON.stringify(shown));
});

async function comesOut(
  { page, line }: Block,
  source: TemplateSource,
  variables: Record<string, unknown>,
  result: Block | undefined,
): Promise<void> {
  const where = `${page}:${line}`;
  assert.equal(result?.language, "text", where);
  const made = await compileTemplate(source, "acme");
  assert.ok(made.ok, `${where}: ${JSON.stringify(made)}`);
  const event = { id: "0193a1c0-0000-7000-8000-00000000000e", at: new Date(0), variables };
  const system = withGathered(undefined, 1, () => [event]);
  const message = createRenderer(made.compiled)(variables, { system });
  assert.ok(message.ok && message.kind !== "notification", where);
  assert.equal(`${message.text}\n`, result?.text, where);
}
