import type pg from "pg";
import { WALKED } from "./search-rows.ts";

/** By how many seconds the walk over each table is behind: the age of the oldest row that it has not reached. */
export async function readSearchLags(pool: pg.Pool): Promise<{ table: string; seconds: number }[]> {
  const lags = WALKED.map(async (table) => {
    const { rows } = await pool.query<{ seconds: number }>(
      `select extract(epoch from clock_timestamp()
                - to_timestamp(('x' || left(replace(next.id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
              )::float8 as seconds
       from (select coalesce((select next_id from search_walks where table_name = $1),
                             '00000000-0000-0000-0000-000000000000') as id) w
       cross join lateral (select x.id from ${table} x where x.id > w.id order by x.id limit 1) next`,
      [table],
    );
    return { table, seconds: Math.max(0, rows[0]?.seconds ?? 0) };
  });
  return await Promise.all(lags);
}
