import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PostgresServer, startPostgres } from "@belfry/local/servers/postgres-server";
import type { Cleanup } from "./cleanup.ts";
import { freePort } from "./free-port.ts";

/**
 * Starts a Postgres for one test, which may kill and restart it. Commits are durable. After the test the server is
 * stopped and its files are removed.
 */
export async function ownPostgresServer(t: Cleanup) {
  const dataDir = await mkdtemp(join(tmpdir(), "belfry-postgres-"));
  // Root starts the server as another user, who must be able to read the folder.
  await chmod(dataDir, 0o755);
  const port = await freePort();
  let server: PostgresServer | undefined;
  let directory: string | undefined;
  const own = {
    /** The URL of the database `postgres`, which is empty at first. It stays the same after a restart. */
    url: "",
    /** Sends SIGKILL. */
    async kill() {
      await server?.kill();
      server = undefined;
    },
    async stop() {
      await server?.stop();
      server = undefined;
    },
    /** Starts the server again on the same port and files. */
    async start(): Promise<void> {
      server = await startPostgres({ dataDir, port, durable: true, log: () => undefined });
      own.url = server.url;
      directory = server.directory;
    },
  };
  t.after(async () => {
    // After SIGKILL, its shared memory would remain.
    await own.stop();
    await rm(dataDir, { recursive: true, force: true });
    if (directory !== undefined) await rm(directory, { recursive: true, force: true });
  });
  await own.start();
  return own;
}
