import assert from "node:assert/strict";
import { test } from "node:test";
import type { Cleanup } from "@belfry/testing/cleanup";
import { createTestDatabase } from "@belfry/testing/postgres";
import { untilBlocked } from "@belfry/testing/until-blocked";
import pg from "pg";
import { compareVersions } from "./apply-functions.ts";
import { migrateToLatest } from "./migrate.ts";
import {
  functionFile,
  migrationOf,
  SCHEMA,
  type SchemaSource,
  TRIAL_DATABASE,
} from "./schema-files.ts";

/** In the order in which they were added, which is that of their names: a new one comes last. */
const ADDED = [
  "0001-tables",
  "0002-platform-templates",
  "0003-trusted-sign-in",
  "0004-deliveries-held-for",
  "0005-deliveries-held-index",
  "0006-attempt-classes",
  "0007-preferences-changed-at",
  "0008-cancels-of-tries",
  "0009-erasures-in-turn",
  "0010-links-of-mails",
  "0011-plain-characters",
  "0012-environments",
  "0013-platform-keys",
  "0014-key-roles",
  "0015-repeated-calls",
  "0016-reason-words",
  "0017-activity-sums",
  "0018-alerts-platform-templates",
  "0019-inbox-states",
  "0020-images-and-footer-texts",
  "0021-language-of-people",
  "0023-languages-platform-templates",
  "0024-trace-parents",
  "0025-topics-and-imports",
  "0026-envelopes",
  "0027-attachments",
  "0028-broadcasts",
  "0030-deliveries-due-index",
  "0031-broadcast-requests",
  "0032-unlinked-attachments",
  "0033-bytes-of-attachments",
  "0034-broadcasts-in-turn",
  "0036-bundle-applies",
  "0037-ignored-columns",
  "0038-alert-ends",
  "0039-broadcast-moves",
  "0040-devices",
  "0041-browser-devices",
  "0042-user-attributes",
  "0043-chat",
  "0044-alert-chats",
];
const ALL = [...ADDED, ...SCHEMA.functions.map(({ name }) => `functions/${name}`)];
/** The schema of a later version. */
const LATER: SchemaSource = {
  ...SCHEMA,
  migrations: {
    ...SCHEMA.migrations,
    "9999-later": migrationOf("alter table tenants add column later text"),
  },
};

async function database(t: Cleanup, template?: string) {
  const { url, ...made } = await createTestDatabase(undefined, template);
  const clients: pg.Client[] = [];
  t.after(async () => {
    for (const client of clients) await client.end();
    await made[Symbol.asyncDispose]();
  });
  const connect = async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    clients.push(client);
    return client;
  };
  return { url, connect };
}

test("a migration that somebody holds up does not hold up the others: it waits for moments, and goes on when it can", async (t) => {
  const { url, connect } = await database(t);
  const [holder, reader, watcher] = [await connect(), await connect(), await connect()];
  await holder.query("begin");
  await holder.query("select from tenants");
  const migrating = migrateToLatest(url, { everyMs: 200, source: LATER });
  for (let moment = 0; moment < 3; moment += 1) {
    await untilBlocked(watcher);
    // Behind the migration, which is behind the holder, who goes on.
    await reader.query("select from tenants");
  }
  await holder.query("commit");
  assert.deepEqual(await migrating, ["9999-later"]);
});

test("after its patience it says what holds it up, and has changed nothing", async (t) => {
  const { url, connect } = await database(t);
  const holder = await connect();
  await holder.query("begin");
  await holder.query("select from tenants");
  const migrating = migrateToLatest(url, { everyMs: 50, giveUpAfterMs: 100, source: LATER });
  await assert.rejects(migrating, /migration 9999-later: somebody holds a table/);
  await holder.query("commit");
  await assert.rejects(holder.query("select later from tenants"), /does not exist/);
  assert.deepEqual(await migrateToLatest(url, { source: LATER }), ["9999-later"]);
});

test("many processes migrate at once, and each migration runs once", async (t) => {
  const database = await createTestDatabase(t, "template0");
  const ran = await Promise.all([1, 2, 3].map(() => migrateToLatest(database.url)));
  assert.deepEqual(ran.flat(), ALL);
});

test("a migration outside a transaction runs its paragraphs one by one", async (t) => {
  const { url, connect } = await database(t);
  const text = `-- Outside a transaction, a statement a paragraph.
drop index concurrently if exists tenants_by_name;

create index concurrently tenants_by_name
  on tenants (name);
`;
  const migrations = { ...SCHEMA.migrations, "9999-index": migrationOf(text) };
  assert.deepEqual(await migrateToLatest(url, { source: { ...SCHEMA, migrations } }), [
    "9999-index",
  ]);
  const { rows } = await (await connect()).query("select to_regclass('tenants_by_name') as it");
  assert.equal(rows[0].it, "tenants_by_name");
});

test("migrations are only added, each after all others", () => {
  assert.deepEqual(Object.keys(SCHEMA.migrations), ADDED);
});

