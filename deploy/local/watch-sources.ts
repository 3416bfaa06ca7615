import { type FSWatcher, watch } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { WORKSPACE } from "./settings.ts";

/** Quiet time in ms before a change is reported. An editor's save causes several file system events. */
const QUIET_MS = 150;

/** The packages that each service imports, directly or through others, by service name. */
export type ServicePackages = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Watches `services/` and `packages/`. Calls `onChange` with the changed files (relative to the workspace) when nothing
 * has changed for a moment. Calls do not overlap.
 */
export function watchSources(onChange: (files: string[]) => Promise<void>): Disposable {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let calls = Promise.resolve();
  const report = () => {
    const files = [...changed].sort();
    changed.clear();
    calls = calls.then(() => onChange(files));
  };
  const watchers: FSWatcher[] = ["services", "packages"].map((folder) =>
    watch(join(WORKSPACE, folder), { recursive: true }, (_event, name) => {
      const file = `${folder}/${name}`;
      if (name === null || !isSource(file)) return;
      changed.add(file);
      clearTimeout(timer);
      timer = setTimeout(report, QUIET_MS);
    }),
  );
  return {
    [Symbol.dispose]() {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
    },
  };
}

/** Returns the names of the services that use a changed file. */
export function servicesOf(files: readonly string[], services: ServicePackages): string[] {
  const concerns = ([name, packages]: [string, ReadonlySet<string>]) =>
    files.some((file) => {
      const [folder, owner = ""] = file.split("/");
      return folder === "services" ? owner === name : packages.has(owner);
    });
  return [...services].filter(concerns).map(([name]) => name);
}

/** Whether SQL files of the database package have changed. */
export function changesDatabase(files: readonly string[]): boolean {
  return files.some((file) => file.startsWith("packages/database/") && file.endsWith(".sql"));
}

/** Finds the packages that each service imports, from the manifests. */
export async function servicePackages(): Promise<ServicePackages> {
  const services = await readdir(join(WORKSPACE, "services"));
  const found = new Map<string, Promise<string[]>>();
  const importedBy = (folder: string) => {
    const known = found.get(folder) ?? workspaceDependencies(folder);
    found.set(folder, known);
    return known;
  };
  const closure = async (folder: string, into: Set<string>): Promise<Set<string>> => {
    for (const name of await importedBy(folder)) {
      if (into.has(name)) continue;
      into.add(name);
      await closure(`packages/${name}`, into);
    }
    return into;
  };
  return new Map(
    await Promise.all(
      services.map(async (name) => [name, await closure(`services/${name}`, new Set())] as const),
    ),
  );
}

async function workspaceDependencies(folder: string): Promise<string[]> {
  const manifest = JSON.parse(await readFile(join(WORKSPACE, folder, "package.json"), "utf8"));
  return Object.keys(manifest.dependencies ?? {})
    .filter((name) => name.startsWith("@belfry/"))
    .map((name) => name.slice("@belfry/".length));
}

function isSource(file: string): boolean {
  return (
    !/(^|\/)(node_modules|test|\.[^/]*)(\/|$)/.test(file) &&
    /\.(ts|js|sql|eta|css|json|mjml)$/.test(file) &&
    !file.endsWith(".test.ts")
  );
}
