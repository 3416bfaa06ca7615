import type pg from "pg";

export interface Reservation {
  /** How many calls may begin, `spacingMs` apart. */
  granted: number;
  /** When the first may; when none is granted: when to ask again. */
  firstInMs: number;
}

/** Reserves moments to begin calls of an account, over all replicas. */
export async function reserveSends(
  pool: pg.Pool,
  providerId: string,
  wanted: number,
  spacingMs: number,
  horizonMs: number,
): Promise<Reservation> {
  const { rows } = await pool.query<{ granted: number; first_in_ms: number }>({
    name: "reserve_sends",
    text: "select * from reserve_sends($1, $2, $3, $4)",
    values: [providerId, wanted, spacingMs, horizonMs],
  });
  return { granted: rows[0]?.granted ?? 0, firstInMs: rows[0]?.first_in_ms ?? 0 };
}
