import type pg from "pg";

/** A claimed delivery, and the number of the attempt that claimed it. */
export interface Lease {
  id: string;
  attempt: number;
}

/**
 * Prolongs the leases that are still these attempts'. What another transaction is about to settle or to
 * claim is left to it, so that nobody waits for anybody here.
 */
export async function renewLeases(pool: pg.Pool, leases: readonly Lease[], leaseMs: number) {
  await pool.query({
    name: "renew_leases",
    text: `with held as materialized (
        select d.id from deliveries d
        join unnest($1::uuid[], $2::integer[]) l (id, number) on l.id = d.id and l.number = d.attempts
        where d.id = any ($1::uuid[]) and d.status = 'sending'
        for update of d skip locked)
      update deliveries d set claimed_until = clock_timestamp() + $3 * interval '1 millisecond'
      from held where d.id = any ($1::uuid[]) and d.id = held.id`,
    values: [leases.map(({ id }) => id), leases.map(({ attempt }) => attempt), leaseMs],
  });
}
