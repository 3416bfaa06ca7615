import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startGuarded } from "@belfry/local/servers/guarded-process";
import type { Cleanup } from "@belfry/testing/cleanup";
import { eventually } from "@belfry/testing/eventually";
import { freePort } from "@belfry/testing/free-port";
import { temporaryFolder } from "@belfry/testing/temporary-folder";
import pg from "pg";
import { programOnPath } from "./program-on-path.ts";

/** The program; undefined if BELFRY_WITHOUT_PGBOUNCER is set. */
export const pgbouncer = await programOnPath("pgbouncer", {
  install: "apt-get install pgbouncer",
  withoutVariable: "BELFRY_WITHOUT_PGBOUNCER",
});

/** Connections to Postgres: few, so that a client's transactions often run on different ones. */
export const POOL_SIZE = 8;

/** Starts a PgBouncer in transaction mode in front of a Postgres that asks for no password. */
export async function startPgBouncer(t: Cleanup, databaseUrl: string) {
  const { hostname, port, username } = new URL(databaseUrl);
  const url = new URL(databaseUrl);
  url.port = String(await freePort());
  const directory = await temporaryFolder(t, "pgbouncer");
  await chmod(directory, 0o755);
  const [users, file] = [join(directory, "users.txt"), join(directory, "pgbouncer.ini")];
  await writeFile(users, `"${username}" ""\n`);
  await writeFile(
    file,
    `[databases]
* = host=${hostname} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${url.port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
admin_users = ${username}
pool_mode = transaction
default_pool_size = ${POOL_SIZE}
ignore_startup_parameters = options, statement_timeout
`,
  );
  const lines: string[] = [];
  const server = startGuarded({
    command: pgbouncer!,
    args: [file],
    env: {},
    // PgBouncer refuses to run as root.
    user: process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : undefined,
    stopSignal: "TERM",
    onLine: (line) => lines.push(line),
  });
  t.after(() => server.kill());
  const console = new URL(url);
  console.pathname = "/pgbouncer";
  const pooler = {
    /** The database's URL through the pooler. */
    url: url.href,
    /** Replaces the connections to Postgres by new ones, which have the settings of the role as they are now. */
    async reconnect(): Promise<void> {
      const client = new pg.Client({ connectionString: console.href });
      client.on("error", () => undefined);
      await client.connect();
      await client.query("reconnect");
      await client.end();
    },
  };
  await eventually(pooler.reconnect).catch((cause) => {
    throw new Error(`PgBouncer did not start:\n${lines.join("\n")}`, { cause });
  });
  return pooler;
}
