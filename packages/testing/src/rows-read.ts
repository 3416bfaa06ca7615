import assert from "node:assert/strict";
import type { Pool } from "@belfry/database/connection";

/**
 * Asserts that `work` reads at most `mostRows` rows of each table, by index or sequentially, including statements inside
 * functions. Postgres counts them. The changes that `work` makes are rolled back.
 */
export async function readsAtMost(
  pool: Pool,
  mostRows: number,
  tables: readonly string[],
  work: (client: Pool) => Promise<unknown>,
  what = "it reads",
): Promise<void> {
  const client = await pool.connect();
  const counted = async () => {
    const { rows } = await client.query<{ table: string; read: string }>(
      `select relname as table, seq_tup_read + coalesce(idx_tup_fetch, 0) as read
       from pg_stat_xact_user_tables where relname = any ($1)`,
      [tables],
    );
    assert.equal(rows.length, tables.length, "one of the tables is not there");
    return new Map(rows.map(({ table, read }) => [table, Number(read)]));
  };
  try {
    await client.query("begin");
    const before = await counted();
    await work(client as unknown as Pool);
    for (const [table, read] of await counted()) {
      const rows = read - before.get(table)!;
      assert.ok(rows <= mostRows, `${what}: ${rows} rows of ${table}`);
    }
  } finally {
    await client.query("rollback");
    client.release();
  }
}

/** Returns how many rows of the tables were read so far, by index or sequentially. Needs a pool of one connection. */
export async function rowsRead(pool: Pool, tables: readonly string[]): Promise<number> {
  await pool.query("select pg_stat_force_next_flush()");
  const { rows } = await pool.query<{ read: number }>(
    `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as read
     from pg_stat_user_tables where relname = any ($1)`,
    [tables],
  );
  return rows[0]!.read;
}
