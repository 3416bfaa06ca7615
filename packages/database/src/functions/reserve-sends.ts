import type pg from "pg";
import { callFunction } from "./call-function.ts";

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
  type Row = { granted: number; first_in_ms: number };
  const rows = await callFunction<Row>(pool, "reserve_sends", {
    p_provider: providerId,
    p_wanted: wanted,
    p_spacing_ms: spacingMs,
    p_horizon_ms: horizonMs,
  });
  return { granted: rows[0]?.granted ?? 0, firstInMs: rows[0]?.first_in_ms ?? 0 };
}
