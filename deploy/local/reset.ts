import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { claimHome, homeFolder } from "./home-folder.ts";
import { removePostgres } from "./servers/postgres-server.ts";
import { readSettings } from "./settings.ts";

/**
 * `pnpm dev:reset` deletes the local stack's data, keys and logs, unless a stack is running. Your own Postgres or NATS
 * server (`DATABASE_URL`, `NATS_URL`) keeps its data.
 */
const { home: path } = readSettings();
const home = homeFolder(path);
/** All paths that a stack writes. Other files in the folder are not deleted. */
const files = Object.values(home).filter((file) => file !== path);

try {
  const names = await readdir(path).catch(() => []);
  if (names.length === 0) {
    process.stdout.write(`There is no local data in ${path}.\n`);
  } else {
    await claimHome(home, process.pid);
    await removePostgres(home.postgres);
    for (const file of files) await rm(file, { recursive: true, force: true });
    const left = (await readdir(path)).map((name) => join(path, name));
    if (left.length === 0) await rm(path, { recursive: true });
    process.stdout.write(`The local data in ${path} is gone.\n`);
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
