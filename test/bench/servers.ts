import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrateToLatest } from "@belfry/database/migrate";
import { startNats } from "@belfry/local/nats-server";
import { startPostgres } from "@belfry/local/postgres-server";
import { freePort } from "@belfry/testing/free-port";

export interface BenchServers extends AsyncDisposable {
  databaseUrl: string;
  natsUrl: string;
  secretsKeys: string;
  realtimeTokenKeys: string;
}

/** A Postgres that syncs every commit and a nats-server with a file store, for one run. */
export async function startServers(): Promise<BenchServers> {
  await using cleanup = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), "belfry-bench-"));
  cleanup.defer(() => rm(directory, { recursive: true, force: true }));
  const log = () => undefined;
  const postgres = await startPostgres({
    dataDir: join(directory, "postgres"),
    port: await freePort(),
    log,
    durable: true,
  });
  cleanup.defer(async () => {
    await postgres.stop();
    await rm(postgres.directory, { recursive: true, force: true });
  });
  const nats = await startNats({
    storeDir: join(directory, "nats"),
    port: await freePort(),
    log,
    mayInstall: true,
  });
  cleanup.defer(() => nats.stop());
  await migrateToLatest(postgres.url);
  const kept = cleanup.move();
  return {
    databaseUrl: postgres.url,
    natsUrl: nats.url,
    secretsKeys: `bench:${randomBytes(32).toString("base64")}`,
    realtimeTokenKeys: `bench:${randomBytes(32).toString("base64")}`,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
