import { resolve } from "node:path";

/** Where the command line finds its database, keys and local stack. */
export interface Environment {
  /** Folder of the local stack. */
  home: string;
  databaseUrl: string | undefined;
  /** As in `SECRETS_KEYS`. */
  secretsKeys: string | undefined;
  allowPrivateProviderAddresses: boolean;
  allowPrivateWebhookAddresses: boolean;
  /** Where commands run by HTTP; absent: they run on the database. */
  apiUrl: string | undefined;
  apiKey: string | undefined;
  /** Signs the calls. */
  webhookSecret: string | undefined;
  /** Where people reach the Admin UI. */
  adminBaseUrl: string | undefined;
  /** As the services have them. */
  nats: NatsEnvironment;
}

/** `NATS_URL`, `NATS_PREFIX` and the files of TLS and credentials; absent where not set. */
export interface NatsEnvironment {
  url?: string;
  prefix?: string;
  caFile?: string;
  certFile?: string;
  keyFile?: string;
  credentialsFile?: string;
}

const WORKSPACE = resolve(import.meta.dirname, "../../..");

/** An empty variable is an absent one. */
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
    nats: {
      ...(env.NATS_URL ? { url: env.NATS_URL } : {}),
      ...(env.NATS_PREFIX ? { prefix: env.NATS_PREFIX } : {}),
      ...(env.NATS_TLS_CA_FILE ? { caFile: env.NATS_TLS_CA_FILE } : {}),
      ...(env.NATS_TLS_CERT_FILE ? { certFile: env.NATS_TLS_CERT_FILE } : {}),
      ...(env.NATS_TLS_KEY_FILE ? { keyFile: env.NATS_TLS_KEY_FILE } : {}),
      ...(env.NATS_CREDENTIALS_FILE ? { credentialsFile: env.NATS_CREDENTIALS_FILE } : {}),
    },
  };
}
