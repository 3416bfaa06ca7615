import { execFile } from "node:child_process";
import { chmod, chown, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type PostgresServer, startPostgres } from "@belfry/local/servers/postgres-server";
import pg from "pg";
import type { Cleanup } from "./cleanup.ts";
import { eventually } from "./eventually.ts";
import { freePort } from "./free-port.ts";
import { createOpenGate } from "./gate.ts";

const run = promisify(execFile);

interface PostgresNode {
  name: string;
  port: number;
  dataDir: string;
  server?: PostgresServer | undefined;
  /** The address of the database `postgres`; set once the server has run. */
  url?: string;
}

/** With these settings, every commit waits until one of the standbys has written it to disk. */
const REPLICATION = {
  synchronous_standby_names: "ANY 1 (one, two, three)",
  // Keeps the WAL that a standby misses while it is down or being copied.
  wal_keep_size: "256MB",
};

/**
 * Starts a Postgres primary with two synchronous standbys behind a TCP proxy that leads to the primary, for one test.
 * After the test they are stopped and their files are removed.
 */
export async function ownPostgresCluster(t: Cleanup) {
  const directory = await mkdtemp(join(tmpdir(), "belfry-postgres-cluster-"));
  // Root starts the servers as another user, who must be able to read the folder.
  await chmod(directory, 0o755);
  const nodes: PostgresNode[] = [];
  for (const name of ["one", "two", "three"]) {
    const port = await freePort();
    nodes.push({ name, port, dataDir: join(directory, name) });
  }
  t.after(async () => {
    await Promise.all(nodes.map(stop));
    await rm(directory, { recursive: true, force: true });
  });
  let primary = nodes[0]!;
  let standbys = nodes.slice(1);

  // The primary is copied while it is stopped, so that all three begin with the same data.
  await start(primary, {});
  await stop(primary);
  for (const node of standbys) {
    await run("cp", ["-a", primary.dataDir, node.dataDir]);
    await writeServerFile(node, "standby.signal", "");
  }
  await start(primary, REPLICATION);
  const { password } = new URL(primary.url!);
  const follow = (node: PostgresNode) =>
    start(node, {
      ...REPLICATION,
      primary_conninfo: `host=127.0.0.1 port=${primary.port} user=belfry password=${password} application_name=${node.name}`,
    });
  for (const node of standbys) await follow(node);
  const gate = await createOpenGate(t, primary.url!);

  const cluster = {
    /** The address of the primary's database `postgres`, through the proxy. */
    url: gate.url,
    /** Returns an argument of the primary's process that distinguishes it from the standbys in `ps`. */
    primaryMarker: () => `port=${primary.port}`,
    standbyNames: () => standbys.map(({ name }) => name),
    /** Sends SIGKILL. */
    kill: (name: string) => kill(named(name)),
    killPrimary: () => kill(primary),
    /** Starts a killed standby again with its files. */
    restart: (name: string) => follow(named(name)),
    /**
     * Promotes the standby that has received the most data to primary; the other one becomes its standby. Before, the
     * proxy cuts every connection to the old primary. It never connects to it again. Returns the old primary's name.
     */
    async failOver() {
      await gate.close();
      const [first, second] = standbys as [PostgresNode, PostgresNode];
      const [most, other] =
        (await receivedBytes(first)) >= (await receivedBytes(second))
          ? [first, second]
          : [second, first];
      await withClient(most, (client) => client.query("select pg_promote()"));
      const old = primary;
      primary = most;
      standbys = [other];
      await stop(other);
      await follow(other);
      gate.leadTo(primary.url!);
      await gate.open();
      return old.name;
    },
    /** Kills the old primary, replaces its files by a copy of the new one's, and starts it as a standby. */
    async rebuild(name: string) {
      const node = named(name);
      await kill(node);
      await rm(node.dataDir, { recursive: true, force: true });
      await withClient(primary, async (client) => {
        await client.query("select pg_backup_start('rebuild', true)");
        await copyRunning(primary, node);
        const { rows } = await client.query<{ labelfile: string }>(
          "select labelfile from pg_backup_stop(false)",
        );
        await writeServerFile(node, "backup_label", rows[0]!.labelfile);
        await writeServerFile(node, "standby.signal", "");
      });
      await follow(node);
      standbys.push(node);
    },
    /** Waits until every standby is connected and has stored everything that the primary had written at the call. */
    untilReplicated: () =>
      withClient(primary, async (client) => {
        const { rows: now } = await client.query<{ lsn: string }>(
          "select pg_current_wal_lsn() as lsn",
        );
        await eventually(async () => {
          const { rows } = await client.query(
            "select from pg_stat_replication where flush_lsn >= $1::pg_lsn",
            [now[0]!.lsn],
          );
          return rows.length === standbys.length;
        });
      }),
  };
  const named = (name: string) => nodes.find((node) => node.name === name)!;
  return cluster;
}

async function start(node: PostgresNode, settings: Record<string, string>): Promise<void> {
  const { dataDir, port } = node;
  node.server = await startPostgres({
    dataDir,
    port,
    durable: true,
    settings,
    log: () => undefined,
  });
  node.url = node.server.url;
}

async function stop(node: PostgresNode): Promise<void> {
  await node.server?.stop();
  node.server = undefined;
}

async function kill(node: PostgresNode): Promise<void> {
  await node.server?.kill();
  node.server = undefined;
}

async function withClient<T>(
  node: PostgresNode,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: node.url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function receivedBytes(node: PostgresNode): Promise<number> {
  return withClient(node, async (client) => {
    const { rows } = await client.query<{ bytes: string }>(
      "select pg_wal_lsn_diff(coalesce(pg_last_wal_receive_lsn(), '0/0'), '0/0') as bytes",
    );
    return Number(rows[0]!.bytes);
  });
}

const filesOf = (node: PostgresNode) => join(node.dataDir, "cluster");

/** Writes a file of the server's data, owned by the user that the server runs as. */
async function writeServerFile(node: PostgresNode, name: string, text: string): Promise<void> {
  const { uid, gid } = await stat(filesOf(node));
  const file = join(filesOf(node), name);
  await writeFile(file, text, { mode: 0o600 });
  await chown(file, uid, gid);
}

/** Copies the files of a running server except its WAL, which the copy streams later. */
async function copyRunning(from: PostgresNode, to: PostgresNode): Promise<void> {
  await run("cp", ["-a", from.dataDir, to.dataDir]).catch((error: { stderr?: string }) => {
    const lines = (error.stderr ?? "").trim().split("\n");
    // The server may remove files during the copy.
    if (!lines.every((line) => line.endsWith("No such file or directory"))) throw error;
  });
  const files = filesOf(to);
  await rm(join(files, "postmaster.pid"), { force: true });
  for (const entry of await readdir(join(files, "pg_wal"), { withFileTypes: true })) {
    if (entry.isFile()) await rm(join(files, "pg_wal", entry.name));
  }
}
