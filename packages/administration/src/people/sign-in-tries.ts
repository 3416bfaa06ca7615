import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";

/** Queries on `sign_in_tries`. */

export interface TryBound {
  key: Buffer;
  /** Tries within the window. */
  most: number;
}

/**
 * Counts a try against every bound, unless one of them is full already. Returns the seconds to wait; 0:
 * the try may be made. One statement, whose upserts go one after the other over all replicas: never more
 * than `most` are let through. Bounds of equal meaning must stand at equal places, or two callers could
 * wait for each other.
 */
export async function takeTry(db: Database, bounds: readonly TryBound[], windowSeconds: number) {
  const keys = bounds.map(({ key }) => key);
  const { rows } = await sql<{ seconds: number }>`
    with given (key, most) as materialized (
      select * from unnest(${keys}::bytea[], ${bounds.map(({ most }) => most)}::integer[])
    ),
    full_ones (seconds) as materialized (
      select max(extract(epoch from t.ends_at - clock_timestamp()))
      from sign_in_tries t join given g on g.key = t.key
      where t.key = any (${keys}::bytea[]) and t.ends_at > clock_timestamp() and t.count >= g.most
    ),
    taken as (
      insert into sign_in_tries as t (key, count, ends_at)
      select key, 1, clock_timestamp() + ${windowSeconds} * interval '1 second'
      from given where (select seconds from full_ones) is null order by key
      on conflict (key) do update set
        count = case when t.ends_at <= clock_timestamp() then 1 else t.count + 1 end,
        ends_at = case when t.ends_at <= clock_timestamp() then excluded.ends_at else t.ends_at end
      returning t.key, t.count, t.ends_at
    )
    select ceil(coalesce(
      (select seconds from full_ones),
      -- Others came first between the look and the count.
      (select max(extract(epoch from t.ends_at - clock_timestamp()))
       from taken t join given g on g.key = t.key where t.count > g.most),
      0))::integer as seconds`.execute(db);
  return rows[0]?.seconds ?? 0;
}

/** Until a bound that is full has room again; 0: it is not full. */
export async function secondsUntilFree(db: Database, { key, most }: TryBound): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select ceil(extract(epoch from ends_at - clock_timestamp()))::integer as seconds
    from sign_in_tries
    where key = ${key} and count >= ${most} and ends_at > clock_timestamp()`.execute(db);
  return rows[0]?.seconds ?? 0;
}

/** Takes one try back. */
export async function giveTryBack(db: Database, key: Buffer): Promise<void> {
  await db
    .updateTable("sign_in_tries")
    .set({ count: sql<number>`count - 1` })
    .where("key", "=", key)
    .where("count", ">", 0)
    .execute();
}

export async function forgetTries(db: Database, key: Buffer): Promise<void> {
  await db.deleteFrom("sign_in_tries").where("key", "=", key).execute();
}

/** Deletes what has ended, and of the rest the oldest beyond `most`. */
export async function deleteOldTries(db: Database, most: number): Promise<void> {
  await sql`
    delete from sign_in_tries where key in (
      select key from sign_in_tries
      where ends_at <= greatest(now(), (
        select t.ends_at from sign_in_tries t order by t.ends_at desc offset ${most} limit 1))
      for update skip locked
    )`.execute(db);
}
