import { execFileSync } from "node:child_process";
import { type ImportGraph, ROOT, reachedFrom, reaching } from "./import-graph.ts";

/** Folders of test files. Long tests come first, so that no processor idles at the end of a run. */
const FOLDERS = ["test/", "deploy/", "packages/templates/", "services/", "packages/"];
/** A test that reaches one of these libraries starts processes or a browser. */
const SLOW_LIBRARIES = ["node:child_process", "playwright-core"];
/** Tests of deployment, documents, and of pages and query plans over large tables. */
const SLOW_FOLDERS = /^(deploy|test\/(admin|bench|database|deploy|docs|packages|stack))\//;
/** Tests that fill large tables or try thousands of cases. Each takes 7 to 35 s. */
export const LONG = [
  "packages/templates/src/language/liquid.test.ts",
  "packages/templates/src/linear.test.ts",
  "packages/templates/src/markdown-values.test.ts",
  "services/admin/src/page/access.test.ts",
  "services/admin/src/template/visual-document.test.ts",
  "services/dispatcher/src/cancel-races.test.ts",
  "services/dispatcher/src/scheduled-at-rest.test.ts",
  "services/dispatcher/src/search-plans.test.ts",
];
/** These tests mostly wait. They run one after another in a lane of their own, beside all others. */
export const WAITING = [
  "test/failure/failure.test.ts",
  "test/stack/local-stack.test.ts",
  "test/failure/digests/digests.test.ts",
  "test/failure/webhooks/webhooks.test.ts",
  "test/failure/stops/stops.test.ts",
  "test/failure/due-restart.test.ts",
  "test/admin/in-force.test.ts",
  "test/admin/leaving.test.ts",
  "services/dispatcher/src/main.test.ts",
  "services/dispatcher/src/killed-erasure.test.ts",
];
/** These tests read the whole repository and take a second. */
const HOUSE = /^test\/house\//;
/** Files that determine the versions of libraries and how sources are compiled. */
const SETTINGS = /(^|\/)(package\.json|pnpm-lock\.yaml|pnpm-workspace\.yaml|tsconfig[^/]*\.json)$/;
/** Matches modules that define tests: test files and modules whose tests such files run. */
const DEFINES_TESTS = /from "(?:node:test|.*\/open-page\.ts)"/;

export function allTests({ names }: ImportGraph): string[] {
  const tests = [...names.keys()].filter(isTest);
  const ofFolders = FOLDERS.flatMap((folder) => tests.filter((file) => file.startsWith(folder)));
  return [...new Set(ofFolders)];
}

/** All tests except those with browsers or processes, those of deployment and documents, and long ones. */
export function quickTests(graph: ImportGraph): string[] {
  const processes = reaching(SLOW_LIBRARIES, graph);
  const isSlow = (file: string) =>
    SLOW_FOLDERS.test(file) || LONG.includes(file) || processes.has(file);
  return allTests(graph).filter((file) => HOUSE.test(file) || !isSlow(file));
}

/** The tests that reach a changed file, and those of `test/house`. */
export function changedTests(graph: ImportGraph, changed: readonly string[]): string[] {
  if (changed.some((file) => SETTINGS.test(file))) return allTests(graph);
  const touched = reaching(changed, graph);
  return allTests(graph).filter((file) => HOUSE.test(file) || touched.has(file));
}

/**
 * The tests whose text, or that of a module with tests that they load, contains the part of a name. If no text contains
 * it, the name may be composed at run time: then all tests.
 */
export function namedTests(graph: ImportGraph, part: string): string[] {
  const inText = [...graph.texts]
    .filter(([, text]) => DEFINES_TESTS.test(text) && text.includes(part))
    .map(([file]) => file);
  if (inText.length === 0) return allTests(graph);
  const reached = reaching(inText, graph);
  return allTests(graph).filter((file) => reached.has(file));
}

/** Whether a test uses the run's Postgres or nats-server. Files outside the graph are assumed to use them. */
export function needServers({ names, texts }: ImportGraph, files: readonly string[]): boolean {
  if (files.some((file) => !names.has(file))) return true;
  const reached = reachedFrom(files, { names, texts });
  return [...reached].some((file) => /TEST_(DATABASE|NATS)_URL/.test(texts.get(file) ?? ""));
}

/** The files that differ from the merge base with the commit, including uncommitted and untracked ones. */
export function changedFiles(commit: string): string[] {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" });
  const base = git("merge-base", commit, "HEAD").trim();
  const listed =
    git("diff", "--name-only", "--no-renames", base) +
    git("ls-files", "--others", "--exclude-standard");
  return listed.split("\n").filter((file) => file !== "");
}

function isTest(file: string): boolean {
  return file.endsWith(".test.ts");
}
