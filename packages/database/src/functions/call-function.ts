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

/** Claims a batch of deliveries in one call. Results come in the order of the batch. */
export async function callClaim<Row extends { delivery_id: string }, Result>(
  pool: pg.Pool,
  name: string,
  batch: readonly { id: string; tenantId: string }[],
  args: Readonly<Record<`p_${string}`, unknown>>,
  toResult: (row: Row) => Result,
): Promise<(Result | { becomes: "gone" })[]> {
  const [p_ids, p_tenants] = [batch.map(({ id }) => id), batch.map(({ tenantId }) => tenantId)];
  const rows = await callFunction<Row>(pool, name, { p_ids, p_tenants, ...args });
  const found = new Map(rows.map((row) => [row.delivery_id, row]));
  return batch.map((item) => {
    const id = item.id.toLowerCase();
    const row = found.get(id);
    // Named twice in one batch: the first has it.
    found.delete(id);
    return row === undefined ? { becomes: "gone" } : toResult(row);
  });
}
