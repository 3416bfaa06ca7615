import { setTimeout as sleep } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import { Migrator } from "kysely/migration";
import * as initial from "../migrations/0001-initial.ts";
import * as acceptEvents from "../migrations/0002-accept-events.ts";
import * as dispatch from "../migrations/0003-dispatch.ts";
import * as globalTemplates from "../migrations/0004-global-templates.ts";
import * as sending from "../migrations/0005-sending.ts";
import * as providerLimits from "../migrations/0006-provider-limits.ts";
import * as receiptsAndSuppressions from "../migrations/0008-receipts-and-suppressions.ts";
import * as admin from "../migrations/0010-admin.ts";
import * as retention from "../migrations/0011-retention.ts";
import * as signInTries from "../migrations/0012-sign-in-tries.ts";
import * as reconciliations from "../migrations/0013-reconciliations.ts";
import * as sensitiveEvents from "../migrations/0014-sensitive-events.ts";
import * as webhookSecretOverlap from "../migrations/0014-webhook-secret-overlap.ts";
import * as releaseInParts from "../migrations/0015-release-in-parts.ts";
import * as orderAndRounds from "../migrations/0016-order-and-rounds.ts";
import * as undispatchedByUser from "../migrations/0016-undispatched-by-user.ts";
import * as locksAndResets from "../migrations/0017-locks-and-resets.ts";
import * as acceptEventsByItem from "../migrations/0018-accept-events-by-item.ts";
import * as dispatchInSteps from "../migrations/0019-dispatch-in-steps.ts";
import * as sendersInSteps from "../migrations/0019-senders-and-reading.ts";
import * as limitsNameTheTenant from "../migrations/0020-limits-name-the-tenant.ts";
import { createDatabase, createPool } from "./connection.ts";

export interface Migration {
  up(db: Kysely<unknown>): Promise<void>;
  /**
   * For what may not stand in a transaction, as `create index concurrently`. Such a migration begins
   * with `drop index concurrently if exists`: when it ends halfway, it is run again.
   */
  withoutTransaction?: true;
}

/** They run in the order of their names. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  "0001-initial": initial,
  "0002-accept-events": acceptEvents,
  "0003-dispatch": dispatch,
  "0004-global-templates": globalTemplates,
  "0005-sending": sending,
  "0006-provider-limits": providerLimits,
  "0008-receipts-and-suppressions": receiptsAndSuppressions,
  "0010-admin": admin,
  "0011-retention": retention,
  "0012-sign-in-tries": signInTries,
  "0013-reconciliations": reconciliations,
  "0014-sensitive-events": sensitiveEvents,
  "0014-webhook-secret-overlap": webhookSecretOverlap,
  "0015-release-in-parts": releaseInParts,
  "0016-order-and-rounds": orderAndRounds,
  "0016-undispatched-by-user": undispatchedByUser,
  "0017-locks-and-resets": locksAndResets,
  "0018-accept-events-by-item": acceptEventsByItem,
  "0019-dispatch-in-steps": dispatchInSteps,
  "0019-senders-and-reading": sendersInSteps,
  "0020-limits-name-the-tenant": limitsNameTheTenant,
};

/** Held while migrations run; Kysely's own lock is for one of them. */
const LOCK = "select pg_try_advisory_lock(hashtextextended('belfry migrate', 0)) as taken";
/** Asked for again and again: a statement that waits holds a snapshot, and a concurrent index waits for these. */
const LOCK_EVERY_MS = 200;
/**
 * Whoever waits for a lock on a table makes everybody wait who comes after: so a migration waits for
 * less than a statement of the services may take, and tries again.
 */
const LOCK_TIMEOUT_MS = 500;
const LOCK_TRY_EVERY_MS = 2_000;
const LOCK_PATIENCE_MS = 10 * 60_000;
const LOCK_NOT_AVAILABLE = "55P03";

export interface MigrateOptions {
  /** How long to go on trying while somebody else holds a table. Default: 10 minutes. */
  patienceMs?: number;
  everyMs?: number;
}

/**
 * Brings the database to the newest schema, each migration in a transaction of its own, one process at
 * a time: safe to call from many at once, and from an older version on a newer schema, where it does
 * nothing. Forward only. Needs a direct connection, not a transaction pooler.
 * Returns the names of the migrations that ran; throws the first failure.
 */
export async function migrateToLatest(
  url: string,
  options: MigrateOptions = {},
): Promise<string[]> {
  const pool = createPool({
    url,
    applicationName: "belfry-migrate",
    // One holds the lock, the other does the work.
    maxConnections: 2,
    statementTimeoutMs: 0,
  });
  const db = createDatabase(pool);
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => runnable() },
    // A database of some moment may have a later name than one that was added after it.
    allowUnorderedMigrations: true,
  });
  try {
    const holder = await pool.connect();
    try {
      while (!(await holder.query<{ taken: boolean }>(LOCK)).rows[0]?.taken) {
        await sleep(LOCK_EVERY_MS);
      }
      const ran: string[] = [];
      for (;;) {
        const known = await migrator.getMigrations();
        const next = known.find(({ executedAt }) => executedAt === undefined)?.name;
        if (next === undefined) return ran;
        await runNext(migrator, next, options);
        ran.push(next);
      }
    } finally {
      holder.release();
    }
  } finally {
    await db.destroy();
  }
}

async function runNext(migrator: Migrator, name: string, options: MigrateOptions): Promise<void> {
  const { patienceMs = LOCK_PATIENCE_MS, everyMs = LOCK_TRY_EVERY_MS } = options;
  const giveUpAtMs = performance.now() + patienceMs;
  for (;;) {
    const disableTransactions = MIGRATIONS[name]?.withoutTransaction === true;
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

/** Each with its bound on waiting for locks; what runs concurrently waits for old transactions, and blocks nobody. */
function runnable(): Record<string, Migration> {
  const entries = Object.entries(MIGRATIONS).map(([name, migration]): [string, Migration] => [
    name,
    {
      up: async (db) => {
        const timeoutMs = migration.withoutTransaction ? 0 : LOCK_TIMEOUT_MS;
        await sql`select set_config('lock_timeout', ${String(timeoutMs)}, false)`.execute(db);
        await migration.up(db);
      },
    },
  ]);
  return Object.fromEntries(entries);
}

/** The last name, for people; what a service needs is all of them. */
export const NEWEST_MIGRATION = Object.keys(MIGRATIONS).sort().at(-1)!;
