import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { pathToFileURL } from "node:url";
import { CompiledQuery, Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { Schema } from "./schema.ts";
import { SESSION_OPTIONS } from "./session-settings.ts";

/** A pool of connections, for statements for which Kysely is too slow or too limited. */
export type { Pool } from "pg";

export type Database = Kysely<Schema>;

export interface ConnectionOptions {
  url: string;
  /** Shown in pg_stat_activity, with the process's version and start (`processName`). */
  applicationName: string;
  maxConnections?: number;
  statementTimeoutMs?: number;
  /** The same, measured by this process, for a server that is frozen or cut off. Default: none. */
  queryTimeoutMs?: number;
  /** How long a request waits for a free or new connection. */
  connectTimeoutMs?: number;
  /** Called when an idle connection breaks. The pool replaces the connection by itself. */
  onConnectionError?: (error: Error) => void;
}

/**
 * A client that begins its session with our settings, after the options from the URL or the environment. With
 * `prepared_statements=false` in the URL it sends each statement without its name.
 */
class SessionClient extends pg.Client {
  declare connectionParameters: { options?: string };

  constructor(config?: pg.ClientConfig) {
    super(config);
    const { options = "" } = this.connectionParameters;
    this.connectionParameters.options = `${options} ${SESSION_OPTIONS}`.trim();
    const prepares = URL.parse(config?.connectionString ?? "")?.searchParams.get(
      "prepared_statements",
    );
    if (prepares === "false") this.#forgetNames();
  }

  #forgetNames(): void {
    const query = this.query.bind(this) as (...args: unknown[]) => unknown;
    this.query = ((first: string | pg.QueryConfig, ...rest: unknown[]) =>
      query(
        typeof first === "string" ? first : Object.assign({}, first, { name: undefined }),
        ...rest,
      )) as typeof this.query;
  }
}

/** Creates a pool that opens connections when they are needed, so Postgres may be unreachable at this time. */
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
  // A connection that breaks in use fails its query and also emits this event, which ends the process without a
  // listener.
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

/** Returns Kysely over a pool. `destroy()` also ends the pool. */
export function createDatabase(pool: pg.Pool): Database {
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
}

/** Something that runs statements: a pool, or Kysely's connection by `runnerOf`. */
export interface Runner {
  query<R extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<{ rows: R[] }>;
}

/** Returns a runner of plain statements on Kysely's connection, and in its transaction if there is one. */
export function runnerOf(db: Database): Runner {
  return {
    query: async <R>({ text, values = [] }: { text: string; values?: unknown[] }) =>
      await db.executeQuery<R>(CompiledQuery.raw(text, values)),
  };
}

/** Runs `work` in a new transaction, or in that of `db` if it already is one. */
export async function inTransaction<T>(
  db: Database,
  work: (transaction: Database) => Promise<T>,
): Promise<T> {
  return await (db.isTransaction ? work(db) : db.transaction().execute(work));
}

const NAME = /^(.+)\/(\S+) since (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)$/;

interface ProcessName {
  service: string;
  /** null if the name does not contain it; `startedAt` likewise. */
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

/** Parses a name in the form of `processName`. Any other name is returned as a service without version and start. */
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

/** Returns "0" if the version cannot be read, because the process must start all the same. */
function readVersion(): string {
  try {
    const manifest = findPackageJSON(pathToFileURL(process.argv[1] ?? ""));
    return JSON.parse(readFileSync(manifest ?? "", "utf8")).version ?? "0";
  } catch {
    return "0";
  }
}

/** Returns whether Postgres accepts writes. A primary that was demoted still answers queries. */
export async function isWritable(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ transaction_read_only: string }>(
    "show transaction_read_only",
  );
  return rows[0]?.transaction_read_only === "off";
}

/**
 * Returns whether the values in a statement caused the error: Postgres' classes 22 (data) and 23 (constraint). Any
 * other error (a lost connection, a shutdown, a read-only server, a full disk, a deadlock) could occur with other
 * values as well.
 */
export function isDataFault(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && /^2[23][0-9A-Z]{3}$/.test(code);
}

/** Returns whether the error has a code of the database or the network that no value can cause, such as a full disk. */
export function isOutage(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && !isDataFault(error);
}

/**
 * Calls a function of the database with arguments by name, so that their order does not matter. Returns its rows with
 * the columns in camel case.
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

/** Returns the `trace_parent` that follows such a text; null if the event is not sampled. */
export function traceParentOf(text: string | null): string | null {
  const space = text === null ? -1 : text.indexOf(" ");
  return space === -1 ? null : text!.slice(space + 1);
}

/**
 * Returns whether the variables are a reference to those of a broadcast (broadcast-variables.ts). JSON begins with a
 * brace.
 */
export function isReference(variables: string | null): boolean {
  return variables?.[0] === "b";
}

/** Runs a prepared statement. Returns its rows with the columns in camel case. */
export async function readRows<Row>(
  pool: pg.Pool,
  statement: { name: string; text: string; values: unknown[] },
): Promise<Row[]> {
  // Reads rows as arrays, so that each becomes an object only once.
  const { rows, fields } = await pool.query<unknown[]>({ ...statement, rowMode: "array" });
  const names = fields.map(({ name }) =>
    name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  );
  // Each row is a copy of an object with all columns. Adding the columns one by one would double the cost of a row.
  const empty = Object.fromEntries(names.map((name) => [name, null]));
  return rows.map((values) => {
    const row: Record<string, unknown> = { ...empty };
    for (let at = 0; at < names.length; at += 1) row[names[at]!] = values[at];
    return row as Row;
  });
}

/** Claims a batch of deliveries in one call. Results have the order of the batch. */
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
    // If a batch has the same delivery twice, only the first item gets it.
    found.delete(id);
    return row === undefined ? { becomes: "gone" } : toResult(row);
  });
}

/** Cuts a list into parts of at most `size` items, so that one statement or message does not carry all of them. */
export function chunks<T>(items: readonly T[], size: number): T[][] {
  const result: T[][] = [];
  for (let at = 0; at < items.length; at += size) result.push(items.slice(at, at + size));
  return result;
}
