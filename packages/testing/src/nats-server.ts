import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type NatsServer, startNats } from "@belfry/local/servers/nats-server";
import type { Cleanup } from "./cleanup.ts";
import { freePort } from "./free-port.ts";

/**
 * Creates a nats-server for one test, which may kill, restart and empty it. It is started unless `started` is false.
 * After the test, it is killed and its files are removed.
 */
export async function ownNatsServer(t: Cleanup, options: { started?: boolean } = {}) {
  const directory = await mkdtemp(join(tmpdir(), "belfry-nats-"));
  const storeDir = join(directory, "store");
  const port = await freePort();
  let server: NatsServer | undefined;
  const own = {
    /** The server's URL. It stays the same after a restart. */
    url: `nats://127.0.0.1:${port}`,
    /** The folder of its JetStream files. */
    storeDir,
    /** Sends SIGKILL. */
    async kill() {
      await server?.kill();
      server = undefined;
    },
    async stop() {
      await server?.stop();
      server = undefined;
    },
    /** Starts the server again on the same port. `empty` deletes the stored data first. */
    async start({ empty = false }: { empty?: boolean } = {}) {
      if (empty) await rm(storeDir, { recursive: true, force: true });
      server = await startNats({ storeDir, port, log: () => undefined });
    },
  };
  t.after(async () => {
    await own.kill();
    await rm(directory, { recursive: true, force: true });
  });
  if (options.started !== false) await own.start();
  return own;
}
