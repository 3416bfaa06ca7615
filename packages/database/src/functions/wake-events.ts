import type pg from "pg";
import { callFunction } from "./call-function.ts";

export interface WokenEvent {
  eventId: string;
  tenantId: string;
  traceId: string;
}

export interface Waking {
  /** Another replica is at it. */
  busy: boolean;
  /** In the order in which they were let go. */
  events: WokenEvent[];
  /** The tenant to go on from; undefined: that was the last one. */
  next: string | undefined;
}

/**
 * Lets at most `most` events go that are due, of the tenants after `after` (an id; empty: from the first one on).
 * They are to be published now.
 */
export async function wakeEvents(pool: pg.Pool, after: string, most: number): Promise<Waking> {
  type Row = Omit<WokenEvent, "tenantId"> & { state: string; tenantId: string | null };
  const rows = await callFunction<Row>(pool, "wake_events", { p_after: after, p_most: most });
  const last = rows.at(-1);
  if (last === undefined) throw new Error("wake_events returned nothing");
  const events = rows
    .slice(0, -1)
    .map(({ eventId, tenantId, traceId }) => ({ eventId, tenantId: tenantId!, traceId }));
  return { busy: last.state === "busy", events, next: last.tenantId ?? undefined };
}
