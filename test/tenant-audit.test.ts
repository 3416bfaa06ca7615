import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "@belfry/testing/temporary-folder";
import { recordedUnnamed, tablesOfTenants, withoutTenant } from "./tenant-audit.ts";

const schema = await readFile(
  new URL("../packages/database/schema/current.sql", import.meta.url),
  "utf8",
);
const tables = tablesOfTenants(schema);
const isNamed = (sql: string) => withoutTenant({ sql, file: "a.ts" }, tables).length === 0;

test("a statement on a tenant's rows names the tenant: as a condition, among compared columns, or as a column written", () => {
  for (const table of ["events", "deliveries", "templates", "notifications", "outbox", "people"]) {
    assert.equal(tables.has(table), table !== "people", table);
  }
  for (const sql of [
    'select "id" from "events" where "tenant_id" = $1',
    "select id from events where (tenant_id, id) > ($1, $2)",
    "select 1 from events e join tenants t on t.id = e.tenant_id",
    "insert into events (id, tenant_id) values ($1, $2)",
    "select email from people where id = $1",
    "-- from events\nselect 1",
  ]) {
    assert.ok(isNamed(sql), sql);
  }
  for (const sql of [
    'select "tenant_id" from "events" where "id" = $1',
    "update deliveries set status = 'failed' where id = $1",
    "with d as (delete from outbox where id = $1 returning tenant_id) select * from d",
    "select 1 from people p join memberships m on m.person_id = p.id",
    "select 1 from events where id = $1 -- tenant_id = $2",
  ]) {
    assert.ok(!isNamed(sql), sql);
  }
});

test("of what a run recorded each file is named that has no reason", async (t) => {
  const folder = await temporaryFolder(t, "audit");
  const statement = (file: string) => ({ file, sql: "select 1 from events where id = $1" });
  await writeFile(
    join(folder, "1.json"),
    JSON.stringify([
      statement("services/new/x.ts"),
      statement("services/dispatcher/src/sweeper.ts"),
    ]),
  );
  await writeFile(join(folder, "2.json"), JSON.stringify([statement("packages/new/y.ts")]));
  const { faults } = await recordedUnnamed(folder);
  assert.deepEqual(faults.map(({ file }) => file).sort(), [
    "packages/new/y.ts",
    "services/new/x.ts",
  ]);
});
