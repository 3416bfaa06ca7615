import type { PasswordGiven } from "@belfry/administration/people/sessions";
import { decryptSecret, encryptSecret, type SecretKeys } from "@belfry/database/secrets";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Cookies, formToken, isFormToken } from "../page/cookies.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { Guest } from "../page/router.ts";
import type { OidcChecks, OidcClient } from "./oidc-client.ts";

/** Dependencies of the sign-in pages. */
export type AuthDeps = PageDeps & {
  cookies: Cookies;
  /** Undefined: people sign in by password alone. */
  oidc: OidcClient | undefined;
  pendings: PendingSignIns;
};

/** Sign-ins that are half done. Each rests in the browser that began it. */
type PendingSignIns = ReturnType<typeof createPendingSignIns>;

/** The password was right, and a code is asked for. */
interface CodePending extends PasswordGiven {
  /** A path of ours to go on to. */
  next: string;
}

/** The browser was sent to the OpenID Connect provider, and has not come back. */
export interface OidcPending extends OidcChecks {
  /** A path of ours to go on to. */
  next: string;
  /** The session that connects an account to its person; without one somebody signs in. */
  connects: string | undefined;
}

interface CookieOptions {
  keys: SecretKeys;
  isHttps: boolean;
  nowMs(): number;
}

export function createPendingSignIns(cookies: Cookies, options: CookieOptions) {
  const codeCookie = sealedCookie<CodePending & { browser: string }>(options, {
    name: "code",
    seconds: 5 * 60,
    sameSite: "strict",
  });
  // Lax: the browser comes back from another site.
  const oidcCookie = sealedCookie<OidcPending>(options, {
    name: "oidc",
    seconds: 10 * 60,
    sameSite: "lax",
  });
  const secretOf = ({ request, person }: Guest) => cookies.secretOf(request, person !== undefined);
  return {
    /** Bound to what the browser's forms are bound to: another browser cannot use the cookie. */
    code: {
      async keep(guest: Guest, pending: CodePending): Promise<void> {
        // A form was accepted, so there is one.
        const browser = formToken(secretOf(guest) ?? "");
        await codeCookie.keep(guest.reply, { ...pending, browser });
      },
      async read(guest: Guest): Promise<CodePending | undefined> {
        const found = await codeCookie.read(guest.request);
        return found !== undefined && isFormToken(found.browser, secretOf(guest))
          ? found
          : undefined;
      },
      clear: codeCookie.clear,
    },
    /** A browser has one at a time. */
    oidc: {
      keep: oidcCookie.keep,
      /** Once: the cookie is gone with it. */
      async take(request: FastifyRequest, reply: FastifyReply): Promise<OidcPending | undefined> {
        const pending = await oidcCookie.read(request);
        oidcCookie.clear(reply);
        return pending;
      },
    },
  };
}

/** The longest that browsers keep. */
const MAX_COOKIE = 4096;

/** A cookie that only we can make and read: visitors who never come back leave no row. */
function sealedCookie<T extends object>(
  { keys, isHttps, nowMs }: CookieOptions,
  kind: { name: string; seconds: number; sameSite: "lax" | "strict" },
) {
  const { seconds, sameSite } = kind;
  const name = `${isHttps ? "__Host-" : ""}belfry_${kind.name}`;
  const owner = `cookie:${kind.name}`;
  const attributes = { path: "/", httpOnly: true, sameSite, secure: isHttps } as const;
  return {
    async keep(reply: FastifyReply, content: T): Promise<void> {
      const endsMs = nowMs() + seconds * 1000;
      const sealed = await encryptSecret(keys, owner, JSON.stringify({ content, endsMs }));
      reply.setCookie(name, sealed, { ...attributes, maxAge: seconds });
    },
    /** Undefined: there is none, it is too old, or we did not make it. */
    async read(request: FastifyRequest): Promise<T | undefined> {
      const sealed = request.cookies[name];
      if (sealed === undefined || sealed.length > MAX_COOKIE) return undefined;
      const text = await decryptSecret(keys, owner, sealed).catch(() => undefined);
      if (text === undefined) return undefined;
      const { content, endsMs } = JSON.parse(text) as { content: T; endsMs: number };
      return nowMs() < endsMs ? content : undefined;
    },
    clear(reply: FastifyReply): void {
      reply.clearCookie(name, attributes);
    },
  };
}
