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
  const [reserved] = await callFunction<Reservation>(pool, "reserve_sends", {
    p_provider: providerId,
    p_wanted: wanted,
    p_spacing_ms: spacingMs,
    p_horizon_ms: horizonMs,
  });
  return reserved ?? { granted: 0, firstInMs: 0 };
}
