import assert from "node:assert/strict";
import { mkdir, mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { type Block, blocksOf, pages } from "./markdown.ts";
import type { Bench } from "./shell.ts";
import { commandFolder, type Ended, runProgram } from "./shell.ts";

const MARK = "@@@ end of block";

export function pageTests(bench: Bench): void {
  for (const page of pages()) {
    const blocks = blocksOf(page);
    const scripts = blocks.filter(({ language, info }) => language === "sh" && info === "");
    if (scripts.length === 0) continue;
    test(`${page}: run one after the other, and answer what the page shows`, async () => {
      const setUp = page === "quick-start.md" ? [] : [setUpBlock()];
      const outputs = (await runBlocks(bench, [...setUp, ...scripts])).slice(setUp.length);
      let last = "";
      for (const block of blocks) {
        if (block.language === "sh" && block.info === "") last = outputs.shift() ?? "";
        if (block.language !== "json" || block.info === "values") continue;
        const shown = JSON.parse(block.text);
        if (block.info === "example") assert.equal(shown.statusCode, 429);
        else assert.deepEqual(lastJson(last), shown, `${page}:${block.line}`);
      }
    });
  }
}

/** The lines of the quick start that set what every page uses. */
function setUpBlock(): Block {
  return blocksOf("quick-start.md").find(({ text }) => text.includes("export BELFRY_API_KEY"))!;
}

/** Runs blocks in one shell and returns what each wrote. A line that fails fails the page. */
async function runBlocks(bench: Bench, blocks: Block[]): Promise<string[]> {
  const folder = await mkdtemp(join(bench.folder, "page-"));
  await mkdir(join(folder, "work"));
  const bin = await commandFolder(folder);
  const lines = blocks.map(({ text }) => `${text}\necho "${MARK}"\n`);
  const script = ["set -euo pipefail", `PATH="${bin}:$PATH"`, ...lines].join("\n");
  const ended = await runProgram("bash", ["-c", script], {
    cwd: join(folder, "work"),
    env: stackEnv(bench),
  });
  assert.equal(ended.code, 0, describeEnd(ended));
  return ended.out.split(`${MARK}\n`).slice(0, -1);
}

/** What the local stack would give to the command line, and the address to the pages. */
function stackEnv({ stack, folder }: Bench): Record<string, string> {
  return { BELFRY_URL: stack.apiUrls[0], BELFRY_HOME: folder, ...stack.adminEnv };
}

function describeEnd({ code, out, err }: Ended): string {
  return `exit ${code}\n${out}\n${err}`;
}

function lastJson(output: string): unknown {
  return JSON.parse(output.slice(output.search(/^\{/m)));
}
