import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { test } from "node:test";

const VIEWS = resolve(import.meta.dirname, "../../services/admin/src/views");
const MOST = 200;

/** Biome formats and counts everything else. */
test(`no line of a view is longer than ${MOST} characters`, async () => {
  const long: string[] = [];
  for (const file of await readdir(VIEWS)) {
    const lines = (await readFile(join(VIEWS, file), "utf8")).split("\n");
    lines.forEach((line, index) => {
      if (line.length > MOST) long.push(`${file}:${index + 1}: ${line.length}`);
    });
  }
  assert.deepEqual(long, []);
});
