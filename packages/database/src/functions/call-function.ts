import type pg from "pg";

/** Calls a function of the database, its arguments by name: neither side counts them. Returns its rows. */
export async function callFunction<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  name: string,
  args: Readonly<Record<`p_${string}`, unknown>>,
): Promise<Row[]> {
  const named = Object.keys(args).map((arg, at) => `${arg} => $${at + 1}`);
  const { rows } = await pool.query<Row>({
    name,
    text: `select * from ${name}(${named.join(", ")})`,
    values: Object.values(args),
  });
  return rows;
}
