import type { ProviderAccount } from "@belfry/administration/people/identities";
import type { ClientAuth, Configuration } from "openid-client";
import { accountOf, type Claims, needsUserInfo } from "./oidc-account.ts";
import { OidcFault, oidcFaultOf } from "./oidc-fault.ts";
import { isLoopback, type OidcSettings } from "./oidc-settings.ts";

/**
 * Values that identify one sign-in. The browser's cookie stores them, and they are compared when the browser returns.
 */
export interface OidcChecks {
  state: string;
  nonce: string;
  verifier: string;
}

/** The client of one OpenID Connect provider. `begin` and `finish` throw `OidcFault`. */
export interface OidcClient {
  settings: OidcSettings;
  /** Whether accounts of that issuer belong to this provider. */
  isOfProvider(issuer: string): boolean;
  /** Returns the provider's address for signing in, and the values to store until the browser returns. */
  begin(): Promise<{ to: string; checks: OidcChecks }>;
  /** Returns the account that has signed in; `query` is the query of the return address. */
  finish(query: URLSearchParams, checks: OidcChecks): Promise<ProviderAccount>;
}

/** The return path that is registered at the provider, after `ADMIN_BASE_URL`. */
const CALLBACK_PATH = "/sign-in/oidc/callback";

/** The age at which the discovery document is read again. */
const REDISCOVER_AFTER_MS = 60 * 60 * 1000;

/** Creates a client that calls the provider only when somebody signs in: the other people do not depend on it. */
export function createOidcClient(settings: OidcSettings, baseUrl: string): OidcClient {
  const redirectUri = `${baseUrl}${CALLBACK_PATH}`;
  const issuer = new URL(settings.issuer).href;
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
      // The next sign-in tries again. Sign-ins that wait for this request get the same error.
      if (found?.configuration === configuration) found = undefined;
      throw error;
    }
  };
  return {
    settings,
    isOfProvider: (other) => URL.parse(other)?.href === issuer,
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
        // We do not read the address from the request's `Host`: the provider compares it with the one that `begin`
        // sent.
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
    // Basic is the default of a provider that names no methods. If both are supported, some decode Basic wrongly.
    const methods = server.token_endpoint_auth_methods_supported ?? [];
    return (methods.includes("client_secret_post") ? post : basic)(server, ...rest);
  };
  const configuration = await oidc.discovery(new URL(issuer), clientId, undefined, authenticate, {
    [oidc.customFetch]: oidcFetch(settings),
    // The timeout of `oidcFetch` is shorter, and covers the body, too.
    timeout: (2 * timeoutMs) / 1000,
    execute: [
      // We require both TLS, which proves who answered, and a signature, which proves who wrote the token.
      oidc.enableNonRepudiationChecks,
      ...(allowHttpOnLoopback ? [oidc.allowInsecureRequests] : []),
    ],
  });
  // Checked before the configuration is cached: a faulty document may be right the next time.
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

/** The size limit of an answer. Discovery documents, key sets and token answers are all smaller. */
export const MAX_ANSWER_BYTES = 512 * 1024;

type Init = RequestInit & { signal?: AbortSignal | null | undefined };

/** Returns a `fetch` for one provider: one deadline for head and body, bounded bytes, https, no redirects. */
function oidcFetch({
  timeoutMs,
  allowHttpOnLoopback,
}: Pick<OidcSettings, "timeoutMs" | "allowHttpOnLoopback">): (
  url: string,
  init: object,
) => Promise<Response> {
  return async (url, init) => {
    requireSafe(new URL(url), allowHttpOnLoopback);
    const deadline = AbortSignal.timeout(timeoutMs);
    const { signal } = init as Init;
    const response = await fetch(url, {
      ...init,
      redirect: "manual",
      signal: signal ? AbortSignal.any([deadline, signal]) : deadline,
    });
    const body = await readBounded(response);
    const headers = new Headers(response.headers);
    // These headers describe the bytes that were sent, but the body is decompressed.
    for (const name of ["content-encoding", "content-length"]) headers.delete(name);
    const { status } = response;
    return new Response(status === 204 || status === 304 ? null : body, { status, headers });
  };
}

/** Throws unless the URL is https, or http on this machine where that is allowed. */
function requireSafe(url: URL, allowHttpOnLoopback: boolean): void {
  if (url.protocol === "https:") return;
  if (url.protocol === "http:" && allowHttpOnLoopback && isLoopback(url.hostname)) return;
  throw new Error("the provider names an address that is not https");
}

async function readBounded({ body }: Response): Promise<Buffer<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop early ends the connection.
  for await (const part of body ?? []) {
    bytes += part.byteLength;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`more than ${MAX_ANSWER_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}
