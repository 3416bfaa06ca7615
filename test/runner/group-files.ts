import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Test files share a process, a dozen of them: starting Node and loading the modules is most of what a
 * small file costs. Their tests run one after the other as they would in a file.
 */
const MOST = 12;
/** Of those that start processes and browsers, which takes much longer than a start of Node. */
const MOST_OF_WHOLE = 3;
const ROOT = resolve(import.meta.dirname, "../..");
/** What a whole file shares, hooks outside of a `describe` and snapshots belong to the process. */
const ALONE = /^(before|after|beforeEach|afterEach)\(|\.assert\.snapshot\(|\bwholeFile\(/m;

/** Writes a file for each group into `folder`; returns those and the files that run alone, in the order given. */
export async function groupFiles(files: string[], folder: string): Promise<string[]> {
  const groups: string[][] = [];
  const open = new Map<string, string[]>();
  for (const file of files) {
    const room = roomOf(file);
    const isAlone = ALONE.test(await readFile(join(ROOT, file), "utf8"));
    const group = isAlone ? undefined : open.get(room);
    if (group !== undefined && group.length < (room.startsWith("test/") ? MOST_OF_WHOLE : MOST)) {
      group.push(file);
      continue;
    }
    const begun = [file];
    groups.push(begun);
    if (!isAlone) open.set(room, begun);
  }
  // A process says which version it is by the package of the file that was started.
  await copyFile(join(ROOT, "package.json"), join(folder, "package.json"));
  return await Promise.all(
    groups.map(async (group, at) => {
      if (group.length === 1) return group[0]!;
      const path = join(folder, `${at}-${roomOf(group[0]!).replace("/", "-")}.test.mjs`);
      await writeFile(path, loading(group));
      return path;
    }),
  );
}

const roomOf = (file: string) => file.split("/").slice(0, 2).join("/");

/** The first test waits for all files, so that no test ends the process before the last is known. */
function loading(files: string[]): string {
  const urls = files.map((file) => pathToFileURL(join(ROOT, file)));
  return [
    'import { test } from "node:test";',
    `const loading = (async () => { for (const url of ${JSON.stringify(urls)}) await import(url); })();`,
    'test("files that share a process are loaded", () => loading);',
  ].join("\n");
}
