import type pg from "pg";

/**
 * Calls a function of the database, its arguments by name: neither side counts them. Returns its rows, with their
 * columns in camel case.
 */
export async function callFunction<Row>(
  pool: pg.Pool,
  name: string,
  args: Readonly<Record<`p_${string}`, unknown>>,
) {
  const named = Object.keys(args).map((arg, at) => `${arg} => $${at + 1}`);
  return await readRows<Row>(pool, {
    name,
    text: `select * from ${name}(${named.join(", ")})`,
    values: Object.values(args),
  });
}

/** The rows of a prepared statement, with their columns in camel case. */
export async function readRows<Row>(
  pool: pg.Pool,
  statement: { name: string; text: string; values: unknown[] },
): Promise<Row[]> {
  // As arrays: each row becomes an object once.
  const { rows, fields } = await pool.query<unknown[]>({ ...statement, rowMode: "array" });
  const names = fields.map(({ name }) =>
    name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  );
  // A copy of one with all columns: adding them one by one would double what a row costs.
  const empty = Object.fromEntries(names.map((name) => [name, null]));
  return rows.map((values) => {
    const row: Record<string, unknown> = { ...empty };
    for (let at = 0; at < names.length; at += 1) row[names[at]!] = values[at];
    return row as Row;
  });
}

/** Claims a batch of deliveries in one call. Results come in the order of the batch. */
export async function callClaim<Row extends { deliveryId: string }, Result>(
  pool: pg.Pool,
  name: string,
  batch: readonly { id: string; tenantId: string }[],
  args: Readonly<Record<`p_${string}`, unknown>>,
  toResult: (row: Row) => Result,
): Promise<(Result | { becomes: "gone" })[]> {
  const [p_ids, p_tenants] = [batch.map(({ id }) => id), batch.map(({ tenantId }) => tenantId)];
  const rows = await callFunction<Row>(pool, name, { p_ids, p_tenants, ...args });
  const found = new Map(rows.map((row) => [row.deliveryId, row]));
  return batch.map((item) => {
    const id = item.id.toLowerCase();
    const row = found.get(id);
    // Named twice in one batch: the first has it.
    found.delete(id);
    return row === undefined ? { becomes: "gone" } : toResult(row);
  });
}
