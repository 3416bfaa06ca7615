import type { SecretKeys } from "@belfry/database/secrets";
import { createOidcClient, type OidcClient } from "./oidc-client.ts";
import { createOidcPendings, type OidcPendings } from "./oidc-pending.ts";
import type { OidcSettings } from "./oidc-settings.ts";

/** Signing in by OpenID Connect, as the pages use it. */
export interface OidcDoor {
  settings: OidcSettings;
  client: OidcClient;
  pendings: OidcPendings;
  /** Whether an account of that issuer comes in by the configured provider. */
  isOfProvider(issuer: string): boolean;
}

/** As it is registered at the provider, behind `ADMIN_BASE_URL`. */
export const CALLBACK_PATH = "/sign-in/oidc/callback";

/** Undefined where no provider is configured. */
export function createOidcDoor(
  config: { baseUrl: string; oidc?: OidcSettings | undefined },
  keys: SecretKeys,
): OidcDoor | undefined {
  const { oidc: settings, baseUrl } = config;
  if (settings === undefined) return undefined;
  const { href } = new URL(settings.issuer);
  return {
    settings,
    client: createOidcClient(settings, `${baseUrl}${CALLBACK_PATH}`),
    pendings: createOidcPendings(keys, baseUrl.startsWith("https://")),
    isOfProvider: (issuer) => URL.parse(issuer)?.href === href,
  };
}
