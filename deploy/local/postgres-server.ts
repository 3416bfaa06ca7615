import { randomBytes } from "node:crypto";
import { chmod, chown, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { startGuarded } from "./guarded-process.ts";
import { type PostgresPlace, placePostgres } from "./postgres-place.ts";

const READY_TIMEOUT_MS = 60_000;
const SUPERUSER = "belfry";

export interface PostgresServer {
  /** Of the database `postgres`, as superuser. */
  url: string;
  /** Where the files are: below `dataDir`, unless the server's user cannot go there. */
  directory: string;
  exited: Promise<{ code: number | null }>;
  /** Fast shutdown: clients are cut off, everything is written. */
  stop(): Promise<void>;
  /** SIGKILL, as a crash would. */
  kill(): Promise<void>;
}

export interface PostgresServerOptions {
  /** Made when it is missing; found again by the next start. */
  dataDir: string;
  port: number;
  log: (line: string) => void;
  /** false (tests): no fsync and no password. */
  durable: boolean;
}

/**
 * Starts the embedded Postgres on loopback. It ends with this process. Root may not run Postgres: it
 * then runs as the user `postgres` or `nobody`, from a place where that user can go.
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
    ...(options.durable
      ? {}
      : { fsync: "off", full_page_writes: "off", synchronous_commit: "off", max_wal_size: "2GB" }),
  };
  const lastLines: string[] = [];
  const server = startGuarded({
    command: join(place.binaries, "bin", "postgres"),
    args: ["-D", cluster, ...Object.entries(settings).flatMap(([k, v]) => ["-c", `${k}=${v}`])],
    env: { LC_ALL: "C" },
    stopSignal: "INT",
    user: place.user,
    onLine(line) {
      lastLines.push(line);
      if (lastLines.length > 20) lastLines.shift();
      options.log(line);
    },
  });
  let ended = false;
  server.exited.then(() => {
    ended = true;
  });
  const credentials = password === undefined ? SUPERUSER : `${SUPERUSER}:${password}`;
  const url = `postgres://${credentials}@127.0.0.1:${options.port}/postgres`;
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    const refusal = await connectionRefusal(url);
    if (refusal === undefined && !ended) break;
    if (ended || Date.now() > deadline) {
      await server.kill();
      throw new Error(
        `Postgres did not start on port ${options.port}: ${refusal}\n${lastLines.join("\n")}`,
      );
    }
    await sleep(25);
  }
  return {
    url,
    directory: place.directory,
    exited: server.exited,
    stop: () => server.stop(30_000),
    kill: () => server.kill(),
  };
}

/** Runs `initdb` once; a half-made cluster of an interrupted start is made anew. Returns the password. */
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

async function connectionRefusal(url: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
