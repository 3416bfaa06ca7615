import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Up to this number of test files share one process, because starting Node and loading modules takes most of the time
 * of a small file. Their tests run one after another.
 */
const MOST = 12;
/** The limit for files below `test/`, whose processes and browsers take much longer than a start of Node. */
const MOST_OF_WHOLE = 3;
const ROOT = resolve(import.meta.dirname, "../..");
/** Files with these calls run alone: file-wide fixtures, top-level hooks and snapshots apply to the whole process. */
const ALONE = /^(before|after|beforeEach|afterEach)\(|\.assert\.snapshot\(|\bwholeFile\(/m;

/** Writes one file per group into `folder`. Returns these and the files that run alone, in the given order. */
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
  // A process reads its version from the package.json beside the started file.
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

/** The first test loads all files, so that the process does not exit before the last file has registered its tests. */
function loading(files: string[]): string {
  const urls = files.map((file) => pathToFileURL(join(ROOT, file)));
  return [
    'import { test } from "node:test";',
    `const loading = (async () => { for (const url of ${JSON.stringify(urls)}) await import(url); })();`,
    'test("files that share a process are loaded", () => loading);',
  ].join("\n");
}
