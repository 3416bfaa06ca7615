import assert from "node:assert/strict";
import { test } from "node:test";
import { freePort } from "@belfry/testing/free-port";
import { createTestDatabase } from "@belfry/testing/postgres";
import { createPool } from "./connection.ts";
import { MIGRATIONS, migrateToLatest } from "./migrate.ts";
import { waitForSchema } from "./wait-for-schema.ts";

function recorder() {
  const said: string[] = [];
  const say = (_details: object, message: string) => void said.push(message);
  return { said, log: { info: say, warn: say } };
}

test("a service waits for an empty database to be migrated, says so once, and goes on", async (t) => {
  const database = await createTestDatabase(undefined, "template0");
  const pool = createPool({ url: database.url, applicationName: "test" });
  t.after(async () => {
    await pool.end();
    await database[Symbol.asyncDispose]();
  });
  const { said, log } = recorder();
  const waiting = waitForSchema(pool, { log, signal: t.signal, everyMs: 10 });
  while (said.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await migrateToLatest(database.url);
  await waiting;
  assert.deepEqual(said, ["waiting for the database to be migrated", "the database is ready"]);
});

test("a database that lacks one migration is not ready, whichever it is; one that has more is", async (t) => {
  const database = await createTestDatabase();
  const pool = createPool({ url: database.url, applicationName: "test" });
  t.after(async () => {
    await pool.end();
    await database[Symbol.asyncDispose]();
  });
  await pool.query("insert into kysely_migration values ('9999-later', now()::text)");
  const { said, log } = recorder();
  await waitForSchema(pool, { log, signal: t.signal });
  assert.deepEqual(said, []);
  for (const name of Object.keys(MIGRATIONS)) {
    const { rows } = await pool.query("delete from kysely_migration where name = $1 returning *", [
      name,
    ]);
    const stop = new AbortController();
    const { promise: warned, resolve } = Promise.withResolvers<object>();
    const waiting = waitForSchema(pool, {
      log: { info: () => undefined, warn: resolve },
      signal: stop.signal,
      everyMs: 10,
    });
    const first = await Promise.race([waiting.then(() => "ready"), warned]);
    assert.deepEqual(first, { missing: [name] });
    stop.abort(new Error("stopped"));
    await assert.rejects(waiting, /stopped/);
    await pool.query(
      "insert into kysely_migration select * from json_populate_recordset(null::kysely_migration, $1)",
      [JSON.stringify(rows)],
    );
  }
});

test("Postgres away is waited for, and a stop ends the wait", async (t) => {
  const port = await freePort();
  const pool = createPool({
    url: `postgres://nobody@127.0.0.1:${port}/x`,
    applicationName: "test",
  });
  t.after(() => pool.end());
  const stop = new AbortController();
  const { said, log } = recorder();
  const waiting = waitForSchema(pool, { log, signal: stop.signal, everyMs: 10 });
  while (said.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(said, ["waiting for Postgres"]);
  stop.abort(new Error("stopped"));
  await assert.rejects(waiting, /stopped/);
});
