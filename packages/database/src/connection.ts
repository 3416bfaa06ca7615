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

/**
 * What our statements and the driver rely on, whatever the server, the database or the role is set to. Columns are
 * read as the driver reads these formats, and locks are taken as read committed sees rows.
 */
export const SESSION_SETTINGS = {
  DateStyle: "ISO,YMD",
  IntervalStyle: "postgres",
  TimeZone: "UTC",
  bytea_output: "hex",
  extra_float_digits: "1",
  standard_conforming_strings: "on",
  array_nulls: "on",
  transform_null_equals: "off",
  default_transaction_isolation: "read\\ committed",
} as const;

/** Begins its session with these settings, after options that the URL or the environment gives. */
class SessionClient extends pg.Client {
  declare connectionParameters: { options?: string };

  constructor(config?: pg.ClientConfig) {
    super(config);
    const settings = Object.entries(SESSION_SETTINGS).map(([name, value]) => `-c ${name}=${value}`);
    const { options = "" } = this.connectionParameters;
    this.connectionParameters.options = [options, ...settings].join(" ").trim();
  }
}

/** A pool that opens connections as they are needed: Postgres may be absent when this is called. */
export function createPool(options: ConnectionOptions): pg.Pool {
  const pool = new pg.Pool({
    Client: SessionClient,
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
