import type { Database, Pool } from "@belfry/database/connection";
import type { SecretKeys } from "@belfry/database/secrets";
import { CommandError } from "./command-error.ts";
import { type Environment, readEnvironment } from "./environment.ts";
import { allowsPrivateAddresses, findDatabaseUrl, findSecretsKeys } from "./home-files.ts";

/** What a command works with: a connected database and, when it asks, the keys. */
export interface Session {
  db: Database;
  /** What `db` stands on, for the functions of the database. */
  pool: Pool;
  keys(): Promise<SecretKeys>;
  /** Of providers. */
  allowPrivateAddresses(): Promise<boolean>;
  /** Of endpoints. */
  allowPrivateWebhooks(): Promise<boolean>;
}

/** Runs a command's work on the database, and disconnects. Libraries load here, not at the start. */
export async function withDatabase<T>(work: (session: Session) => Promise<T>): Promise<T> {
  const environment = readEnvironment();
  const url = await findDatabaseUrl(environment);
  const { createDatabase, createPool } = await import("@belfry/database/connection");
  const limits = { maxConnections: 2, connectTimeoutMs: 10_000 };
  const pool = createPool({ url, applicationName: "belfry-cli", ...limits });
  const db = createDatabase(pool);
  try {
    return await work({
      db,
      pool,
      keys: () => loadKeys(environment),
      allowPrivateAddresses: () => allowsPrivateAddresses(environment, url, "providers"),
      allowPrivateWebhooks: () => allowsPrivateAddresses(environment, url, "webhooks"),
    });
  } finally {
    await db.destroy();
  }
}

async function loadKeys(environment: Environment): Promise<SecretKeys> {
  const text = await findSecretsKeys(environment);
  const { parseSecretKeys } = await import("@belfry/database/secrets");
  try {
    return parseSecretKeys(text);
  } catch (cause) {
    throw new CommandError(`SECRETS_KEYS: ${(cause as Error).message}`, { cause });
  }
}
