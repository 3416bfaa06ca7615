import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { processName } from "./process-name.ts";
import type { Schema } from "./schema.ts";

/** A pool of connections, for what Kysely is too slow or too narrow for. */
export type { Pool } from "pg";

export type Database = Kysely<Schema>;

export interface ConnectionOptions {
  url: string;
  /** Shown in pg_stat_activity, with the process's version and start: see `processName`. */
  applicationName: string;
  maxConnections?: number;
  statementTimeoutMs?: number;
  /** The same, by our own clock: for a server that is frozen or cut off. Default: none. */
  queryTimeoutMs?: number;
  /** How long a request waits for a free or new connection. */
  connectTimeoutMs?: number;
  /** Called when an idle connection breaks; the pool replaces it by itself. */
  onConnectionError?: (error: Error) => void;
}

/** A pool that opens connections as they are needed: Postgres may be absent when this is called. */
export function createPool(options: ConnectionOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: processName(options.applicationName),
    max: options.maxConnections ?? 8,
    statement_timeout: options.statementTimeoutMs ?? 30_000,
    ...(options.queryTimeoutMs === undefined ? {} : { query_timeout: options.queryTimeoutMs }),
    connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
  });
  pool.on("error", (error) => options.onConnectionError?.(error));
  // A connection that breaks in use fails its query, and also emits this: unheard it ends the process.
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

/** Kysely over a pool; `destroy()` ends the pool. */
export function createDatabase(pool: pg.Pool): Database {
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
}

/** Within a caller's transaction it joins that one. */
export async function inTransaction<T>(
  db: Database,
  work: (transaction: Database) => Promise<T>,
): Promise<T> {
  return await (db.isTransaction ? work(db) : db.transaction().execute(work));
}
