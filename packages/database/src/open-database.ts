import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { lackingFunctions } from "./apply-functions.ts";
import { type ConnectionOptions, createDatabase, createPool, isWritable } from "./connection.ts";
import { isTrialDatabase, SCHEMA, serverFault, TRIAL_DATABASE } from "./schema-files.ts";
import { lackingSettings } from "./session-settings.ts";

export type OpenDatabase = ReturnType<typeof openDatabase>;

interface OpenOptions extends Omit<ConnectionOptions, "onConnectionError"> {
  log: { warn(details: object, message: string): void };
  /** If true, a Postgres that accepts no writes counts as unavailable. */
  mustWrite?: boolean;
}

/** Opens a service's pool with Kysely, and returns them with what starting and stopping a service needs. */
export function openDatabase({ log, mustWrite = false, ...options }: OpenOptions) {
  const pool = createPool({
    ...options,
    onConnectionError: (err) => log.warn({ err }, "idle database connection lost"),
  });
  return {
    applicationName: options.applicationName,
    pool,
    db: createDatabase(pool),
    ready: (waiting: WaitForSchemaOptions) => waitForSchema(pool, waiting),
    isThere: () => (mustWrite ? isWritable(pool) : pool.query("select 1").then(() => true)),
    /** Ends the pool directly: Kysely does not end a pool that it has not used. */
    close: () => pool.end(),
  };
}

interface WaitForSchemaOptions {
  log: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
  };
  /** Ends the wait with the signal's reason. */
  signal: AbortSignal;
  everyMs?: number;
}

const SAY_AGAIN_MS = 30_000;
const UNDEFINED_TABLE = "42P01";
/** Waiting would not help: PgBouncer keeps some settings of a client's connection for as long as it lasts. */
const SETTINGS_DROPPED =
  "a pooler between us and Postgres drops our settings: run these statements, then reconnect the pooler: ";
const NOT_MIGRATED = "waiting for the database to be migrated";

/**
 * Resolves once the database has every migration and function of this code. Postgres may be absent, empty or older:
 * logs what it waits for, on every change and every 30 s. Rejects if `signal` is aborted, for a server that is too old,
 * for a database of a trial installation, and for a pooler that drops our settings.
 */
export async function waitForSchema(pool: pg.Pool, options: WaitForSchemaOptions): Promise<void> {
  const { log, signal, everyMs = 500 } = options;
  let said: { what: string; at: number } | undefined;
  for (;;) {
    signal.throwIfAborted();
    const state = await schemaState(pool);
    if (state === "ready") {
      if (said !== undefined) log.info({}, "the database is ready");
      return;
    }
    if ("refused" in state) throw refusal(state.refused);
    const { what, ...details } = state;
    if (said?.what !== what || performance.now() - said.at > SAY_AGAIN_MS) {
      log.warn(details, what);
      said = { what, at: performance.now() };
    }
    await sleep(everyMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** Returns an error without a stack: the reader is an operator, and a stack would hide the sentence. */
function refusal(sentence: string): Error {
  const error = new Error(sentence);
  delete error.stack;
  return error;
}

type Refused = { refused: string };
type Waiting = { what: string; err: unknown } | { what: string; missing: string[] };

async function schemaState(pool: pg.Pool): Promise<"ready" | Refused | Waiting> {
  // Checks all names, because a migration may have been added later than one that sorts after it.
  const needed = Object.keys(SCHEMA.migrations);
  try {
    const fault = await serverFault(pool);
    if (fault !== null) return { refused: fault };
    if (await isTrialDatabase(pool)) return { refused: TRIAL_DATABASE };
    const lacking = await lackingSettings(pool);
    if (lacking.length > 0) return { refused: SETTINGS_DROPPED + lacking.join("; ") };
    const { rows } = await pool.query<{ name: string }>("select name from kysely_migration");
    const there = new Set(rows.map(({ name }) => name));
    const missing = needed.filter((name) => !there.has(name));
    for (const { name } of await lackingFunctions(pool)) missing.push(`functions/${name}`);
    return missing.length === 0 ? "ready" : { what: NOT_MIGRATED, missing };
  } catch (err) {
    return (err as { code?: string }).code === UNDEFINED_TABLE
      ? { what: NOT_MIGRATED, missing: needed }
      : { what: "waiting for Postgres", err };
  }
}
