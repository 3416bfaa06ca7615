import { type ConnectionOptions, createDatabase, createPool } from "./connection.ts";
import { isWritable } from "./is-writable.ts";
import { type WaitForSchemaOptions, waitForSchema } from "./wait-for-schema.ts";

export type OpenDatabase = ReturnType<typeof openDatabase>;

export interface OpenOptions extends Omit<ConnectionOptions, "onConnectionError"> {
  log: { warn(details: object, message: string): void };
  /** A Postgres that takes no writes counts as away. */
  mustWrite?: boolean;
}

/** A service's pool with Kysely over it, and what starting and stopping ask of it. */
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
    /** Not by `db`: Kysely ends no pool that it has not used. */
    close: () => pool.end(),
  };
}
