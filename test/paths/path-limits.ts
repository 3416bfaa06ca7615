import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { TestContext } from "node:test";

const DOCUMENT = new URL("../../ARCHITECTURE.md", import.meta.url);

/** Called meanwhile and not on the way: what watches, logs, and looks every so often. */
const BESIDE: readonly RegExp[] = [
  // ARCHITECTURE.md says that it is left out.
  /^packages\/service\//,
  /metrics\.ts$/,
  // Where services are put together: callbacks of the loops that they run.
  /\/(main|sender|gateway)\.ts$/,
  // A delivery that there is room for leaves with its dispatch.
  /\/release-(loop|deliveries)\.ts$/,
  /\/(every|sweeper|erasures|wake-loop|sensitive-events|open-database|configuration-version)\.ts$/,
  /\/(provider-circuits|kinds|vendor-webhooks)\.ts$/,
  /\/(active-tenants|tenant-states|timer-wheel|reconciliations)\.ts$/,
];

/**
 * Holds the files that were called to the row that ARCHITECTURE.md has of their path: at most so many files, and none
 * outside the services and packages that it names. Prints the files.
 */
export async function assertWithinLimits(
  t: TestContext,
  path: string,
  called: readonly string[],
): Promise<void> {
  const text = await readFile(DOCUMENT, "utf8");
  const row = text.split("\n").find((line) => line.startsWith(`| ${path} |`));
  const [, , most = "", places = ""] = (row ?? assert.fail(`no row of ${path}`)).split("|");
  const files = [...new Set(called)].filter((file) => !BESIDE.some((one) => one.test(file))).sort();
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
