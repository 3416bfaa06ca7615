import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { Migrator } from "kysely/migration";
import type pg from "pg";
import { applyFunctions, createFunctionTable } from "./apply-functions.ts";
import { createDatabase, createPool, type Pool } from "./connection.ts";
import {
  isTrialDatabase,
  type Migration,
  SCHEMA,
  type SchemaSource,
  serverFault,
  TRIAL_DATABASE,
} from "./schema-files.ts";

/**
 * Taken for all migrations together; Kysely's own lock is for one migration. The lock ends with its transaction: behind a
 * pooler, the lock of a session would outlive this process.
 */
const LOCK = "select pg_try_advisory_xact_lock(hashtextextended('belfry migrate', 0)) as taken";
/** The transaction of the lock is idle for as long as the migrations run. `transaction_timeout` exists since Postgres 17. */
const WITHOUT_TIMEOUTS = `select set_config(name, '0', true) from pg_settings
  where name in ('idle_in_transaction_session_timeout', 'transaction_timeout')`;
/** The lock is polled: a statement that waits has a snapshot, and `create index concurrently` waits for snapshots. */
const LOCK_EVERY_MS = 200;
/**
 * A statement that waits for a lock on a table blocks all later ones. So a migration waits for less time than a statement
 * of the services may take, and then tries again.
 */
const LOCK_TIMEOUT_MS = 500;
const LOCK_TRY_EVERY_MS = 2_000;
const LOCK_PATIENCE_MS = 10 * 60_000;
const LOCK_NOT_AVAILABLE = "55P03";

export interface MigrateOptions {
  /** How long to retry while another transaction locks a table, in ms. Default: 10 minutes. */
  giveUpAfterMs?: number;
  everyMs?: number;
  /** Default: the SQL of this version. */
  source?: SchemaSource;
}

/**
 * Migrates the database to the newest schema, each migration in its own transaction, and then applies the functions.
 * One process works at a time, so many may call this at once, even an older version on a newer schema, where it does
 * nothing. Goes forward only. Use a direct connection: behind a pooler, statements have the role's timeout. Returns the
 * names of what it ran (`0001-tables`, `functions/accept-events`). Throws the first error; also throws, and changes nothing, if the server
 * is too old or the database is of a trial installation.
 */
export async function migrateToLatest(
  url: string,
  options: MigrateOptions = {},
): Promise<string[]> {
  const pool = createPool({
    url,
    applicationName: "belfry-migrate",
    // One connection holds the lock, the other runs the migrations.
    maxConnections: 2,
    statementTimeoutMs: 0,
  });
  const db = createDatabase(pool);
  const source = options.source ?? SCHEMA;
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => runnable(source.migrations) },
  });
  try {
    const holder = await pool.connect();
    try {
      const fault = await serverFault(holder);
      if (fault !== null) throw new Error(fault);
      await holder.query("begin");
      await holder.query(WITHOUT_TIMEOUTS);
      while (!(await holder.query<{ taken: boolean }>(LOCK)).rows[0]?.taken) {
        await sleep(LOCK_EVERY_MS);
      }
      if (await isTrialDatabase(pool)) throw new Error(TRIAL_DATABASE);
      await withClient(pool, createFunctionTable);
      const ran: string[] = [];
      for (;;) {
        const known = await migrator.getMigrations();
        const next = known.find(({ executedAt }) => executedAt === undefined)?.name;
        if (next === undefined) break;
        await runNext(migrator, next, options);
        ran.push(next);
      }
      const functions = await withClient(pool, (client) => applyFunctions(client, source));
      return [...ran, ...functions.map((name) => `functions/${name}`)];
    } finally {
      await holder.query("rollback").catch(() => undefined);
      // The end of the connection ends the transaction, even if that statement failed.
      holder.release(true);
    }
  } finally {
    await db.destroy();
  }
}

async function withClient<T>(pool: Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    return await work(client);
  } finally {
    client.release();
  }
}

async function runNext(migrator: Migrator, name: string, options: MigrateOptions): Promise<void> {
  const { giveUpAfterMs = LOCK_PATIENCE_MS, everyMs = LOCK_TRY_EVERY_MS } = options;
  const { migrations } = options.source ?? SCHEMA;
  const giveUpAtMs = performance.now() + giveUpAfterMs;
  for (;;) {
    const disableTransactions = migrations[name]?.withoutTransaction === true;
    const { error } = await migrator.migrateUp({ disableTransactions });
    if (error === undefined) return;
    if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
    if (performance.now() > giveUpAtMs) {
      throw new Error(
        `migration ${name}: somebody holds a table that it has to change, perhaps a long transaction or a dump (pg_stat_activity, pg_locks); nothing of it was done`,
        { cause: error },
      );
    }
    await sleep(everyMs);
  }
}

/**
 * Adds to each migration a limit of waiting for locks. One without a transaction has none: it waits for old
 * transactions, but blocks nobody.
 */
function runnable(migrations: SchemaSource["migrations"]): Record<string, Migration> {
  const entries = Object.entries(migrations).map(([name, migration]): [string, Migration] => [
    name,
    {
      up: async (db) => {
        const timeoutMs = migration.withoutTransaction ? 0 : LOCK_TIMEOUT_MS;
        await sql`select set_config('lock_timeout', ${String(timeoutMs)}, ${!migration.withoutTransaction})`.execute(
          db,
        );
        await migration.up(db);
      },
    },
  ]);
  return Object.fromEntries(entries);
}

/** Name of the newest migration, for people. A service needs all migrations and the functions. */
export const NEWEST_MIGRATION = Object.keys(SCHEMA.migrations).at(-1)!;
