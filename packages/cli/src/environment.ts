import { resolve } from "node:path";

/** Where the command line finds its database, keys and local stack. */
export interface Environment {
  /** Folder of the local stack. */
  home: string;
  databaseUrl: string | undefined;
  /** As in `SECRETS_KEYS`. */
  secretsKeys: string | undefined;
  allowPrivateProviderAddresses: boolean;
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
  };
}
