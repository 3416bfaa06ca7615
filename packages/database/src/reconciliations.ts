import { sql } from "kysely";
import type pg from "pg";
import type { Database } from "./connection.ts";

/** Lost or stalled work that was found and sent again. The table `reconciliations` counts it by hour. */
export type Reconciled = "events" | "deliveries";

const KEPT_DAYS = 31;

/** Adds to the count of this hour; does nothing for 0. */
export async function recordReconciled(pool: pg.Pool, what: Reconciled, count: number) {
  if (count === 0) return;
  await pool.query(
    `insert into reconciliations as r (hour, what, count)
     values (date_trunc('hour', now()), $1, $2)
     on conflict (hour, what) do update set count = r.count + excluded.count`,
    [what, count],
  );
  await pool.query("delete from reconciliations where hour < now() - make_interval(days => $1)", [
    KEPT_DAYS,
  ]);
}

/** Returns the counts of the last `hours` hours, including the current one. */
export async function reconciledWithin(
  db: Database,
  hours: number,
): Promise<Record<Reconciled, number>> {
  const rows = await db
    .selectFrom("reconciliations")
    .select(["what", sql<number>`sum(count)::integer`.as("count")])
    .where("hour", ">", sql<Date>`now() - make_interval(hours => ${hours})`)
    .groupBy("what")
    .execute();
  const counted = new Map(rows.map(({ what, count }) => [what, count]));
  return { events: counted.get("events") ?? 0, deliveries: counted.get("deliveries") ?? 0 };
}
