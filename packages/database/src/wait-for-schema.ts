import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { NEWEST_MIGRATION } from "./migrate.ts";

export interface WaitForSchemaOptions {
  log: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
  };
  /** Ends the wait with the signal's reason. */
  signal: AbortSignal;
  everyMs?: number;
  /** The migration to wait for; the newest that this code knows unless said. */
  migration?: string;
}

const SAY_AGAIN_MS = 30_000;
const UNDEFINED_TABLE = "42P01";

/**
 * Resolves once the database has the newest migration of this code. Postgres may be absent, empty or
 * older: says what it waits for, when that changes and every 30 s. Rejects only when told to stop.
 */
export async function waitForSchema(pool: pg.Pool, options: WaitForSchemaOptions): Promise<void> {
  const { log, signal, everyMs = 500, migration = NEWEST_MIGRATION } = options;
  let said: { what: string; at: number } | undefined;
  for (;;) {
    signal.throwIfAborted();
    const state = await schemaState(pool, migration);
    if (state === "ready") {
      if (said !== undefined) log.info({ migration }, "the database is ready");
      return;
    }
    if (said?.what !== state.what || performance.now() - said.at > SAY_AGAIN_MS) {
      log.warn({ migration, err: state.err }, state.what);
      said = { what: state.what, at: performance.now() };
    }
    await sleep(everyMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

async function schemaState(
  pool: pg.Pool,
  migration: string,
): Promise<"ready" | { what: string; err?: unknown }> {
  try {
    const found = await pool.query("select 1 from kysely_migration where name = $1", [migration]);
    return found.rowCount === 0 ? { what: "waiting for the database to be migrated" } : "ready";
  } catch (err) {
    return (err as { code?: string }).code === UNDEFINED_TABLE
      ? { what: "waiting for the database to be migrated" }
      : { what: "waiting for Postgres", err };
  }
}
