import { sql } from "kysely";
import type pg from "pg";
import type { Database } from "../connection.ts";

export interface CancelChoice {
  tenantId: string;
  keys: readonly string[];
  /** Ids of ours, as UUIDs. */
  ids: readonly string[];
  /** The tenant's own. */
  references: readonly string[];
  /** null: of all users. */
  users: readonly string[] | null;
  most: number;
}

export interface FoundToCancel {
  /** null: more was found by this name; without a name, too many events have the references to look at them. */
  id: string | null;
  /** The key or the reference that it was found by; null: its id. */
  name: string | null;
  /** Whether no cancel has looked at it; null: found by its id. */
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

/** Stops what can be stopped of a tenant's events: at most some thousands a call. By id. */
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

/** Finds those of these deliveries whose event or broadcast was cancelled. */
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
