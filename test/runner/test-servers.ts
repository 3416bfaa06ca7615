import { createHash } from "node:crypto";
import { chmod, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { startNats } from "@belfry/local/servers/nats-server";
import { startPostgres } from "@belfry/local/servers/postgres-server";
import { freePort } from "@belfry/testing/free-port";
import { TEMPLATE_DATABASE } from "@belfry/testing/postgres";
import pg from "pg";
import { type ImportGraph, ROOT, reachedFrom } from "./import-graph.ts";

export interface TestServers {
  databaseUrl: string;
  natsUrl: string;
}

/** Starts a Postgres and a nats-server in the folder. `cleanup` stops them and removes their files. */
export async function startServers(
  cleanup: AsyncDisposableStack,
  folder: string,
): Promise<TestServers> {
  // Root starts Postgres as another user, who must be able to read the folder.
  await chmod(folder, 0o755);
  const log = () => undefined;
  const startedPostgres = async () => {
    const dataDir = join(folder, "postgres");
    const server = await startPostgres({ dataDir, port: await freePort(), log, durable: false });
    cleanup.defer(async () => {
      await server.stop();
      await rm(server.directory, { recursive: true, force: true });
    });
    return server.url;
  };
  const startedNats = async () => {
    const storeDir = join(folder, "nats");
    const server = await startNats({ storeDir, port: await freePort(), log, mayInstall: true });
    cleanup.defer(() => server.stop());
    return server.url;
  };
  const [postgres, nats] = await Promise.allSettled([startedPostgres(), startedNats()]);
  if (postgres.status === "rejected") throw postgres.reason;
  if (nats.status === "rejected") throw nats.reason;
  return { databaseUrl: postgres.value, natsUrl: nats.value };
}

/**
 * Creates the migrated database that tests clone. An existing one is reused if it has the current tables and functions:
 * its comment holds their hash.
 */
export async function provideTemplate(databaseUrl: string, graph: ImportGraph): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query("select pg_advisory_lock(hashtextextended($1, 0))", [TEMPLATE_DATABASE]);
    const { rows } = await client.query<{ comment: string | null }>(
      "select shobj_description(oid, 'pg_database') as comment from pg_database where datname = $1",
      [TEMPLATE_DATABASE],
    );
    const current = await schemaHash(graph);
    if (rows[0]?.comment === current) return;
    await client.query(`drop database if exists ${TEMPLATE_DATABASE} with (force)`);
    await client.query(`create database ${TEMPLATE_DATABASE} template template0`);
    const url = new URL(databaseUrl);
    url.pathname = `/${TEMPLATE_DATABASE}`;
    const { migrateToLatest } = await import("@belfry/database/migrate");
    await migrateToLatest(url.href);
    await client.query(`comment on database ${TEMPLATE_DATABASE} is '${current}'`);
  } finally {
    await client.end();
  }
}

/** A hash of all files that a migration reads. */
async function schemaHash(graph: ImportGraph): Promise<string> {
  const hash = createHash("sha256");
  for (const file of [...reachedFrom(["packages/database/src/migrate.ts"], graph)].sort()) {
    if (graph.names.has(file)) hash.update(await readFile(join(ROOT, file)));
  }
  return hash.digest("hex");
}
