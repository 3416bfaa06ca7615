import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { Pool } from "@belfry/database/connection";
import type { Cleanup } from "@belfry/testing/cleanup";
import { temporaryFolder } from "@belfry/testing/temporary-folder";
import { TREE } from "../services.ts";
import type { Version } from "../world.ts";

const run = promisify(execFile);

export interface VersionBefore extends Version {
  /** Returns whether its dispatchers can read the configuration for events of a type. */
  canRoute(pool: Pool, event: { tenantId: string; eventType: string }): Promise<boolean>;
}

/** The commit that this version is compared with while there is no release. */
const NO_RELEASE = "1f4fca44";

/** Returns the last release, by its tag. */
export async function lastRelease(): Promise<string> {
  const found = run("git", ["describe", "--tags", "--abbrev=0"], { cwd: TREE });
  return await found.then(
    ({ stdout }) => stdout.trim(),
    () => NO_RELEASE,
  );
}

/** Checks out a commit into a temporary folder and installs its packages. */
export async function checkOut(t: Cleanup, commit: string): Promise<VersionBefore> {
  const folder = await unpack(t, commit);
  await numberAsEarlier(join(folder, "packages/database/package.json"));
  const install = ["--yes", "pnpm@12", "install", "--frozen-lockfile", "--prefer-offline"];
  await run("npx", install, { cwd: folder });
  const tree = pathToFileURL(`${folder}/`);
  const load = (path: string) => import(new URL(path, tree).href);
  const { migrateToLatest } = await load("packages/database/src/migrate.ts");
  const { createLoadTenant } = await load("test/failure/world.ts");
  const { createRoutingCache } = await load("services/dispatcher/src/routing-cache.ts");
  return {
    tree,
    migrateToLatest,
    createLoadTenant,
    canRoute: (pool, event) =>
      createRoutingCache(pool)
        .routingFor([event])
        .then(
          () => true,
          () => false,
        ),
  };
}

/** Writes the files of a commit below these paths, by default all, into a temporary folder. */
export async function unpack(t: Cleanup, commit: string, paths: string[] = []): Promise<string> {
  const folder = await temporaryFolder(t, "before");
  const archive = join(folder, "tree.tar");
  await run("git", ["archive", "--output", archive, commit, ...paths], { cwd: TREE });
  await run("tar", ["--extract", "--file", archive, "--directory", folder]);
  return folder;
}

/** Between releases both versions have the same number; a pre-release is the earlier one. */
async function numberAsEarlier(path: string): Promise<void> {
  const text = await readFile(path, "utf8");
  await writeFile(path, text.replace(/^( {2}"version": "[^"+]+)[^"]*/m, "$1-before"));
}
