import type { ProviderAccount } from "@belfry/administration/people/identities";
import type { ClientAuth, Configuration } from "openid-client";
import { accountOf, type Claims, needsUserInfo } from "./oidc-account.ts";
import { OidcFault, oidcFaultOf } from "./oidc-fault.ts";
import { createOidcFetch, requireSafe } from "./oidc-fetch.ts";
import type { OidcSettings } from "./oidc-settings.ts";

/** What one sign-in is known by: made here, kept in the browser's cookie, and compared at its return. */
export interface OidcChecks {
  state: string;
  nonce: string;
  verifier: string;
}

/** The provider, as far as signing in goes. Everything throws `OidcFault`. */
export interface OidcClient {
  /** Where the browser goes to sign in. */
  begin(): Promise<{ to: string; checks: OidcChecks }>;
  /** Who has come back; `query` is that of the return address. */
  finish(query: URLSearchParams, checks: OidcChecks): Promise<ProviderAccount>;
}

/** Its discovery document is read anew after this. */
const REDISCOVER_AFTER_MS = 60 * 60 * 1000;

/** Asks nothing of the provider before somebody signs in: one that is down keeps nobody else out. */
export function createOidcClient(settings: OidcSettings, redirectUri: string): OidcClient {
  let found: { at: number; configuration: Promise<Configuration> } | undefined;
  const discovered = async (): Promise<Configuration> => {
    if (found === undefined || Date.now() - found.at > REDISCOVER_AFTER_MS) {
      const configuration = discover(settings);
      found = { at: Date.now(), configuration };
    }
    const { configuration } = found;
    try {
      return await configuration;
    } catch (error) {
      // The next one asks again; all who came meanwhile share this answer.
      if (found?.configuration === configuration) found = undefined;
      throw error;
    }
  };
  return {
    async begin() {
      return await orFault(async () => {
        const oidc = await import("openid-client");
        const configuration = await discovered();
        const checks = {
          state: oidc.randomState(),
          nonce: oidc.randomNonce(),
          verifier: oidc.randomPKCECodeVerifier(),
        };
        const to = oidc.buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri,
          scope: settings.scopes,
          state: checks.state,
          nonce: checks.nonce,
          code_challenge: await oidc.calculatePKCECodeChallenge(checks.verifier),
          code_challenge_method: "S256",
        });
        return { to: to.href, checks };
      });
    },
    async finish(query, { state, nonce, verifier }) {
      return await orFault(async () => {
        const oidc = await import("openid-client");
        const configuration = await discovered();
        // Never from the request's `Host`: the provider compares it with the one that we began with.
        const url = new URL(redirectUri);
        url.search = query.toString();
        const tokens = await oidc.authorizationCodeGrant(configuration, url, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const token = tokens.claims();
        if (token === undefined) throw new OidcFault("untrusted");
        const { userinfo_endpoint } = configuration.serverMetadata();
        const userInfo =
          userinfo_endpoint !== undefined && needsUserInfo(token, settings)
            ? await oidc.fetchUserInfo(configuration, tokens.access_token, token.sub)
            : undefined;
        return accountOf(token, userInfo as Claims | undefined, settings);
      });
    },
  };
}

async function discover(settings: OidcSettings): Promise<Configuration> {
  const oidc = await import("openid-client");
  const { issuer, clientId, clientSecret, allowHttpOnLoopback, timeoutMs } = settings;
  const post = oidc.ClientSecretPost(clientSecret);
  const basic = oidc.ClientSecretBasic(clientSecret);
  const authenticate: ClientAuth = (server, ...rest) => {
    // A provider that names none takes Basic; of those that take both not all unescape it as they should.
    const methods = server.token_endpoint_auth_methods_supported ?? [];
    return (methods.includes("client_secret_post") ? post : basic)(server, ...rest);
  };
  const configuration = await oidc.discovery(new URL(issuer), clientId, undefined, authenticate, {
    [oidc.customFetch]: createOidcFetch(settings),
    // Ours is shorter, and holds for the body too.
    timeout: (2 * timeoutMs) / 1000,
    execute: [
      // TLS says who answered, the signature who wrote it: both are asked for.
      oidc.enableNonRepudiationChecks,
      ...(allowHttpOnLoopback ? [oidc.allowInsecureRequests] : []),
    ],
  });
  // Before it is kept: what is wrong with it now may be right when it is asked for again.
  const server = configuration.serverMetadata();
  for (const name of ["authorization_endpoint", "token_endpoint", "jwks_uri"] as const) {
    requireSafe(new URL(server[name] ?? ""), allowHttpOnLoopback);
  }
  return configuration;
}

async function orFault<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw oidcFaultOf(error);
  }
}
