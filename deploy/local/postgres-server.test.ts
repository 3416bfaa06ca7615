import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { freePort } from "@belfry/testing/free-port";
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

test("what was written is there after a crash and a second start, also below a directory of mode 700", async (t) => {
  const closed = await mkdtemp(join(tmpdir(), "belfry-closed-"));
  await chmod(closed, 0o700);
  t.after(() => rm(closed, { recursive: true, force: true }));
  const dataDir = join(closed, "clone", ".belfry", "postgres");

  const first = await startPostgres({ dataDir, port: await freePort(), log, durable: true });
  if (first.directory !== dataDir) {
    t.after(() => rm(first.directory, { recursive: true, force: true }));
  }
  await query(first.url, "CREATE TABLE kept AS SELECT 1 AS n");
  await first.kill();

  const second = await startPostgres({ dataDir, port: await freePort(), log, durable: true });
  assert.equal(second.directory, first.directory);
  assert.deepEqual(await query(second.url, "SELECT n FROM kept"), [{ n: 1 }]);
  const settings = await query(second.url, "SHOW fsync");
  assert.deepEqual(settings, [{ fsync: "on" }]);
  await second.stop();
  await second.exited;
});

test("a durable server wants its password, which only its owner can read", async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), "belfry-password-"));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const server = await startPostgres({ dataDir, port: await freePort(), log, durable: true });
  t.after(async () => {
    await server.stop();
    if (server.directory !== dataDir) await rm(server.directory, { recursive: true, force: true });
  });
  const url = new URL(server.url);
  url.password = "guessed";
  await assert.rejects(query(url.href, "SELECT 1"), /password authentication failed/);
  const { mode } = await stat(join(server.directory, "password"));
  assert.equal(mode & 0o077, 0);
});

test("a taken port is a clear error, and leaves nothing running", async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), "belfry-taken-"));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const port = await freePort();
  const server = await startPostgres({
    dataDir: join(dataDir, "a"),
    port,
    log,
    durable: false,
  });
  t.after(() => server.stop());
  await assert.rejects(
    startPostgres({ dataDir: join(dataDir, "b"), port, log, durable: false }),
    new RegExp(`did not start on port ${port}`),
  );
  assert.deepEqual(await query(server.url, "SELECT 1 AS n"), [{ n: 1 }]);
});
