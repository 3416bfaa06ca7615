import assert from "node:assert/strict";
import { test } from "node:test";
import { compileTemplate } from "@belfry/templates/compile";
import { withEventItems } from "@belfry/templates/language/event-variables";
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

type Variables = Record<string, unknown>;

test("each piece of a template in docs/templates.md comes out as the page shows it", async () => {
  const shown = await eachComesOut("templates.md");
  assert.ok(shown.html === 1 && shown.mjml === 1, JSON.stringify(shown));
  assert.ok((shown.markdown ?? 0) >= 2 && (shown.liquid ?? 0) >= 5, JSON.stringify(shown));
});

test("each piece of a template in docs/timing.md comes out as the page shows it, of several events", async () => {
  assert.deepEqual(await eachComesOut("timing.md"), { markdown: 1, liquid: 1 });
});

/** How many of each language the page has. A list of values is of as many events, the newest last. */
async function eachComesOut(page: string): Promise<Record<string, number>> {
  const blocks = blocksOf(page);
  const shown: Record<string, number> = {};
  let values: Variables | Variables[] = {};
  for (const [at, block] of blocks.entries()) {
    if (block.info === "values") values = JSON.parse(block.text);
    const source = SOURCES[block.language]?.(block.text);
    if (source === undefined) continue;
    await comesOut(block, source, Array.isArray(values) ? values : [values], blocks[at + 1]);
    shown[block.language] = (shown[block.language] ?? 0) + 1;
  }
  return shown;
}

async function comesOut(
  { page, line }: Block,
  source: TemplateSource,
  values: readonly Variables[],
  result: Block | undefined,
): Promise<void> {
  const where = `${page}:${line}`;
  assert.equal(result?.language, "text", where);
  const made = await compileTemplate(source, { owner: "acme" });
  assert.ok(made.ok, `${where}: ${JSON.stringify(made)}`);
  const events = values.map((variables) => {
    return { id: "0193a1c0-0000-7000-8000-00000000000e", at: new Date(0), variables };
  });
  const system = withEventItems(undefined, events.length, () => events);
  const message = createRenderer(made.compiled)(values.at(-1)!, { system });
  assert.ok(message.ok && "text" in message, where);
  assert.equal(`${message.text}\n`, result?.text, where);
}
