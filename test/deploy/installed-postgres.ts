import { execFile } from "node:child_process";
import { access, chmod, chown, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { startGuarded } from "@belfry/local/servers/guarded-process";
import { eventually } from "@belfry/testing/eventually";
import { freePort } from "@belfry/testing/free-port";
import { temporaryFolder } from "@belfry/testing/temporary-folder";
import pg from "pg";
import { programOnPath } from "./program-on-path.ts";

const run = promisify(execFile);
const DEBIAN = "/usr/lib/postgresql";

/** Postgres from the machine's packages, because the embedded one lacks `pg_dump`. */
interface InstalledPostgres {
  /** The URL of the database `postgres` as superuser. */
  url: string;
  /** Runs one of its programs, such as `pg_dump`. */
  program(name: string, args: string[]): Promise<void>;
}

/** Undefined if BELFRY_WITHOUT_PG_DUMP is set. */
export async function startInstalledPostgres(t: {
  after(fn: () => unknown): void;
}): Promise<InstalledPostgres | undefined> {
  const binaries = await findBinaries();
  if (binaries === undefined) return undefined;
  const directory = await temporaryFolder(t, "installed-postgres");
  const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : undefined;
  if (user !== undefined) await chown(directory, user.uid, user.gid);
  await chmod(directory, 0o755);
  const cluster = join(directory, "cluster");
  await run(
    join(binaries, "initdb"),
    ["-D", cluster, "-U", "belfry", "-A", "trust", "-E", "UTF8", "--locale", "C", "--no-sync"],
    { ...user, cwd: directory, env: { LC_ALL: "C" } },
  );
  const port = await freePort();
  const lines: string[] = [];
  const server = startGuarded({
    command: join(binaries, "postgres"),
    args: [
      ...["-D", cluster, "-p", String(port), "-h", "127.0.0.1"],
      ...["-c", "unix_socket_directories=", "-c", "fsync=off"],
    ],
    env: { LC_ALL: "C" },
    stopSignal: "INT",
    user,
    onLine: (line) => lines.push(line),
  });
  t.after(() => server.stop());
  const url = `postgres://belfry@127.0.0.1:${port}/postgres`;
  await eventually(() => answers(url)).catch(() => {
    throw new Error(`Postgres did not start:\n${lines.join("\n")}`);
  });
  return {
    url,
    async program(name, args) {
      await run(join(binaries, name), args, { env: { LC_ALL: "C" } });
    },
  };
}

async function findBinaries(): Promise<string | undefined> {
  const versions = await readdir(DEBIAN).catch(() => []);
  for (const version of versions.sort((a, b) => Number(b) - Number(a))) {
    const folder = join(DEBIAN, version, "bin");
    const has = (name: string) =>
      access(join(folder, name)).then(
        () => true,
        () => false,
      );
    if ((await has("pg_dump")) && (await has("initdb"))) return folder;
  }
  const initdb = await programOnPath("initdb", {
    install: "apt-get install postgresql",
    withoutVariable: "BELFRY_WITHOUT_PG_DUMP",
  });
  return initdb === undefined ? undefined : dirname(initdb);
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
