import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { CommandError } from "./command-error.ts";
import type { Environment } from "./environment.ts";

/** `DATABASE_URL`, else what the local stack wrote into `local.json`. Throws `CommandError`. */
export async function findDatabaseUrl(environment: Environment): Promise<string> {
  if (environment.databaseUrl !== undefined) return environment.databaseUrl;
  const url = await localDatabaseUrl(environment.home);
  if (url !== undefined) return url;
  throw new CommandError(
    `no database: set DATABASE_URL, or start the local stack (there is no ${join(environment.home, "local.json")})`,
  );
}

/**
 * The local stack sends to loopback addresses; elsewhere `ALLOW_PRIVATE_PROVIDER_ADDRESSES` and
 * `ALLOW_PRIVATE_WEBHOOK_ADDRESSES` say so.
 */
export async function allowsPrivateAddresses(
  environment: Environment,
  databaseUrl: string,
  of: "providers" | "webhooks",
): Promise<boolean> {
  const { allowPrivateProviderAddresses, allowPrivateWebhookAddresses } = environment;
  if (of === "providers" ? allowPrivateProviderAddresses : allowPrivateWebhookAddresses)
    return true;
  return (await localDatabaseUrl(environment.home)) === databaseUrl;
}

/** `SECRETS_KEYS`, else the local stack's keys. Throws `CommandError`. */
export async function findSecretsKeys(environment: Environment): Promise<string> {
  if (environment.secretsKeys !== undefined) return environment.secretsKeys;
  const keys = await readHomeFile<{ secretsKeys?: unknown }>(environment.home, "keys.json");
  if (typeof keys?.secretsKeys === "string") return keys.secretsKeys;
  throw new CommandError(
    `no keys for secrets at rest: set SECRETS_KEYS as the services have it (there is no ${join(environment.home, "keys.json")})`,
  );
}

/** `ADMIN_BASE_URL`, else where the local stack's Admin UI is. */
export async function findAdminUrl(environment: Environment): Promise<string | undefined> {
  if (environment.adminBaseUrl !== undefined) return environment.adminBaseUrl;
  const local = await readHomeFile<{ adminUrl?: unknown }>(environment.home, "local.json");
  return typeof local?.adminUrl === "string" ? local.adminUrl : undefined;
}

/** The process that holds the local stack, as it says itself. */
export async function findStackPid(environment: Environment): Promise<number | undefined> {
  const stack = await readHomeFile<{ pid?: unknown }>(environment.home, "stack.json");
  // 0 and negative numbers would name process groups.
  const pid = stack?.pid;
  return Number.isSafeInteger(pid) && (pid as number) > 1 ? (pid as number) : undefined;
}

/** The NATS server of the local stack, while it runs. */
export async function findNatsUrl(home: string): Promise<string | undefined> {
  const local = await readHomeFile<{ natsUrl?: unknown }>(home, "local.json");
  return typeof local?.natsUrl === "string" ? local.natsUrl : undefined;
}

async function localDatabaseUrl(home: string): Promise<string | undefined> {
  const local = await readHomeFile<{ databaseUrl?: unknown }>(home, "local.json");
  return typeof local?.databaseUrl === "string" ? local.databaseUrl : undefined;
}

async function readHomeFile<T>(home: string, name: string): Promise<T | undefined> {
  const path = join(home, name);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new CommandError(`cannot read ${path}`, { cause });
  }
  try {
    return JSON.parse(text) as T;
  } catch {
    throw new CommandError(`${path} is not JSON`);
  }
}
