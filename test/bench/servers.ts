import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrateToLatest } from "@belfry/database/migrate";
import { startNats } from "@belfry/local/servers/nats-server";
import { startPostgres } from "@belfry/local/servers/postgres-server";
import { freePort } from "@belfry/testing/free-port";
import { createTestDatabase } from "@belfry/testing/postgres";

/**
 * A Postgres that syncs every commit and a nats-server with a file store, for one run. A quick run takes
 * a database of the Postgres that its caller may have for all of them.
 */
export async function startServers({
  quick,
  sharedBuffers = "512MB",
}: {
  quick: boolean;
  /** The shared buffers of a Postgres that is started for the run. The default is the value in deploy/compose.yaml. */
  sharedBuffers?: string;
}) {
  await using cleanup = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), "belfry-bench-"));
  cleanup.defer(() => rm(directory, { recursive: true, force: true }));
  // biome-ignore lint/style/noProcessEnv: how `pnpm test` hands over its servers
  const isShared = quick && (process.env.TEST_DATABASE_URL ?? "") !== "";
  const databaseUrl = isShared
    ? cleanup.use(await createTestDatabase()).url
    : await ownPostgres(cleanup, directory, sharedBuffers);
  const nats = await startNats({
    storeDir: join(directory, "nats"),
    port: await freePort(),
    log: () => undefined,
    mayInstall: true,
  });
  cleanup.defer(() => nats.stop());
  const kept = cleanup.move();
  return {
    databaseUrl,
    natsUrl: nats.url,
    secretsKeys: `bench:${randomBytes(32).toString("base64")}`,
    realtimeTokenKeys: `bench:${randomBytes(32).toString("base64")}`,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

export type BenchServers = Awaited<ReturnType<typeof startServers>>;

async function ownPostgres(
  cleanup: AsyncDisposableStack,
  directory: string,
  sharedBuffers: string,
): Promise<string> {
  const postgres = await startPostgres({
    dataDir: join(directory, "postgres"),
    port: await freePort(),
    log: () => undefined,
    durable: true,
    sharedBuffers,
  });
  cleanup.defer(async () => {
    await postgres.stop();
    await rm(postgres.directory, { recursive: true, force: true });
  });
  await migrateToLatest(postgres.url);
  return postgres.url;
}
