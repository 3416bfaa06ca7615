import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { TestContext } from "node:test";

const DOCUMENT = new URL("../../ARCHITECTURE.md", import.meta.url);

/**
 * Compares the files that a path enters with the row that ARCHITECTURE.md has of it: at most as many files, and only in
 * the services and packages that it names. Prints the files.
 */
export async function assertWithinLimits(
  t: TestContext,
  path: string,
  files: readonly string[],
): Promise<void> {
  const text = await readFile(DOCUMENT, "utf8");
  const row = text.split("\n").find((line) => line.startsWith(`| ${path} |`));
  const [, , most = "", places = ""] = (row ?? assert.fail(`no row of ${path}`)).split("|");
  t.diagnostic(`${path}: ${files.length} files\n${byFolder(files)}`);
  const entered = new Set(files.map((file) => file.split("/")[1] ?? ""));
  const allowed = [...places.matchAll(/`([^`]+)`/g)].map(([, place]) => place);
  assert.deepEqual([...entered].sort(), allowed.sort(), path);
  assert.ok(files.length <= Number(most), `${path}: ${files.length} files\n${byFolder(files)}`);
}

function byFolder(files: readonly string[]): string {
  const folders = Map.groupBy(files, (file) => file.slice(0, file.lastIndexOf("/")));
  return [...folders]
    .map(([folder, own]) => {
      const names = own.map((file) => file.slice(folder.length + 1, -".ts".length));
      return `${folder.padEnd(33)} ${names.join(" ")}`;
    })
    .join("\n");
}
