import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "@belfry/testing/temporary-folder";
import { GENERATED, GO, generate, isInstalled, PYTHON } from "./generate.ts";

for (const library of [PYTHON, GO]) {
  test(`the client for ${library.language} has the calls and types of both documents`, async (t) => {
    if (!(await isInstalled(library.generator))) return t.skip(`no ${library.generator}`);
    const folder = await temporaryFolder(t, "generated");
    await generate(library, folder);
    for (const name of Object.keys(GENERATED)) {
      const [wanted, found] = await Promise.all([
        filesBelow(join(folder, name)),
        filesBelow(join(library.source, name)),
      ]);
      const differing = [...new Set([...wanted.keys(), ...found.keys()])].filter(
        (file) => wanted.get(file) !== found.get(file),
      );
      assert.deepEqual(differing, [], `${name}: run node test/client-languages/generate.ts`);
    }
  });
}

async function filesBelow(folder: string): Promise<Map<string, string>> {
  const all = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = all.filter((one) => one.isFile() && !one.name.endsWith(".pyc"));
  const paths = files.map((one) => join(one.parentPath, one.name));
  const texts = await Promise.all(paths.map((path) => readFile(path, "utf8")));
  return new Map(paths.map((path, at) => [path.slice(folder.length), texts[at]!]));
}