test("an older version finds nothing to do on a newer schema, and leaves its functions alone", async (t) => {
  const { url, connect } = await database(t);
  const client = await connect();
  const newer = {
    ...LATER,
    version: "0.10.0",
    functions: SCHEMA.functions.map(({ name, text }) => functionFile(name, `${text}-- later\n`)),
  };
  assert.equal((await migrateToLatest(url, { source: newer })).length, 1 + SCHEMA.functions.length);
  const applied = async () =>
    (await client.query("select * from applied_functions order by 1")).rows;
  const before = await applied();
  assert.deepEqual(await migrateToLatest(url, { source: { ...SCHEMA, version: "0.9.0" } }), []);
  assert.deepEqual(await applied(), before);
});

test("the later of two versions keeps its functions, whoever migrates last: a release over its pre-release, a later build over an earlier one", async (t) => {
  const { url, connect } = await database(t);
  const client = await connect();
  const answer = async () => (await client.query("select answer() as it")).rows[0].it;
  const migrate = async (version: string, what: string) => {
    const text = `create or replace function answer() returns text language sql as 'select ''${what}''::text';`;
    const functions = [...SCHEMA.functions, functionFile("answer", text)];
    await migrateToLatest(url, { source: { ...SCHEMA, version, functions } });
    return await answer();
  };
  assert.equal(await migrate("0.2.0-rc.2", "rc.2"), "rc.2");
  assert.equal(await migrate("0.2.0-rc.10", "rc.10"), "rc.10");
  assert.equal(await migrate("0.2.0-rc.9", "rc.9"), "rc.10");
  assert.equal(await migrate("0.2.0", "release"), "release");
  assert.equal(await migrate("0.2.0-rc.11", "rc.11"), "release");
  assert.equal(await migrate("0.2.0+9", "build 9"), "build 9");
  assert.equal(await migrate("0.2.0+10", "build 10"), "build 10");
  assert.equal(await migrate("0.2.0+9", "build 9"), "build 10");
  assert.equal(await migrate("0.2.0", "no number"), "build 10");
  // The text is the same, and the version is noted: one between the two does not change it.
  assert.equal(await migrate("0.4.0", "build 10"), "build 10");
  assert.equal(await migrate("0.3.0", "0.3.0"), "build 10");
});

test("versions are in the order of Semantic Versioning, and of equal ones in that of their builds", () => {
  const inOrder = [
    ...["0.9.10", "0.10.0-0", "0.10.0-alpha", "0.10.0-alpha.1", "0.10.0-alpha.beta"],
    ...["0.10.0-beta", "0.10.0-beta.2", "0.10.0-beta.11", "0.10.0-rc.1", "0.10.0-rc.1+3"],
    ...["0.10.0-rc-1.x", "0.10.0", "0.10.0+9", "0.10.0+10", "0.10.0+10.1", "0.10.1", "1.0.0"],
  ];
  for (const [at, one] of inOrder.entries()) {
    for (const [otherAt, other] of inOrder.entries()) {
      const order = Math.sign(compareVersions(one, other));
      assert.equal(order, Math.sign(at - otherAt), `${one} and ${other}`);
    }
  }
});

test("a function is applied when its text has changed, and all of them or none", async (t) => {
  const { url, connect } = await database(t);
  const client = await connect();
  const answer = async () => (await client.query("select answer() as it")).rows[0].it;
  const withFiles = (...texts: [string, string][]): SchemaSource => ({
    ...SCHEMA,
    functions: [...SCHEMA.functions, ...texts.map(([name, text]) => functionFile(name, text))],
  });
  const says = (what: number) =>
    `create or replace function answer() returns integer language sql as 'select ${what}';`;
  const ran = async (...texts: [string, string][]) =>
    await migrateToLatest(url, { source: withFiles(...texts) });
  // It names a function that comes after it.
  const first =
    "create or replace function asks() returns integer language sql as 'select answer()'";
  assert.deepEqual(await ran(["answer-a", first], ["answer-b", says(1)]), [
    "functions/answer-a",
    "functions/answer-b",
  ]);
  assert.deepEqual(await ran(["answer-a", first], ["answer-b", says(1)]), []);
  assert.deepEqual(await ran(["answer-a", first], ["answer-b", says(2)]), ["functions/answer-b"]);
  assert.equal(await answer(), 2);
  await assert.rejects(ran(["answer-b", says(3)], ["answer-c", "no sql"]), /syntax error/);
  assert.equal(await answer(), 2);
});

test("no function has two signatures: another signature is another name", async (t) => {
  const { connect } = await database(t);
  const { rows } = await (await connect()).query(
    `select proname from pg_proc where pronamespace = 'public'::regnamespace
     group by proname having count(*) > 1`,
  );
  assert.deepEqual(rows, []);
});

test("a database of a trial installation is refused, and left as it is", async (t) => {
  const { url, connect } = await database(t, "template0");
  const client = await connect();
  await client.query("create table kysely_migration (name text)");
  await assert.rejects(migrateToLatest(url), { message: TRIAL_DATABASE });
  const { rows } = await client.query(
    "select relname from pg_class where relnamespace = 'public'::regnamespace",
  );
  assert.deepEqual(rows, [{ relname: "kysely_migration" }]);
});
