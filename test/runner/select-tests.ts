import { execFileSync } from "node:child_process";
import { type ImportGraph, ROOT, reachedFrom, reaching } from "./import-graph.ts";

/** Folders of test files, the long ones first, so that no processor is idle beside the last of them. */
const FOLDERS = ["test/", "deploy/", "packages/templates/", "services/", "packages/"];
/** What a test names, directly or through others, that starts a browser or a process of its own. */
const SLOW_LIBRARIES = ["node:child_process", "playwright-core"];
/** Tests of what is deployed and documented, and of whole pages and tables that they fill first. */
const SLOW_FOLDERS = /^(deploy|test\/(admin|bench|database|deploy|docs|packages|stack))\//;
/** Tests that fill large tables or try thousands of cases: each takes 7 to 35 s, a fifth of all others together. */
const LONG = [
  "packages/templates/src/language/liquid.test.ts",
  "packages/templates/src/linear.test.ts",
  "services/dispatcher/cancel-races.test.ts",
  "services/dispatcher/scheduled-at-rest.test.ts",
  "services/dispatcher/search-plans.test.ts",
];
/** They read the repository whole, and take a second. */
const HOUSE = /^test\/house\//;
/** Which versions of libraries there are, and how files are read. */
const SETTINGS = /(^|\/)(package\.json|pnpm-lock\.yaml|pnpm-workspace\.yaml|tsconfig[^/]*\.json)$/;
/** A module that defines tests: a test file, or one whose tests several files run. */
const DEFINES_TESTS = /from "node:test"/;

export function allTests({ names }: ImportGraph): string[] {
  const tests = [...names.keys()].filter(isTest);
  const ofFolders = FOLDERS.flatMap((folder) => tests.filter((file) => file.startsWith(folder)));
  return [...new Set(ofFolders)];
}

/** All tests but those with browsers or processes, those of deployment and documents, and the long ones. */
export function quickTests(graph: ImportGraph): string[] {
  const processes = reaching(SLOW_LIBRARIES, graph);
  const isSlow = (file: string) =>
    SLOW_FOLDERS.test(file) || LONG.includes(file) || processes.has(file);
  return allTests(graph).filter((file) => HOUSE.test(file) || !isSlow(file));
}

/** The tests that name a changed file, directly or through others, and those of the house. */
export function changedTests(graph: ImportGraph, changed: readonly string[]): string[] {
  if (changed.some((file) => SETTINGS.test(file))) return allTests(graph);
  const touched = reaching(changed, graph);
  return allTests(graph).filter((file) => HOUSE.test(file) || touched.has(file));
}

/**
 * The tests whose own text, or that of a module with tests that they load, has the part of a name. A name may be put
 * together where it is used: all tests if no text has it.
 */
export function namedTests(graph: ImportGraph, part: string): string[] {
  const inText = [...graph.texts]
    .filter(([, text]) => DEFINES_TESTS.test(text) && text.includes(part))
    .map(([file]) => file);
  if (inText.length === 0) return allTests(graph);
  const reached = reaching(inText, graph);
  return allTests(graph).filter((file) => reached.has(file));
}

/** Whether a test asks for the Postgres or the nats-server of the run; files that are not known may. */
export function needServers({ names, texts }: ImportGraph, files: readonly string[]): boolean {
  if (files.some((file) => !names.has(file))) return true;
  const reached = reachedFrom(files, { names, texts });
  return [...reached].some((file) => /TEST_(DATABASE|NATS)_URL/.test(texts.get(file) ?? ""));
}

/** What differs from the commit, or from where this branch left it: committed, not committed, and new. */
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
