import assert from "node:assert/strict";
import { test } from "node:test";
import { type Migration, SCHEMA } from "@belfry/database/schema-files";
import type { Cleanup } from "@belfry/testing/cleanup";
import { createTestDatabase } from "@belfry/testing/postgres";
import { sql } from "kysely";
import pg from "pg";
import { HOT_TABLES, migrationFaults } from "./migration-faults.ts";

/** These make an empty database; what comes after meets a filled one. */
const LAST_OF_0_1 = "0002-platform-templates";
const ROWS = 3_000;

test("no migration after 0.1.0 makes a hot table's users wait, or takes from the version before what it needs", async (t) => {
  const client = await emptyDatabase(t);
  const names = Object.keys(SCHEMA.migrations);
  assert.ok(names.includes(LAST_OF_0_1));
  let filled = false;
  for (const name of names) {
    const found = await migrationFaults(client, SCHEMA.migrations[name]!);
    if (name > LAST_OF_0_1) assert.deepEqual(found, [], name);
    if (name === LAST_OF_0_1) {
      await fill(client);
      filled = true;
    }
  }
  assert.ok(filled);
});

const BAD: [what: string, statement: string, fault: RegExp][] = [
  ["an index", "create index bad on events (user_id)", /bad is built under ShareLock of events/],
  ["a constraint with its index", "alter table outbox add unique (delivery_id, id)", /outbox/],
  [
    "a column with a value of each row's own",
    "alter table deliveries add column x uuid not null default gen_random_uuid()",
    /deliveries is written anew/,
  ],
  [
    "a column of another type",
    "alter table attempts alter column number type bigint",
    /attempts is written anew\n.*attempts\.number is another type, int8/s,
  ],
  [
    "a check that is validated at once",
    "alter table notifications add check (title <> 'x')",
    /notifications is read whole under AccessExclusiveLock/,
  ],
  [
    "a column that becomes mandatory",
    "alter table events alter column reference set not null",
    /events is read whole under AccessExclusiveLock\n.*events\.reference has become mandatory/s,
  ],
  [
    "a foreign key that is validated at once",
    "alter table deliveries add foreign key (event_id) references events (id)",
    /deliveries is read whole under ShareRowExclusiveLock|is read whole under/,
  ],
  [
    "an update of every row",
    "update receipts set reason = 'x'",
    /3000 rows of receipts are held in one transaction/,
  ],
  ["a table emptied", "truncate dedup_keys", /dedup_keys is written anew/],
  [
    "a column dropped",
    "alter table events drop column trace_id",
    /events\.trace_id is gone, and the version before needs it/,
  ],
  [
    "a function dropped",
    "drop function outstanding(text, text, integer)",
    /outstanding\(text,text,integer\) is gone/,
  ],
  [
    "a mandatory column",
    "alter table notifications add column x text not null default 'a'; alter table notifications alter column x drop default",
    /notifications\.x is mandatory, and the version before does not write it/,
  ],
];

for (const [what, statement, fault] of BAD) {
  test(`the check finds ${what}`, async (t) => {
    const client = await filledDatabase(t);
    const found = await migrationFaults(client, { up: statements(statement) }, { keep: false });
    assert.match(found.join("\n"), fault);
  });
}

test("the check lets pass what takes a moment, whatever the table holds", async (t) => {
  const client = await filledDatabase(t);
  for (const good of [
    "alter table events add column x text",
    "alter table events add column y integer not null default 7",
    "alter table deliveries add check (retries >= 0) not valid",
    "alter table deliveries set (autovacuum_vacuum_scale_factor = 0.2)",
    "comment on table events is 'x'",
    "create table fresh (id uuid primary key, event_id uuid); create index on fresh (event_id)",
    "create or replace function release_lock(p_channel text, p_tenant text) returns bigint language sql immutable as 'select 1::bigint'",
    "update tenants set per_minute = 1",
    "drop index outbox_of_tenant",
  ]) {
    assert.deepEqual(await migrationFaults(client, { up: statements(good) }), [], good);
  }
});

test("outside a transaction an index is made concurrently, a check validated in its own step, and nothing more is let pass", async (t) => {
  const client = await filledDatabase(t);
  const alone = (...all: string[]): Migration => ({
    withoutTransaction: true,
    up: async (db) => {
      for (const one of all) await sql.raw(one).execute(db);
    },
  });
  const good = alone(
    "drop index concurrently if exists events_by_user",
    "create index concurrently events_by_user on events (user_id)",
    "alter table events add constraint named check (user_id <> '') not valid",
    "alter table events validate constraint named",
  );
  assert.deepEqual(await migrationFaults(client, good), []);
  for (const [bad, fault] of [
    ["create index bad on events (trace_id)", /bad is built under ShareLock/],
    ["vacuum full attempts", /attempts is written anew/],
    ["alter table outbox add check (text <> 'x')", /outbox is read whole/],
  ] as const) {
    assert.match((await migrationFaults(client, alone(bad))).join("\n"), fault);
  }
});

function statements(text: string): Migration["up"] {
  return async (db) => {
    for (const one of text.split("; ")) await sql.raw(one).execute(db);
  };
}

async function emptyDatabase(t: Cleanup): Promise<pg.Client> {
  return await connected(t, "template0");
}

async function filledDatabase(t: Cleanup): Promise<pg.Client> {
  const client = await connected(t);
  await fill(client);
  return client;
}

async function connected(t: Cleanup, template?: string): Promise<pg.Client> {
  const database = await createTestDatabase(undefined, template);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  t.after(async () => {
    await client.end();
    await database[Symbol.asyncDispose]();
  });
  return client;
}

/** Rows in every hot table. */
async function fill(client: pg.Client): Promise<void> {
  await client.query(
    "insert into tenants (id, name, per_minute) select 't' || n, 'x', 1 from generate_series(1, $1::integer) n",
    [ROWS],
  );
  await client.query("insert into tenant_limits (tenant_id) select id from tenants");
  await client.query(
    `with e as (
       insert into events (id, tenant_id, event_type, user_id, reference, trace_id, accepted_at)
       select gen_random_uuid(), 't1', 'x', 'u', 'r', 't', now() from generate_series(1, $1::integer)
       returning id),
     u as (insert into undispatched_events select id, now() from e),
     k as (insert into dedup_keys select 't1', uuid_send(id), id, 'x', 'x', now() from e),
     d as (
       insert into deliveries (id, event_id, tenant_id, channel, template_version_id)
       select id, id, 't1', 'EMAIL', 1 from e),
     a as (
       insert into attempts (delivery_id, number, provider_kind, started_at)
       select id, 1, 'x', now() from e),
     r as (
       insert into receipts (tenant_id, provider_kind, vendor_event, delivery_id, kind)
       select 't1', 'x', id::text, id, 'delivered' from e),
     o as (
       insert into outbox (id, tenant_id, event_id, delivery_id, channel, recipient, text)
       select id, 't1', id, id, 'SMS', 'x', 'y' from e),
     c as (insert into realtime_channels select 't1', id::text, 'personal', 1 from e)
     insert into notifications (id, tenant_id, user_id, event_type, title, body, channel_name,
       channel_offset, created_at)
     select id, 't1', id::text, 'x', 't', 'b', 'personal', 1, now() from e`,
    [ROWS],
  );
  for (const table of HOT_TABLES) {
    const { rows } = await client.query(`select count(*)::integer as count from ${table}`);
    assert.equal(rows[0].count, ROWS, table);
  }
}
