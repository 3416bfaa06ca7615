import assert from "node:assert/strict";
import { test } from "node:test";
import { connectedDatabase } from "@belfry/testing/database";
import { freePort } from "@belfry/testing/free-port";
import { createPool } from "./connection.ts";
import { migrateToLatest } from "./migrate.ts";
import { waitForSchema } from "./open-database.ts";
import { SCHEMA, TRIAL_DATABASE } from "./schema-files.ts";

function recorder() {
  const said: string[] = [];
  const say = (_details: object, message: string) => void said.push(message);
  return { said, log: { info: say, warn: say } };
}

test("a service waits for an empty database to be migrated, says so once, and goes on", async (t) => {
  const { url, pool } = await connectedDatabase(t, { template: "template0" });
  const { said, log } = recorder();
  const waiting = waitForSchema(pool, { log, signal: t.signal, everyMs: 10 });
  while (said.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await migrateToLatest(url);
  await waiting;
  assert.deepEqual(said, ["waiting for the database to be migrated", "the database is ready"]);
});

test("a database that lacks one migration or function is not ready, whichever it is; one that has more is", async (t) => {
  const { pool } = await connectedDatabase(t);
  await pool.query("insert into kysely_migration values ('9999-later', now()::text)");
  const { said, log } = recorder();
  await waitForSchema(pool, { log, signal: t.signal });
  assert.deepEqual(said, []);
  const needed = [
    ...Object.keys(SCHEMA.migrations).map((name) => ["kysely_migration", "name", name]),
    ...SCHEMA.functions.map(({ name }) => ["applied_functions", "file", name]),
  ] as [table: string, column: string, name: string][];
  for (const [table, column, name] of needed) {
    const { rows } = await pool.query(`delete from ${table} where ${column} = $1 returning *`, [
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
    const missing = table === "applied_functions" ? `functions/${name}` : name;
    assert.deepEqual(first, { missing: [missing] });
    stop.abort(new Error("stopped"));
    await assert.rejects(waiting, /stopped/);
    await pool.query(
      `insert into ${table} select * from json_populate_recordset(null::${table}, $1)`,
      [JSON.stringify(rows)],
    );
  }
});

test("a database of a trial installation ends the wait with one sentence", async (t) => {
  const { pool } = await connectedDatabase(t, { template: "template0" });
  await pool.query("create table kysely_migration (name text)");
  const { log } = recorder();
  const waiting = waitForSchema(pool, { log, signal: t.signal });
  await assert.rejects(waiting, { message: TRIAL_DATABASE });
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
