import { sql } from "kysely";
import type pg from "pg";
import { isReference } from "./connection.ts";

/**
 * Matches a reference. A broadcast's variables are stored once, in its own row. Each of its events has `broadcast
 * <id>`, which is not JSON, in place of variables. Code that reads events' variables replaces the reference by
 * `resolveVariables`.
 */
const REFERENCE = /^broadcast ([0-9a-f-]{36})$/;
/** The maximum memory of the cached texts in a process, at two bytes per character. */
const MAX_CACHED_BYTES = 8 * 1024 * 1024;

/** Returns the id of the broadcast whose variables the event has; undefined if the event has its own. */
function broadcastOf(variables: string | null): string | undefined {
  return isReference(variables) ? REFERENCE.exec(variables ?? "")?.[1] : undefined;
}

/** An SQL expression for the variables of a row `e` of events, with a reference already resolved. */
export const EVENT_VARIABLES = sql<string | null>`
  case when e.broadcast_id is null or e.variables is null then e.variables
       else (select b.variables from broadcasts b where b.id = e.broadcast_id) end`;

/** Caches by pool, because tests open several databases in one process. The least recently read entry comes first. */
const caches = new WeakMap<pg.Pool, Map<string, string | null>>();

/**
 * Replaces references in the rows by the variables of the broadcasts. A reference to a deleted broadcast stays, so that
 * nothing is rendered without its variables.
 */
export async function resolveVariables(
  pool: pg.Pool,
  rows: readonly { variables: string | null }[],
): Promise<void> {
  const referring = rows.flatMap((row) => {
    const id = broadcastOf(row.variables);
    return id === undefined ? [] : [{ row, id }];
  });
  if (referring.length === 0) return;
  const cache = caches.get(pool) ?? new Map<string, string | null>();
  caches.set(pool, cache);
  const texts = new Map<string, string | null>();
  for (const id of new Set(referring.map((one) => one.id))) {
    const text = cache.has(id) ? (cache.get(id) ?? null) : await readVariables(pool, id);
    if (text === undefined) continue;
    texts.set(id, text);
    cache.delete(id);
    cache.set(id, text);
  }
  shrink(cache);
  for (const { row, id } of referring) {
    if (texts.has(id)) row.variables = texts.get(id) ?? null;
  }
}

/** Returns the variables of a broadcast, or undefined if it does not exist. */
async function readVariables(pool: pg.Pool, id: string): Promise<string | null | undefined> {
  const { rows } = await pool.query<{ variables: string | null }>({
    name: "broadcast_variables",
    text: "select variables from broadcasts where id = $1",
    values: [id],
  });
  return rows[0]?.variables;
}

function shrink(cache: Map<string, string | null>): void {
  let bytes = 0;
  for (const text of cache.values()) bytes += 2 * (text?.length ?? 0);
  for (const [id, text] of cache) {
    if (bytes <= MAX_CACHED_BYTES) return;
    cache.delete(id);
    bytes -= 2 * (text?.length ?? 0);
  }
}
