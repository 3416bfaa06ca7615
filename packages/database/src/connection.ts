import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { pathToFileURL } from "node:url";
import { CompiledQuery, Kysely, PostgresDialect } from "kysely";
import pg from "pg";
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
 * Settings that our statements and the driver rely on, independent of the server's, the database's and the role's. The
 * driver parses these formats, and our locks assume the isolation level read committed.
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

/** A pool, or Kysely's connection by `runnerOf`. */
export interface Runner {
  query<R extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<{ rows: R[] }>;
}

/** Runs plain statements by Kysely, in the transaction that it is in. */
export function runnerOf(db: Database): Runner {
  return {
    query: async <R>({ text, values = [] }: { text: string; values?: unknown[] }) =>
      await db.executeQuery<R>(CompiledQuery.raw(text, values)),
  };
}

/** Within a caller's transaction it joins that one. */
export async function inTransaction<T>(
  db: Database,
  work: (transaction: Database) => Promise<T>,
): Promise<T> {
  return await (db.isTransaction ? work(db) : db.transaction().execute(work));
}

const NAME = /^(.+)\/(\S+) since (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)$/;

interface ProcessName {
  service: string;
  /** null: the name does not say. */
  version: string | null;
  startedAt: Date | null;
}

/**
 * Returns the process's name at Postgres: its service, its package's version and its start, such as
 * `ingest-api/0.1.0 since 2026-01-01T00:00:00Z`.
 */
function processName(service: string): string {
  const startedAt = new Date(performance.timeOrigin).toISOString().replace(/\.\d+Z$/, "Z");
  return `${service}/${ownVersion()} since ${startedAt}`;
}

/** A name as `processName` makes it; any other is a service of which no more is known. */
export function parseProcessName(name: string): ProcessName {
  const [, service, version, startedAt] = NAME.exec(name) ?? [];
  if (service === undefined || version === undefined || startedAt === undefined) {
    return { service: name, version: null, startedAt: null };
  }
  return { service, version, startedAt: new Date(startedAt) };
}

let version: string | undefined;

/** Returns the version of the package that was started. */
export function ownVersion(): string {
  version ??= readVersion();
  return version;
}

/** A name is no reason not to start. */
function readVersion(): string {
  try {
    const manifest = findPackageJSON(pathToFileURL(process.argv[1] ?? ""));
    return JSON.parse(readFileSync(manifest ?? "", "utf8")).version ?? "0";
  } catch {
    return "0";
  }
}

/** Whether Postgres takes writes: a primary that was demoted answers queries all the same. */
export async function isWritable(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ transaction_read_only: string }>(
    "show transaction_read_only",
  );
  return rows[0]?.transaction_read_only === "off";
}

/**
 * Whether an error speaks of the values in a statement: Postgres' classes 22 (data) and 23 (constraint).
 * Every other (a connection, a shutdown, a server that takes no writes, a full disk, a deadlock) would
 * come with other values as well, and condemns none.
 */
export function isDataFault(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && /^2[23][0-9A-Z]{3}$/.test(code);
}

/** Whether the database or the network names a cause that no value can be: a lost connection, a full disk. */
export function isOutage(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && !isDataFault(error);
}

/**
 * Calls a function of the database, its arguments by name: neither side counts them. Returns its rows, with their
 * columns in camel case.
 */
export async function callFunction<Row>(
  pool: pg.Pool,
  name: string,
  args: Readonly<Record<`p_${string}`, unknown>>,
) {
  const named = Object.keys(args).map((arg, at) => `${arg} => $${at + 1}`);
  return await readRows<Row>(pool, {
    name,
    text: `select * from ${name}(${named.join(", ")})`,
    values: Object.values(args),
  });
}

/** Removes the `trace_parent` that a function appends, after a space, to the trace id or type of a sampled event. */
export function withoutTraceParent(text: string): string {
  const space = text.indexOf(" ");
  return space === -1 ? text : text.slice(0, space);
}

/** The `trace_parent` behind that text; null: the event is not sampled. */
export function traceParentOf(text: string | null): string | null {
  const space = text === null ? -1 : text.indexOf(" ");
  return space === -1 ? null : text!.slice(space + 1);
}

/** Whether an event's variables are those of its broadcast: see broadcast-variables.ts. JSON begins with a brace. */
export function isReference(variables: string | null): boolean {
  return variables?.[0] === "b";
}

/** The rows of a prepared statement, with their columns in camel case. */
export async function readRows<Row>(
  pool: pg.Pool,
  statement: { name: string; text: string; values: unknown[] },
): Promise<Row[]> {
  // Reads rows as arrays, so that each becomes an object only once.
  const { rows, fields } = await pool.query<unknown[]>({ ...statement, rowMode: "array" });
  const names = fields.map(({ name }) =>
    name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  );
  // A copy of one with all columns: adding them one by one would double what a row costs.
  const empty = Object.fromEntries(names.map((name) => [name, null]));
  return rows.map((values) => {
    const row: Record<string, unknown> = { ...empty };
    for (let at = 0; at < names.length; at += 1) row[names[at]!] = values[at];
    return row as Row;
  });
}

/** Claims a batch of deliveries in one call. Results come in the order of the batch. */
export async function callClaim<Row extends { deliveryId: string }, Result>(
  pool: pg.Pool,
  name: string,
  batch: readonly { id: string; tenantId: string }[],
  args: Readonly<Record<`p_${string}`, unknown>>,
  toResult: (row: Row) => Result,
): Promise<(Result | { becomes: "gone" })[]> {
  const [p_ids, p_tenants] = [batch.map(({ id }) => id), batch.map(({ tenantId }) => tenantId)];
  const rows = await callFunction<Row>(pool, name, { p_ids, p_tenants, ...args });
  const found = new Map(rows.map((row) => [row.deliveryId, row]));
  return batch.map((item) => {
    const id = item.id.toLowerCase();
    const row = found.get(id);
    // Named twice in one batch: the first has it.
    found.delete(id);
    return row === undefined ? { becomes: "gone" } : toResult(row);
  });
}
