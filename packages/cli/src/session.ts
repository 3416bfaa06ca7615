import { type Audited, audited } from "@belfry/administration/audited";
import { createDatabase, createPool, type Database, type Pool } from "@belfry/database/connection";
import { parseSecretKeys, type SecretKeys } from "@belfry/database/secrets";
import { CommandError } from "./command-error.ts";
import { commandLineActor } from "./command-line-actor.ts";
import { type Environment, readEnvironment } from "./environment.ts";
import { allowsPrivateAddresses, findDatabaseUrl, findSecretsKeys } from "./home-files.ts";
import { printJson } from "./output.ts";

/** What a command works with: a connected database and, when it asks, the keys. */
export interface Session {
  db: Database;
  /** What `db` stands on, for the functions of the database. */
  pool: Pool;
  keys(): Promise<SecretKeys>;
  /** Runs a change with its entry in the audit log, in one transaction. */
  audited: Audited;
  /** Of providers. */
  allowPrivateAddresses(): Promise<boolean>;
  /** Of endpoints. */
  allowPrivateWebhooks(): Promise<boolean>;
}

/** Runs a command's work on the database, and disconnects. */
export async function withDatabase<T>(work: (session: Session) => Promise<T>): Promise<T> {
  const environment = readEnvironment();
  const url = await findDatabaseUrl(environment);
  const limits = { maxConnections: 2, connectTimeoutMs: 10_000 };
  const pool = createPool({ url, applicationName: "belfry-cli", ...limits });
  const db = createDatabase(pool);
  try {
    return await work({
      db,
      pool,
      keys: () => loadKeys(environment),
      audited: (change, note) => audited(db, commandLineActor(), change, note),
      allowPrivateAddresses: () => allowsPrivateAddresses(environment, url, "providers"),
      allowPrivateWebhooks: () => allowsPrivateAddresses(environment, url, "webhooks"),
    });
  } finally {
    await db.destroy();
  }
}

/** The action of a command: does its work on the database, and prints what it comes to as JSON. */
export function onDatabase<Args extends unknown[]>(
  work: (session: Session, ...args: Args) => Promise<unknown>,
): (...args: Args) => Promise<void> {
  return (...args) =>
    withDatabase(async (session) => {
      const result = await work(session, ...args);
      if (result !== undefined) await printJson(result);
    });
}

async function loadKeys(environment: Environment): Promise<SecretKeys> {
  const text = await findSecretsKeys(environment);
  try {
    return parseSecretKeys(text);
  } catch (cause) {
    throw new CommandError(`SECRETS_KEYS: ${(cause as Error).message}`, { cause });
  }
}
