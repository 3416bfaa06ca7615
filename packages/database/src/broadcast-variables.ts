import { sql } from "kysely";
import type pg from "pg";
import { isReference } from "./connection.ts";

/**
 * The variables of a broadcast are stored once, with it. Each of its events has a reference in place of them:
 * `broadcast <id>`, which is no JSON. Whoever reads the variables of events resolves it with `resolveVariables`.
 */
const REFERENCE = /^broadcast ([0-9a-f-]{36})$/;
/** Memory for the texts that a process keeps, at two bytes a character. */
const MAX_CACHED_BYTES = 8 * 1024 * 1024;

/** The id of the broadcast whose variables an event has. */
function broadcastOf(variables: string | null): string | undefined {
  return isReference(variables) ? REFERENCE.exec(variables ?? "")?.[1] : undefined;
}

/** The same in a statement of the row `e` of events: the variables themselves. */
export const EVENT_VARIABLES = sql<string | null>`
  case when e.broadcast_id is null or e.variables is null then e.variables
       else (select b.variables from broadcasts b where b.id = e.broadcast_id) end`;

/** Caches by pool, because tests open several databases in one process. The least recently read entry comes first. */
const caches = new WeakMap<pg.Pool, Map<string, string | null>>();

/**
 * Puts the variables of broadcasts in place of references, in the rows themselves. A reference to a broadcast that is
 * gone stays, so that nothing is rendered without its variables.
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

/** Undefined: there is no such broadcast. */
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
