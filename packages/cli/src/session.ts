import { hostname, userInfo } from "node:os";
import type { Caller } from "@belfry/administration/act";
import { disconnectMessage } from "@belfry/administration/tenants/realtime";
import { addressedMessage } from "@belfry/contracts/realtime-message";
import { encodeQueueMessage, eventsSubject } from "@belfry/contracts/streams";
import { createDatabase, createPool, type Database, type Pool } from "@belfry/database/connection";
import { parseSecretKeys, type SecretKeys } from "@belfry/database/secrets";
import { CommandError } from "./command-error.ts";
import {
  adminUrl,
  allowsPrivateAddresses,
  type Environment,
  findDatabaseUrl,
  findSecretsKeys,
  publicUrl,
  readEnvironment,
} from "./environment.ts";
import { printJson } from "./output.ts";
import { publishIfPossible, publishOnce } from "./publish-once.ts";

/** The database connection of a command, its secret keys and its rules. */
export interface Session {
  db: Database;
  /** The connection pool of `db`, for calls of the database's functions. */
  pool: Pool;
  keys(): Promise<SecretKeys>;
  /** Whether providers may have private addresses. */
  allowPrivateAddresses(): Promise<boolean>;
  /** Whether webhook endpoints may have private addresses. */
  allowPrivateWebhooks(): Promise<boolean>;
}

/** Connects to the database, runs a command's work, prints the result as JSON and disconnects. */
export async function onDatabase(work: (session: Session) => Promise<unknown>): Promise<void> {
  const environment = readEnvironment();
  const url = await findDatabaseUrl(environment);
  const limits = { maxConnections: 2, connectTimeoutMs: 10_000 };
  const pool = createPool({ url, applicationName: "belfry-cli", ...limits });
  const db = createDatabase(pool);
  try {
    const result = await work({
      db,
      pool,
      keys: () => loadKeys(environment),
      allowPrivateAddresses: () => allowsPrivateAddresses(environment, url, "providers"),
      allowPrivateWebhooks: () => allowsPrivateAddresses(environment, url, "webhooks"),
    });
    if (result !== undefined) await printJson(result);
  } finally {
    await db.destroy();
  }
}

async function loadKeys(environment: Environment): Promise<SecretKeys> {
  const text = await findSecretsKeys(environment);
  try {
    return parseSecretKeys(text);
  } catch (cause) {
    throw new CommandError(`SECRETS_KEYS: ${(cause as Error).message}`, { cause });
  }
}

/** Returns the actor for the audit log: the account's name and the machine. */
function commandLineActor() {
  let name: string;
  try {
    name = userInfo().username;
  } catch {
    // In a container the account may have no name.
    name = `uid ${process.getuid?.()}`;
  }
  return { personId: null, person: `command line (${name})`, address: hostname() };
}

/** Returns a caller with all rights: access to the database permits everything. */
export function callerOf(
  { db, pool, keys, ...session }: Session,
  tenantId: string,
  flags: Readonly<Record<string, unknown>>,
): Caller {
  return {
    db,
    tenantId,
    actor: commandLineActor(),
    may: () => true,
    services: {
      pool,
      keys,
      adminUrl: () => adminUrl(flags.baseUrl as string | undefined),
      publicUrl,
      allowPrivateAddresses: session.allowPrivateAddresses,
      allowPrivateWebhooks: session.allowPrivateWebhooks,
      // If NATS is not set or not reachable, the dispatcher finds the event by itself some minutes later.
      publishEvent: (id, traceId) =>
        publishIfPossible(async (prefix) => ({
          subject: eventsSubject(prefix, "express"),
          message: encodeQueueMessage([{ id, traceId }]),
        })),
      publishNotification: (notification) =>
        publishOnce(async (prefix) => {
          const { testMessage } = await import("@belfry/administration/templates/send-test");
          return testMessage(prefix, notification);
        }),
      announcePreferences: ({ tenantId, userId }) =>
        publishIfPossible(async (prefix) =>
          addressedMessage(prefix, tenantId, { version: 1, kind: "preferences", userId }),
        ),
      disconnect: (owner) => publishOnce((prefix) => disconnectMessage(db, owner, prefix)),
    },
  };
}
