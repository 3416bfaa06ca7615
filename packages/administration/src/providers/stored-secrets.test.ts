import assert from "node:assert/strict";
import { test } from "node:test";
import * as secrets from "@belfry/database/secrets";
import { assertEach } from "@belfry/testing/assert-each";
import { connectedDatabase } from "@belfry/testing/database";
import { readSecrets, SECRET_COLUMNS, swapSecrets } from "./stored-secrets.ts";

const [WEBHOOK_SECRETS, SETTINGS] = SECRET_COLUMNS as [
  (typeof SECRET_COLUMNS)[number],
  (typeof SECRET_COLUMNS)[number],
];

async function filled(t: test.TestContext) {
  const { pool, db } = await connectedDatabase(t);
  await pool.query(
    `insert into tenants (id, name, per_minute, webhook_secret)
     values ('a', 'A', 1, 'secret-a'), ('b', 'B', 1, null), ('c', 'C', 1, 'secret-c')`,
  );
  return { pool, db };
}

test("every column of the schema that holds a JWE is walked, and every owner belongs to one", async (t) => {
  const { pool } = await filled(t);
  const rows = await pool.sql<{ name: string }>`select c.table_name || '.' || c.column_name as name
    from information_schema.columns c
    where c.table_schema = 'public' and
      col_description(format('%I.%I', c.table_schema, c.table_name)::regclass, c.ordinal_position)
        ilike '%compact JWE%'`;
  assert.deepEqual(
    SECRET_COLUMNS.map(({ table, column }) => `${table}.${column}`).sort(),
    rows.map(({ name }) => name).sort(),
  );
  assert.deepEqual(
    new Set(SECRET_COLUMNS.map(({ ownerOf }) => ownerOf as unknown)),
    new Set(
      Object.entries(secrets).flatMap(([name, owner]) => (name.endsWith("Owner") ? [owner] : [])),
    ),
  );
});

test("secrets are read page by page, each once, and what is empty is none", async (t) => {
  const { db } = await filled(t);
  const first = await readSecrets(db, WEBHOOK_SECRETS, { after: undefined, most: 1 });
  assert.deepEqual(first, [{ id: "a", holderId: "a", ciphertext: "secret-a" }]);
  const rest = await readSecrets(db, WEBHOOK_SECRETS, { after: "a", most: 10 });
  assertEach(rest, ({ id }) => id, ["c"]);
  assert.deepEqual(await readSecrets(db, SETTINGS, { after: undefined, most: 10 }), []);
});

test("a secret that was changed meanwhile is not overwritten; one that is held is not waited for", async (t) => {
  const { pool, db } = await filled(t);
  const swaps = [
    { id: "a", from: "secret-a", to: "new-a" },
    { id: "b", from: "once there", to: "new-b" },
    { id: "c", from: "stale", to: "new-c" },
  ];
  const holder = await pool.connect();
  try {
    await holder.query("begin");
    await holder.query("update tenants set name = 'held' where id = 'a'");
    assert.deepEqual(await swapSecrets(db, WEBHOOK_SECRETS, swaps), new Set());
    await holder.query("commit");
  } finally {
    holder.release();
  }
  assert.deepEqual(await swapSecrets(db, WEBHOOK_SECRETS, swaps), new Set(["a"]));
  const rows = await pool.sql`select webhook_secret as s from tenants order by id`;
  assertEach(rows, ({ s }) => s, ["new-a", null, "secret-c"]);
});
