import type { Migration } from "@belfry/database/schema-files";
import { Kysely, PostgresDialect, type PostgresPool } from "kysely";
import type pg from "pg";

/** Tables that every event touches: what makes their readers or writers wait stops the service. */
export const HOT_TABLES = [
  "tenant_limits",
  "events",
  "undispatched_events",
  "dedup_keys",
  "deliveries",
  "attempts",
  "notifications",
  "realtime_channels",
  "receipts",
  "outbox",
] as const;

/** Rows of a hot table that one transaction of a migration may hold. */
const MOST_ROWS = 1_000;
/** Modes that writers wait for, or that wait for writers. */
const BLOCKING = ["ShareLock", "ShareRowExclusiveLock", "ExclusiveLock", "AccessExclusiveLock"];
const IN_TRANSACTION = "25001";

/**
 * Runs a migration on a database with rows, and returns what it did that a filled database in use
 * cannot bear, as Postgres saw it: tables that were rewritten, read or indexed while their writers had
 * to wait, many rows held in one transaction, and what the version before needs and does not find.
 * Empty: nothing. `keep` false undoes it (what runs in transactions).
 */
export async function migrationFaults(
  client: pg.ClientBase,
  migration: Migration,
  options: { keep?: boolean } = {},
): Promise<string[]> {
  const shapeBefore = await readShape(client);
  const faults: string[] = [];
  if (migration.withoutTransaction) {
    await migration.up(
      over(async (text, values) => await runAlone(client, faults, text, values), client),
    );
    faults.push(...lostShape(shapeBefore, await readShape(client)));
  } else {
    await client.query("begin");
    const before = await readState(client);
    await migration.up(over((text, values) => client.query(text, [...values]), client));
    faults.push(...faultsBetween(before, await readState(client)));
    faults.push(...lostShape(shapeBefore, await readShape(client)));
    await client.query(options.keep === false ? "rollback" : "commit");
  }
  return faults;
}

type Run = (text: string, values: readonly unknown[]) => Promise<pg.QueryResult>;

/** A Kysely whose every statement goes through `run`. */
function over(run: Run, client: pg.ClientBase): Kysely<unknown> {
  const connection = {
    query: (text: string, values: readonly unknown[] = []) => run(text, values),
    release: () => undefined,
  };
  const pool = { connect: async () => connection, end: async () => undefined, Client: client };
  return new Kysely({ dialect: new PostgresDialect({ pool: pool as unknown as PostgresPool }) });
}

/** A statement in a transaction of its own; where Postgres does not allow that, by itself. */
async function runAlone(
  client: pg.ClientBase,
  faults: string[],
  text: string,
  values: readonly unknown[],
): Promise<pg.QueryResult> {
  await client.query("begin");
  const before = await readState(client);
  try {
    const result = await client.query(text, [...values]);
    faults.push(...faultsBetween(before, await readState(client)));
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback");
    if ((error as { code?: string }).code !== IN_TRANSACTION) throw error;
    const result = await client.query(text, [...values]);
    // Its locks are gone, but a rewritten table still shows.
    const after = await readState(client);
    faults.push(...faultsBetween(before, { ...after, locks: before.locks }));
    return result;
  }
}

interface State {
  /** The strongest that we hold, by table. */
  locks: Map<string, string>;
  files: Map<string, string>;
  indexes: Map<string, string>;
  read: Map<string, number>;
  changed: Map<string, number>;
}

async function readState(client: pg.ClientBase): Promise<State> {
  const tables = [HOT_TABLES];
  const locks = await client.query<{ name: string; mode: string }>(
    `select c.relname as name, l.mode from pg_locks l join pg_class c on c.oid = l.relation
     where l.pid = pg_backend_pid() and l.granted and c.relname = any ($1) and l.mode = any ($2)
     order by array_position($2, l.mode)`,
    [HOT_TABLES, BLOCKING],
  );
  const files = await client.query<{ name: string; file: string }>(
    `select relname as name, coalesce(pg_relation_filenode(oid), 0)::text as file from pg_class
     where relname = any ($1) and relkind = 'r'`,
    tables,
  );
  const indexes = await client.query<{ name: string; table: string }>(
    `select i.relname as name, t.relname as table from pg_index x
     join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
     where t.relname = any ($1)`,
    tables,
  );
  const work = await client.query<{ name: string; read: string; changed: string }>(
    `select relname as name, seq_tup_read as read, n_tup_upd + n_tup_del + n_tup_ins as changed
     from pg_stat_xact_user_tables where relname = any ($1)`,
    tables,
  );
  return {
    locks: new Map(locks.rows.map(({ name, mode }) => [name, mode])),
    files: new Map(files.rows.map(({ name, file }) => [name, file])),
    indexes: new Map(indexes.rows.map(({ name, table }) => [name, table])),
    read: new Map(work.rows.map(({ name, read }) => [name, Number(read)])),
    changed: new Map(work.rows.map(({ name, changed }) => [name, Number(changed)])),
  };
}

function faultsBetween(before: State, after: State): string[] {
  const faults: string[] = [];
  for (const table of HOT_TABLES) {
    const lock = after.locks.get(table);
    const grown = (what: "read" | "changed") =>
      (after[what].get(table) ?? 0) - (before[what].get(table) ?? 0);
    if (before.files.has(table) && after.files.get(table) !== before.files.get(table)) {
      faults.push(`${table} is written anew`);
    }
    if (lock !== undefined && grown("read") > 0) {
      faults.push(`${table} is read whole under ${lock}`);
    }
    if (grown("changed") > MOST_ROWS) {
      faults.push(`${grown("changed")} rows of ${table} are held in one transaction`);
    }
    for (const [index, of] of after.indexes) {
      if (of !== table || before.indexes.has(index) || lock === undefined) continue;
      faults.push(`${index} is built under ${lock} of ${table}: create it concurrently`);
    }
  }
  return faults;
}

/** Parts of the schema that services rely on: columns with their types, and functions. */
type Shape = Map<string, { type: string; required: boolean }>;

async function readShape(client: pg.ClientBase): Promise<Shape> {
  const columns = await client.query<{ name: string; type: string; required: boolean }>(
    `select table_name || '.' || column_name as name, udt_name as type,
            is_nullable = 'NO' and column_default is null and is_identity = 'NO' as required
     from information_schema.columns where table_schema = 'public'`,
  );
  const functions = await client.query<{ name: string; type: string }>(
    `select p.oid::regprocedure::text as name, pg_get_function_result(p.oid) as type
     from pg_proc p where p.pronamespace = 'public'::regnamespace`,
  );
  return new Map(
    [...columns.rows, ...functions.rows].map((row) => [
      row.name,
      { type: row.type, required: "required" in row && row.required === true },
    ]),
  );
}

function lostShape(before: Shape, after: Shape): string[] {
  const tables = new Set([...before.keys()].map((name) => name.split(".")[0]));
  const faults: string[] = [];
  for (const [name, { type, required }] of before) {
    const now = after.get(name);
    if (now === undefined) faults.push(`${name} is gone, and the version before needs it`);
    else if (now.type !== type) faults.push(`${name} is another type, ${now.type}`);
    else if (now.required && !required) faults.push(`${name} has become mandatory`);
  }
  for (const [name, { required }] of after) {
    if (before.has(name) || !required || !tables.has(name.split(".")[0])) continue;
    faults.push(`${name} is mandatory, and the version before does not write it`);
  }
  return faults;
}
