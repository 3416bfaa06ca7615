import { sql } from "kysely";
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

/** What a call of a cancel is about; see the function. */
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
  /** Of what is `partly`: channels that were stopped, now or by a cancel before, in order. */
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
