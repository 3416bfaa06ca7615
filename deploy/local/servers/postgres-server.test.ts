import assert from "node:assert/strict";
import { chmod, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { freePort } from "@belfry/testing/free-port";
import { testServerUrl } from "@belfry/testing/test-server-url";
import pg from "pg";
import { startPostgres } from "./postgres-server.ts";

const log = () => undefined;

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

// One cluster for all of them: making it is most of the work.
test("a Postgres below a directory of mode 700", async (t) => {
  const closed = await mkdtemp(join(tmpdir(), "belfry-closed-"));
  await chmod(closed, 0o700);
  t.after(() => rm(closed, { recursive: true, force: true }));
  const dataDir = join(closed, "clone", ".belfry", "postgres");
  const start = async (port: number) => {
    const server = await startPostgres({ dataDir, port, log, durable: true });
    t.after(async () => {
      await server.kill();
      if (server.directory !== dataDir) {
        await rm(server.directory, { recursive: true, force: true });
      }
    });
    return server;
  };
  const first = await start(await freePort());
  await query(first.url, "CREATE TABLE kept AS SELECT 1 AS n");
  await first.kill();
  const second = await start(await freePort());

  await t.test("what was written is there after a crash and a second start", async () => {
    assert.equal(second.directory, first.directory);
    assert.deepEqual(await query(second.url, "SELECT n FROM kept"), [{ n: 1 }]);
    assert.deepEqual(await query(second.url, "SHOW fsync"), [{ fsync: "on" }]);
  });

  await t.test(
    "its shared memory is among its files, so that a kill leaves nothing elsewhere",
    async () => {
      assert.notDeepEqual(await readdir(join(second.directory, "cluster", "pg_dynshmem")), []);
    },
  );

  await t.test("a durable server wants its password, which only its owner can read", async () => {
    const url = new URL(second.url);
    url.password = "guessed";
    await assert.rejects(query(url.href, "SELECT 1"), /password authentication failed/);
    const { mode } = await stat(join(second.directory, "password"));
    assert.equal(mode & 0o077, 0);
  });

  await t.test("a taken port is a clear error, and leaves nothing running", async () => {
    await second.stop();
    await second.exited;
    const other = testServerUrl("TEST_DATABASE_URL");
    const { port } = new URL(other);
    await assert.rejects(start(Number(port)), new RegExp(`did not start on port ${port}`));
    assert.deepEqual(await query(other, "SELECT 1 AS n"), [{ n: 1 }]);
  });
});
