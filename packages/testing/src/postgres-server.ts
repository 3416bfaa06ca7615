import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PostgresServer, startPostgres } from "@belfry/local/servers/postgres-server";
import type { Cleanup } from "./cleanup.ts";
import { freePort } from "./free-port.ts";

/**
 * A Postgres of one test's own, to be killed and restarted; stopped and removed after the test. What is
 * committed is on the disk.
 */
export async function ownPostgresServer(t: Cleanup) {
  const dataDir = await mkdtemp(join(tmpdir(), "belfry-postgres-"));
  // Root starts the server as another user, who has to get there.
  await chmod(dataDir, 0o755);
  const port = await freePort();
  let server: PostgresServer | undefined;
  let directory: string | undefined;
  const own = {
    /** Of the database `postgres`, empty at first; the same over restarts. */
    url: "",
    /** SIGKILL. */
    async kill() {
      await server?.kill();
      server = undefined;
    },
    async stop() {
      await server?.stop();
      server = undefined;
    },
    /** After `kill` or `stop`, on the same port and files. */
    async start(): Promise<void> {
      server = await startPostgres({ dataDir, port, durable: true, log: () => undefined });
      own.url = server.url;
      directory = server.directory;
    },
  };
  t.after(async () => {
    // Not killed: that would leave its shared memory behind.
    await own.stop();
    await rm(dataDir, { recursive: true, force: true });
    if (directory !== undefined) await rm(directory, { recursive: true, force: true });
  });
  await own.start();
  return own;
}
