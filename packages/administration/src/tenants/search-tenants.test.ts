import assert from "node:assert/strict";
import { test } from "node:test";
import { connectedDatabase } from "@belfry/testing/database";
import { searchTenants } from "./tenant-rows.ts";

test("tenants follow one another by name, page after page without a gap; some are found by a part of it or by their id", async (t) => {
  const { pool, db } = await connectedDatabase(t);
  // Names of both cases, some the same.
  await pool.query(
    `insert into tenants (id, name, per_minute)
     select 'id' || n, case n % 2 when 0 then 'Acme ' else 'acme ' end || n % 20, 60
     from generate_series(1, 60) n`,
  );
  await pool.query("insert into tenants (id, name, per_minute) values ('x', '100% _wild', 60)");
  const all: string[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await searchTenants(db, { after, limit: 7 });
    all.push(...page.map(({ id }) => id));
    after = page.at(-1)?.id;
    if (page.length < 7) break;
  }
  const rows = await pool.sql`select id from tenants order by lower(name), id`;
  assert.deepEqual(
    all,
    rows.map(({ id }) => id),
  );
  const found = async (search: string) =>
    (await searchTenants(db, { search, limit: 100 })).map(({ id }) => id);
  assert.deepEqual(await found("CME 7"), ["id27", "id47", "id7"]);
  assert.deepEqual(await found("id33"), ["id33"]);
  assert.deepEqual(await found("100%"), ["x"]);
  assert.deepEqual(await found("_wild"), ["x"]);
  assert.deepEqual(await found("%"), ["x"]);
  assert.deepEqual(await searchTenants(db, { after: "gone", limit: 5 }), []);
});
