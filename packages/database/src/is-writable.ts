import type pg from "pg";

/** Whether Postgres takes writes: a primary that was demoted answers queries all the same. */
export async function isWritable(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ transaction_read_only: string }>(
    "show transaction_read_only",
  );
  return rows[0]?.transaction_read_only === "off";
}
