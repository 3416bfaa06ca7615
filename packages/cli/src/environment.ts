import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { CommandError } from "./command-error.ts";

/** The command line's settings from environment variables. */
export interface Environment {
  /** Folder of the local stack. */
  home: string;
  databaseUrl: string | undefined;
  /** The value of `SECRETS_KEYS`. */
  secretsKeys: string | undefined;
  allowPrivateProviderAddresses: boolean;
  allowPrivateWebhookAddresses: boolean;
  /** The address of the API that commands call. If absent, commands use the database. */
  apiUrl: string | undefined;
  apiKey: string | undefined;
  /** The secret that signs calls of the API. */
  webhookSecret: string | undefined;
  /** The public address of the Admin UI. */
  adminBaseUrl: string | undefined;
  /** The public address of ingest-api, for links in mails. */
  publicUrl: string | undefined;
  /** NATS settings, with the same names as in the services. */
  nats: NatsEnvironment;
}

/**
 * `NATS_URL`, `NATS_PREFIX`, the credentials file and the TLS files. Fields are absent if their variable is not set.
 */
interface NatsEnvironment {
  url?: string;
  prefix?: string;
  credentialsFile?: string;
  tls: { caFile?: string; certFile?: string; keyFile?: string };
}

const WORKSPACE = resolve(import.meta.dirname, "../../..");

/** Reads the settings. An empty variable counts as not set. */
export function readEnvironment(
  // biome-ignore lint/style/noProcessEnv: the one place where the command line reads the environment
  env: Readonly<Record<string, string | undefined>> = process.env,
): Environment {
  return {
    home: resolve(WORKSPACE, env.BELFRY_HOME || ".belfry"),
    databaseUrl: env.DATABASE_URL || undefined,
    secretsKeys: env.SECRETS_KEYS || undefined,
    allowPrivateProviderAddresses: env.ALLOW_PRIVATE_PROVIDER_ADDRESSES === "true",
    allowPrivateWebhookAddresses: env.ALLOW_PRIVATE_WEBHOOK_ADDRESSES === "true",
    apiUrl: env.BELFRY_API_URL || undefined,
    apiKey: env.BELFRY_API_KEY || undefined,
    webhookSecret: env.BELFRY_WEBHOOK_SECRET || undefined,
    adminBaseUrl: env.ADMIN_BASE_URL || undefined,
    publicUrl: env.PUBLIC_URL || undefined,
    nats: {
      ...setOf({
        url: env.NATS_URL,
        prefix: env.NATS_PREFIX,
        credentialsFile: env.NATS_CREDENTIALS_FILE,
      }),
      tls: setOf({
        caFile: env.NATS_TLS_CA_FILE,
        certFile: env.NATS_TLS_CERT_FILE,
        keyFile: env.NATS_TLS_KEY_FILE,
      }),
    },
  };
}

/** Returns the values that are neither undefined nor empty. */
function setOf<Name extends string>(values: Record<Name, string | undefined>) {
  const set = Object.entries(values).filter(([, value]) => value);
  return Object.fromEntries(set) as Partial<Record<Name, string>>;
}

/** Returns `DATABASE_URL`, or else the URL that the local stack wrote to `local.json`. Throws `CommandError`. */
export async function findDatabaseUrl(environment: Environment): Promise<string> {
  if (environment.databaseUrl !== undefined) return environment.databaseUrl;
  const url = await localDatabaseUrl(environment.home);
  if (url !== undefined) return url;
  throw new CommandError(
    `no database: set DATABASE_URL, or start the local stack (there is no ${join(environment.home, "local.json")})`,
  );
}

/**
 * Returns whether providers or webhook endpoints may have private addresses. This is so if the database is that of the
 * local stack, which sends to loopback addresses, or if `ALLOW_PRIVATE_PROVIDER_ADDRESSES` or
 * `ALLOW_PRIVATE_WEBHOOK_ADDRESSES` is `true`.
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

/** Returns `SECRETS_KEYS`, or else the keys of the local stack. Throws `CommandError`. */
export async function findSecretsKeys(environment: Environment): Promise<string> {
  if (environment.secretsKeys !== undefined) return environment.secretsKeys;
  const keys = await readHomeFile<{ secretsKeys?: unknown }>(environment.home, "keys.json");
  if (typeof keys?.secretsKeys === "string") return keys.secretsKeys;
  throw new CommandError(
    `no keys for secrets at rest: set SECRETS_KEYS as the services have it (there is no ${join(environment.home, "keys.json")})`,
  );
}

/** Returns `ADMIN_BASE_URL`, or else the address of the local stack's Admin UI; undefined if there is none. */
export async function findAdminUrl(environment: Environment): Promise<string | undefined> {
  if (environment.adminBaseUrl !== undefined) return environment.adminBaseUrl;
  const local = await readHomeFile<{ adminUrl?: unknown }>(environment.home, "local.json");
  return typeof local?.adminUrl === "string" ? local.adminUrl : undefined;
}

/** Returns the id of the process that runs the local stack, as that process has stored it. */
export async function findStackPid(environment: Environment): Promise<number | undefined> {
  const stack = await readHomeFile<{ pid?: unknown }>(environment.home, "stack.json");
  // 0 and negative numbers would address process groups.
  const pid = stack?.pid;
  return Number.isSafeInteger(pid) && (pid as number) > 1 ? (pid as number) : undefined;
}

/** Returns the address of the local stack's NATS server; undefined if the stack is not running. */
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

/** The flag of commands that print a link. */
export const BASE_URL = [
  "--base-url <url>",
  "of the Admin UI; default: ADMIN_BASE_URL, else the local stack's",
] as const;

/** Returns the address of the Admin UI, without a / at the end. Throws `CommandError`. */
export async function adminUrl(baseUrl: string | undefined): Promise<string> {
  const given = baseUrl ?? (await findAdminUrl(readEnvironment()));
  if (given === undefined) {
    throw new CommandError("--base-url: say where the Admin UI is, or set ADMIN_BASE_URL");
  }
  if (!/^https?:\/\/[^/]+\/?$/.test(given)) {
    throw new CommandError("--base-url: must be an address such as https://admin.example.com");
  }
  return given.replace(/\/$/, "");
}

/**
 * Returns `PUBLIC_URL`, or else the address of the local stack's ingest-api, without a / at the end. Throws
 * `CommandError`.
 */
export async function publicUrl(): Promise<string> {
  const { home, publicUrl: given } = readEnvironment();
  const local = await readHomeFile<{ apiUrl?: unknown }>(home, "local.json");
  const url = given ?? local?.apiUrl;
  if (typeof url === "string") return url.replace(/\/+$/, "");
  throw new CommandError("PUBLIC_URL is not set: it says where readers of mails reach ingest-api");
}
