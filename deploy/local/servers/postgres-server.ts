import { randomBytes } from "node:crypto";
import { chmod, chown, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type GuardedProcess, startGuarded } from "./guarded-process.ts";
import { type PostgresPlace, placePostgres } from "./postgres-place.ts";

const READY_TIMEOUT_MS = 60_000;
/** How long the remains of a crashed server are waited for. */
const OLD_ONE_LEAVES_MS = 10_000;
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
  /** false (tests): no fsync, no password, and no vacuum or statistics but those that are asked for. */
  durable: boolean;
  /** Memory for pages, as `512MB`; Postgres' own default where it is left out. */
  sharedBuffers?: string;
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
    // In files among its own: what a killed server leaves goes with its folder.
    dynamic_shared_memory_type: "mmap",
    ...(options.sharedBuffers !== undefined && { shared_buffers: options.sharedBuffers }),
    ...(options.durable
      ? {}
      : {
          ...{ fsync: "off", full_page_writes: "off", synchronous_commit: "off" },
          ...{ max_wal_size: "2GB", autovacuum: "off" },
        }),
  };
  const credentials = password === undefined ? SUPERUSER : `${SUPERUSER}:${password}`;
  const url = `postgres://${credentials}@127.0.0.1:${options.port}/postgres`;
  const args = [
    "-D",
    cluster,
    ...Object.entries(settings).flatMap(([k, v]) => ["-c", `${k}=${v}`]),
  ];
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    const lastLines: string[] = [];
    const server = startGuarded({
      command: join(place.binaries, "bin", "postgres"),
      args,
      env: { LC_ALL: "C" },
      stopSignal: "INT",
      user: place.user,
      onLine(line) {
        lastLines.push(line);
        if (lastLines.length > 20) lastLines.shift();
        options.log(line);
      },
    });
    const refusal = await untilReady(server, url, cluster, deadline);
    if (refusal === undefined) {
      return {
        url,
        directory: place.directory,
        exited: server.exited,
        stop: () => server.stop(30_000),
        kill: () => server.kill(),
      };
    }
    await server.kill();
    const output = lastLines.join("\n");
    // After a crash of its postmaster the last backends need a moment to notice.
    const isOldOneLeaving = /pre-existing shared memory|postmaster\.pid/.test(output);
    if (!isOldOneLeaving || Date.now() > deadline - READY_TIMEOUT_MS + OLD_ONE_LEAVES_MS) {
      throw new Error(`Postgres did not start on port ${options.port}: ${refusal}\n${output}`);
    }
    await sleep(200);
  }
}

/** Waits until our server takes clients; returns why it does not, or undefined. */
async function untilReady(server: GuardedProcess, url: string, cluster: string, deadline: number) {
  let ended = false;
  // biome-ignore lint/nursery/noFloatingPromises: never rejects
  server.exited.then(() => {
    ended = true;
  });
  for (;;) {
    const refusal = await connectionRefusal(url, cluster);
    if (refusal === undefined && !ended) return undefined;
    if (ended || Date.now() > deadline) return refusal ?? "it ended";
    await sleep(25);
  }
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

async function connectionRefusal(url: string, cluster: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ data_directory: string }>("SHOW data_directory");
    // Another server may have had the port first.
    return rows[0]?.data_directory === cluster ? undefined : "another Postgres has this port";
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
