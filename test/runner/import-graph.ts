import type { Dirent } from "node:fs";
import { glob, readFile } from "node:fs/promises";
import { dirname, join, matchesGlob, resolve } from "node:path";

/**
 * Which files of the repository refer to which others: by an import, or by a path or glob in a string (programs to
 * start, folders to read). Paths are relative to the repository's root.
 */
export interface ImportGraph {
  /** For every file the files and libraries (`pg`, `node:net`) that it refers to. */
  names: ReadonlyMap<string, ReadonlySet<string>>;
  /** The text of each source file. */
  texts: ReadonlyMap<string, string>;
}

export const ROOT = resolve(import.meta.dirname, "../..");
const OUTSIDE = ["node_modules", ".git", "dist"];
const SOURCE = /\.(ts|tsx|js|mjs|vue)$/;
const COMMENT = /\/\*.*?\*\/|(?<=^|\s)\/\/ .*$/gms;
/** Quoted words without spaces. Each kind of quote has its own pattern, as one may contain another. */
const QUOTED = [/"([^"\s]+)"/g, /'([^'\s]+)'/g, /`([^`\s]+)`/g];
/** The runner creates the database that tests clone: with this file, which the tests do not import. */
const NAMED_BY_THE_RUNNER = new Map([
  ["packages/testing/src/postgres.ts", "packages/database/src/migrate.ts"],
]);

export async function readImportGraph(): Promise<ImportGraph> {
  const files = await repositoryFiles();
  const packages = await packageFolders(files);
  const sources = files.filter((file) => SOURCE.test(file));
  const texts = new Map(
    await Promise.all(
      sources.map(async (file) => [file, await readFile(join(ROOT, file), "utf8")] as const),
    ),
  );
  const resolvePath = pathResolver(files, packages);
  const names = new Map(
    files.map((file) => {
      const words = quotedWords((texts.get(file) ?? "").replaceAll(COMMENT, ""));
      const named = new Set(words.flatMap((word) => resolvePath(word, file)));
      const alsoNamed = NAMED_BY_THE_RUNNER.get(file);
      if (alsoNamed !== undefined) named.add(alsoNamed);
      return [file, named] as const;
    }),
  );
  return { names, texts };
}

/** The files and everything they refer to, directly or indirectly. */
export function reachedFrom(files: readonly string[], { names }: ImportGraph): Set<string> {
  return walk(files, (file) => names.get(file) ?? []);
}

/** The files and everything that refers to them, directly or indirectly. */
export function reaching(files: readonly string[], { names }: ImportGraph): Set<string> {
  const namedBy = new Map<string, string[]>();
  for (const [file, named] of names) {
    for (const other of named) {
      const namers = namedBy.get(other) ?? [];
      namers.push(file);
      namedBy.set(other, namers);
    }
  }
  return walk(files, (file) => namedBy.get(file) ?? []);
}

function walk(start: readonly string[], next: (file: string) => Iterable<string>): Set<string> {
  const found = new Set(start);
  // Iteration over a set includes elements that are added meanwhile.
  for (const file of found) for (const other of next(file)) found.add(other);
  return found;
}

async function repositoryFiles(): Promise<string[]> {
  const files: string[] = [];
  const exclude = ({ name }: Dirent) => OUTSIDE.includes(name);
  for await (const entry of glob("**/*", { cwd: ROOT, exclude, withFileTypes: true })) {
    if (entry.isFile()) files.push(join(entry.parentPath, entry.name).slice(ROOT.length + 1));
  }
  return files.sort();
}

/** The folder of each package and its export targets for `"."` and `"./*"`. */
async function packageFolders(files: readonly string[]) {
  const found = new Map<string, { folder: string; main: string; pattern: string }>();
  for (const file of files.filter((path) => /(^|\/)package\.json$/.test(path))) {
    const { name, exports } = JSON.parse(await readFile(join(ROOT, file), "utf8"));
    if (exports === undefined) continue;
    const target = (key: string) => String(exports[key]?.default ?? exports[key] ?? "");
    found.set(name, { folder: dirname(file), main: target("."), pattern: target("./*") });
  }
  return found;
}

function pathResolver(
  files: readonly string[],
  packages: Awaited<ReturnType<typeof packageFolders>>,
) {
  const known = new Set(files);
  const ofPattern = new Map<string, string[]>();
  const matching = (pattern: string) => {
    let matches = ofPattern.get(pattern);
    matches ??= files.filter((file) => matchesGlob(file, pattern));
    ofPattern.set(pattern, matches);
    return matches;
  };
  const below = (path: string, from: string) => {
    if (known.has(path)) return [path];
    // A glob over the whole repository, or a parent folder of the file, does not tell what the file needs.
    if (/^[.*{]/.test(path) || from.startsWith(`${path}/`)) return [];
    return matching(path.includes("*") ? path : `${path}/**`);
  };
  return (word: string, from: string): string[] => {
    const path = word.replaceAll(/\$\{[^}]*\}/g, "*").replace(/\/$/, "");
    if (path.startsWith(".")) return below(join(dirname(from), path), from);
    const [, name = "", rest] = /^(@[^/]+\/[^/]+|[^/]+)(?:\/(.+))?$/.exec(path) ?? [];
    const own = packages.get(name);
    if (own !== undefined) {
      const target = rest === undefined ? own.main : own.pattern.replace("*", rest);
      return below(join(own.folder, target), from);
    }
    const found = path.includes("/") ? below(path, from) : [];
    if (found.length > 0) return found;
    return /^(node:)?[@\w][\w./-]*$/.test(path) ? [path] : [];
  };
}

function quotedWords(text: string): string[] {
  return QUOTED.flatMap((quoted) => [...text.matchAll(quoted)].map(([, word]) => word!));
}
