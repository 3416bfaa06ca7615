import type pg from "pg";
import { callFunction } from "../connection.ts";

interface EventOfUser {
  id: string;
  tenantId: string;
  userId: string;
}

/** Returns the chat address of each event, in one statement: the event's own, else that of its user; null if none. */
export async function chatAddresses(
  pool: pg.Pool,
  events: readonly EventOfUser[],
): Promise<(string | null)[]> {
  const rows = await callFunction<{ place: number; address: string }>(pool, "chat_addresses", {
    p_events: events.map(({ id }) => id),
    p_tenants: events.map(({ tenantId }) => tenantId),
    p_users: events.map(({ userId }) => userId),
  });
  const byPlace = new Map(rows.map(({ place, address }) => [place, address]));
  return events.map((_, at) => byPlace.get(at + 1) ?? null);
}
