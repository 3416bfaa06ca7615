import { sql } from "kysely";
import type pg from "pg";
import type { Database } from "../connection.ts";

export interface CancelChoice {
  tenantId: string;
  keys: readonly string[];
  /** Belfry's ids, as UUIDs. */
  ids: readonly string[];
  /** The tenant's own ids. */
  references: readonly string[];
  /** null means all users. */
  users: readonly string[] | null;
  most: number;
}

export interface FoundToCancel {
  /**
   * null if more events were found by `name`. If `name` is null, too, the references have too many events to read them.
   */
  id: string | null;
  /** The key or reference by which the event was found; null if it was found by id. */
  name: string | null;
  /** Whether no cancel has looked at the event; null if it was found by id. */
  isNew: boolean | null;
}

/** Returns the events that a cancel names; see the SQL function. */
export async function eventsToCancel(db: Database, choice: CancelChoice): Promise<FoundToCancel[]> {
  const { tenantId, keys, ids, references, users, most } = choice;
  const { rows } = await sql<FoundToCancel>`
    select id, name, is_new as "isNew" from events_to_cancel(
      p_tenant => ${tenantId}, p_keys => ${keys}, p_ids => ${ids}, p_references => ${references},
      p_users => ${users}, p_most => ${most})`.execute(db);
  return rows;
}

export interface CancelledEvent {
  id: string;
  verdict: "cancelled" | "partly" | "pending" | "too late";
  /** For `partly`: the channels that this or an earlier cancel stopped, in order. */
  stopped: string[];
}

/**
 * Stops what can be stopped of a tenant's events, at most some thousands in a call. Results have the order of the ids.
 */
export async function cancelEvents(
  db: Database,
  tenantId: string,
  ids: readonly string[],
): Promise<CancelledEvent[]> {
  const { rows } = await sql<CancelledEvent>`
    select id, verdict, stopped from cancel_events(p_tenant => ${tenantId}, p_ids => ${ids})
    order by id`.execute(db);
  return rows;
}

/** Returns those of the deliveries whose event or broadcast was cancelled. */
export async function cancelledDeliveries(
  pool: pg.Pool,
  ids: readonly string[],
): Promise<Set<string>> {
  const { rows } = await pool.query<{ id: string }>({
    name: "cancelled_deliveries",
    text: `select d.id from unnest($1::uuid[]) i (id)
           cross join lateral (
             select d.id, d.broadcast_id, d.cancel_asked_at from deliveries d where d.id = i.id limit 1) d
           left join lateral (
             select b.cancel_asked_at from broadcasts b where b.id = d.broadcast_id limit 1) b on true
           where d.cancel_asked_at is not null or b.cancel_asked_at is not null`,
    values: [ids],
  });
  return new Set(rows.map(({ id }) => id));
}
