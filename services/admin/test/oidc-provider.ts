import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Cleanup } from "@belfry/testing/cleanup";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import Provider from "oidc-provider";
import type { OidcSettings } from "../src/auth/oidc-settings.ts";
import { createBrowser, type TestBrowser } from "./browser.ts";

/** Somebody at the provider; `sub` is theirs for ever. */
export interface ProviderPerson {
  sub: string;
  email?: unknown;
  email_verified?: unknown;
  name?: unknown;
  groups?: unknown;
}

/** For tests: a real provider of OpenID Connect on loopback, whose answers can be changed on their way. */
export interface ProviderUnderTest {
  url: string;
  /** Settings for the Admin UI under test. */
  settings(changes?: Partial<OidcSettings>): OidcSettings;
  /**
   * A browser there: follows the address that Belfry leads to, signs in as the person (undefined: refuses to) and
   * returns the address that it is led back to.
   */
  visit(to: string, person: ProviderPerson | undefined): Promise<string>;
  /** Changes the claims of the next ID tokens and signs them again, with the provider's key unless `key` is given. */
  change: ((claims: Record<string, unknown>) => Signing) | undefined;
  /** Takes the request in place of the provider; true: done. */
  instead: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  /** Paths that were asked for, in turn. */
  asked: string[];
  stop(): Promise<void>;
}

interface Signing {
  claims: Record<string, unknown>;
  by?: "another key" | "none" | "the client's secret";
}

const CLIENT = { id: "belfry", secret: "a secret of thirty-two characters!" };
const REDIRECT_URI = "http://admin.test/sign-in/oidc/callback";
// Once a file: making them costs more than a sign-in.
const KEYS = await Promise.all([1, 2].map(() => generateKeyPair("RS256", { extractable: true })));

export async function startProvider(
  t: Cleanup,
  options: { claimsIn?: "token" | "userinfo"; redirectUri?: string } = {},
): Promise<ProviderUnderTest> {
  const people = new Map<string, ProviderPerson>();
  let present: ProviderPerson | undefined;
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => {};
  const server = createServer((request, response) => {
    under.asked.push((request.url ?? "").split("?", 1)[0]!);
    if (under.instead?.(request, response) !== true) handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const jwk = await exportJWK(KEYS[0]!.privateKey);
  const provider = new Provider(url, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [options.redirectUri ?? REDIRECT_URI],
        token_endpoint_auth_method: "client_secret_post",
      },
    ],
    jwks: { keys: [{ ...jwk, kid: "k1", alg: "RS256", use: "sig" }] },
    cookies: { keys: ["a key of the test"] },
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
    conformIdTokenClaims: options.claimsIn === "userinfo",
    pkce: { required: () => true },
    claims: { openid: ["sub", "groups"], email: ["email", "email_verified"], profile: ["name"] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => ({
      accountId: sub,
      claims: async () => people.get(sub) as unknown as { sub: string },
    }),
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        accountId: oidc.session!.accountId!,
        clientId: oidc.client!.clientId,
      });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
  });
  provider.use(async (context, next) => {
    await next();
    if (context.path !== "/token" || under.change === undefined) return;
    const body = context.body as { id_token: string };
    const [, payload = ""] = body.id_token.split(".");
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
    context.body = { ...body, id_token: await sign(under.change(claims)) };
  });
  const serve = provider.callback();
  handle = (request, response) => {
    if (!request.url?.startsWith("/interaction/")) return void serve(request, response);
    const result =
      present === undefined ? { error: "access_denied" } : { login: { accountId: present.sub } };
    void provider.interactionFinished(request, response, result);
  };
  const under: ProviderUnderTest = {
    url,
    asked: [],
    change: undefined,
    instead: undefined,
    settings: (changes) => ({
      ...{ issuer: url, clientId: CLIENT.id, clientSecret: CLIENT.secret, name: "Acme Login" },
      ...{ scopes: "openid email profile", allowedDomains: ["acme.com"], groupsClaim: "groups" },
      ...{ groupRoles: [], allowHttpOnLoopback: true, timeoutMs: 60_000, ...changes },
    }),
    async visit(to, person) {
      if (person !== undefined) people.set(person.sub, person);
      present = person;
      const browser = createBrowser(url);
      let at = to;
      while (at.startsWith(url)) {
        const { status, headers } = await browser.get(at.slice(url.length));
        const next = headers.get("location");
        if (next === null) throw new Error(`the provider answers ${status} to ${at}`);
        at = new URL(next, url).href;
      }
      return at;
    },
    async stop() {
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
  t.after(() => under.stop());
  return under;
}

/** In a browser of its own, from the button to the answer to the return. */
export async function signInAt(
  url: string,
  provider: ProviderUnderTest,
  person: ProviderPerson | undefined,
  next = "/account",
): Promise<{ browser: TestBrowser; answer: Response; back: string }> {
  const browser = createBrowser(url);
  const begun = await browser.get(`/sign-in/oidc?next=${encodeURIComponent(next)}`);
  if (begun.status !== 303) throw new Error(`${begun.status}: ${await begun.text()}`);
  const { pathname, search } = new URL(
    await provider.visit(begun.headers.get("location") ?? "", person),
  );
  const back = pathname + search;
  return { browser, answer: await browser.get(back), back };
}

async function sign({ claims, by }: Signing): Promise<string> {
  if (by === "none") {
    const parts = [{ alg: "none" }, claims].map((part) =>
      Buffer.from(JSON.stringify(part)).toString("base64url"),
    );
    return `${parts.join(".")}.`;
  }
  if (by === "the client's secret") {
    const token = new SignJWT(claims).setProtectedHeader({ alg: "HS256" });
    return await token.sign(new TextEncoder().encode(CLIENT.secret));
  }
  const key = KEYS[by === "another key" ? 1 : 0]!.privateKey;
  return await new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "k1" }).sign(key);
}
