import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

const DOCUMENT = new URL("../../ARCHITECTURE.md", import.meta.url);

/** What is called meanwhile and is not on the way: what watches, logs, and looks every so often. */
const BESIDE: readonly RegExp[] = [
  // Said above the paths.
  /^packages\/service\//,
  /metrics\.ts$|\/log-dispatched\.ts$/,
  // Where services are put together: callbacks of the loops that they run.
  /\/(main|sender|gateway)\.ts$/,
  // A delivery that there is room for leaves with its dispatch.
  /\/release-(loop|deliveries)\.ts$/,
  /\/(every|until-next|rest-look|sweep|sweeper|erasures|tenant-deletions|wake-loop|wake-events|sensitive-events|is-writable|open-database|configuration-version)\.ts$/,
  /\/(provider-circuits|kinds|key-uses|webhook-keys|read-routing)\.ts$/,
  /\/(active-tenants|tenant-states|timer-wheel|lane-tally|reconciliations)\.ts$/,
];

/**
 * The files that a path's block lists, a folder and its files a line, `.ts` left out, are those that were
 * called, and as many as its heading says.
 */
export async function assertDocumented(title: string, called: readonly string[]): Promise<void> {
  const text = await readFile(DOCUMENT, "utf8");
  const block = new RegExp(`\\*\\*${title}: (\\d+) files\\*\\*.*?\\n\`\`\`\\n(.*?)\`\`\``, "s");
  const [, count, lines = ""] = block.exec(text) ?? [];
  const listed = lines.split("\n").flatMap((line) => {
    const [folder, ...names] = line.trim().split(/\s+/);
    return names.map((name) => `${folder}/${name}.ts`);
  });
  const walked = [...new Set(called)].filter((file) => !BESIDE.some((one) => one.test(file)));
  assert.deepEqual(listed.toSorted(), walked.sort(), `${title}:\n${asBlock(walked)}`);
  assert.equal(Number(count), walked.length);
}

/** For whoever has to write it anew. */
function asBlock(files: readonly string[]): string {
  const folders = Map.groupBy(files, (file) => file.slice(0, file.lastIndexOf("/")));
  const rows = [...folders].map(([folder, own]) => {
    const names = own.map((file) => file.slice(folder.length + 1, -".ts".length));
    return `${folder.padEnd(33)} ${names.join(" ")}`;
  });
  return `${rows.join("\n")}\n${files.length} files`;
}
