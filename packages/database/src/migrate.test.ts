import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestDatabase } from "@belfry/testing/postgres";
import { untilBlocked } from "@belfry/testing/until-blocked";
import { Migrator } from "kysely/migration";
import pg from "pg";
import { createDatabase, createPool } from "./connection.ts";
import { MIGRATIONS, type Migration, migrateToLatest } from "./migrate.ts";

const NAMES = Object.keys(MIGRATIONS).sort();

interface Cleanup {
  after(fn: () => Promise<void>): void;
}

/** As 0.1.0 made it: 0011 is still to come, and changes `tenants`. */
async function olderDatabase(t: Cleanup) {
  const database = await createTestDatabase(undefined, "template0");
  const clients: pg.Client[] = [];
  t.after(async () => {
    for (const client of clients) await client.end();
    await database[Symbol.asyncDispose]();
  });
  const db = createDatabase(createPool({ url: database.url, applicationName: "test" }));
  const older = Object.fromEntries(
    Object.entries(MIGRATIONS).filter(([name]) => name < "0011-retention"),
  );
  const migrator = new Migrator({ db, provider: { getMigrations: async () => older } });
  const { error } = await migrator.migrateToLatest();
  await db.destroy();
  assert.equal(error, undefined);
  const connect = async () => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    clients.push(client);
    return client;
  };
  return { url: database.url, connect };
}

test("a migration that somebody holds up does not hold up the others: it waits for moments, and goes on when it can", async (t) => {
  const { url, connect } = await olderDatabase(t);
  const [holder, reader, watcher] = [await connect(), await connect(), await connect()];
  await holder.query("begin");
  await holder.query("select from tenants");
  const migrating = migrateToLatest(url, { everyMs: 200 });
  for (let moment = 0; moment < 3; moment += 1) {
    await untilBlocked(watcher);
    // Behind the migration, which is behind the holder, who goes on.
    await reader.query("select from tenants");
  }
  await holder.query("commit");
  assert.deepEqual(await migrating, NAMES.slice(NAMES.indexOf("0011-retention")));
});

test("after its patience it says what holds it up, and has changed nothing", async (t) => {
  const { url, connect } = await olderDatabase(t);
  const holder = await connect();
  await holder.query("begin");
  await holder.query("select from tenants");
  const migrating = migrateToLatest(url, { everyMs: 50, patienceMs: 100 });
  await assert.rejects(migrating, /migration 0011-retention: somebody holds a table/);
  await holder.query("commit");
  const { rows } = await holder.query("select to_regclass('expiry_cursors') as it");
  assert.equal(rows[0].it, null);
  assert.ok((await migrateToLatest(url)).includes("0011-retention"));
});

test("many processes migrate at once, and each migration runs once", async (t) => {
  const database = await createTestDatabase(t, "template0");
  const ran = await Promise.all([1, 2, 3].map(() => migrateToLatest(database.url)));
  assert.deepEqual(ran.flat(), NAMES);
});

/** As they were added; those after it in the order of their names. */
const ADDED = [
  "0001-initial",
  "0002-accept-events",
  "0003-dispatch",
  "0005-sending",
  "0004-global-templates",
  "0006-provider-limits",
  "0008-receipts-and-suppressions",
  "0010-admin",
  "0011-retention",
  "0012-sign-in-tries",
  "0013-reconciliations",
  "0014-sensitive-events",
  "0015-release-in-parts",
  "0014-webhook-secret-overlap",
];

test("a database becomes the newest, in whatever order its migrations were added", async (t) => {
  const added = [...ADDED, ...NAMES.filter((name) => !ADDED.includes(name))];
  assert.deepEqual(added.toSorted(), NAMES);
  const newest = await shapeOf((await createTestDatabase(t)).url);
  for (let had = 1; had < added.length; had += 1) {
    // Where what it had is the beginning of what it gets, it is a database on its way like any other; but
    // for the last one, which had all of them in another order.
    const isBeginning = [...added.slice(0, had)].sort().every((name, at) => name === NAMES[at]);
    if (isBeginning && had !== ADDED.length) continue;
    await using database = await createTestDatabase(undefined, "template0");
    await migrateOnly(database.url, added.slice(0, had));
    assert.deepEqual(
      await migrateToLatest(database.url),
      added.slice(had).sort(),
      `after ${added[had - 1]}`,
    );
    assert.deepEqual(await shapeOf(database.url), newest, `after ${added[had - 1]}`);
  }
});

/** In this order, as the code of each moment did. */
async function migrateOnly(url: string, names: readonly string[]): Promise<void> {
  const db = createDatabase(createPool({ url, applicationName: "test" }));
  const known: Record<string, Migration> = {};
  for (const name of names) {
    known[name] = MIGRATIONS[name]!;
    const migrator = new Migrator({
      db,
      provider: { getMigrations: async () => known },
      allowUnorderedMigrations: true,
    });
    const { error } = await migrator.migrateUp({
      disableTransactions: known[name].withoutTransaction === true,
    });
    assert.equal(error, undefined);
  }
  await db.destroy();
}

/** Everything that a statement can depend on. */
async function shapeOf(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ line: string }>(
    `select concat_ws(' ', table_name, column_name, udt_name, is_nullable, column_default) as line
     from information_schema.columns where table_schema = 'public'
     union all
     select pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace
     union all
     select indexdef from pg_indexes where schemaname = 'public'
     union all
     select conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint
     where connamespace = 'public'::regnamespace
     union all
     select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
     union all
     select relname || ' ' || coalesce(array_to_string(reloptions, ','), '') from pg_class
     where relnamespace = 'public'::regnamespace
     order by line`,
  );
  await client.end();
  return rows.map(({ line }) => line);
}

test("an older version finds nothing to do on a newer schema", async (t) => {
  const database = await createTestDatabase(t);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query("insert into kysely_migration values ('9999-later', now()::text)");
  await client.end();
  assert.deepEqual(await migrateToLatest(database.url), []);
});
