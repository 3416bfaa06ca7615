import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestDatabase } from "@belfry/testing/postgres";
import { sql } from "kysely";
import { createDatabase, createPool } from "./connection.ts";
import { migrateToLatest } from "./migrate.ts";
import { SESSION_SETTINGS } from "./session-settings.ts";

/** Settings that somebody may have made for a whole database. Each changes the meaning of a statement or an answer. */
const OTHERS: Record<keyof typeof SESSION_SETTINGS, string> = {
  DateStyle: "German, DMY",
  IntervalStyle: "sql_standard",
  TimeZone: "Asia/Kathmandu",
  bytea_output: "escape",
  extra_float_digits: "-15",
  standard_conforming_strings: "off",
  array_nulls: "off",
  transform_null_equals: "on",
  default_transaction_isolation: "serializable",
};

test("a database with other settings is read as any, and keeps what its URL sets", async (t) => {
  const { url, name } = await createTestDatabase(t, "template0");
  const first = createPool({ url, applicationName: "test", maxConnections: 1 });
  for (const [setting, value] of Object.entries(OTHERS)) {
    await first.query(`alter database ${name} set ${setting} = '${value}'`);
  }
  await first.end();
  await migrateToLatest(url);

  const address = new URL(url);
  address.searchParams.set("options", "-c work_mem=5MB -c DateStyle=SQL");
  const pool = createPool({ url: address.href, applicationName: "test", maxConnections: 1 });
  const db = createDatabase(pool);
  t.after(() => db.destroy());
  const shown: Record<string, string> = {};
  for (const setting of [...Object.keys(OTHERS), "work_mem"]) {
    const { rows } = await pool.query<Record<string, string>>(`show ${setting}`);
    shown[setting] = Object.values(rows[0] ?? {})[0] ?? "";
  }
  assert.deepEqual(shown, {
    ...SESSION_SETTINGS,
    work_mem: "5MB",
  });
  const { rows } = await sql`
    select '2026-03-04 05:06:07.891Z'::timestamptz as moment, '2026-03-04'::date::text as day,
      '1 day 02:03:04'::interval::text as span, '\\x00ff'::bytea as bytes, 0.1::float8 + 0.2 as sum,
      '{null}'::text[] as list, null = null as same`.execute(db);
  assert.deepEqual(rows, [
    {
      moment: new Date("2026-03-04T05:06:07.891Z"),
      day: "2026-03-04",
      span: "1 day 02:03:04",
      bytes: Buffer.from([0, 255]),
      sum: 0.1 + 0.2,
      list: [null],
      same: null,
    },
  ]);
});
