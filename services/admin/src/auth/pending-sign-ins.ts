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
  /** Undefined if people sign in by password only. */
  oidc: OidcClient | undefined;
  pendings: PendingSignIns;
};

/** Unfinished sign-ins. A cookie of the browser that began a sign-in stores it. */
type PendingSignIns = ReturnType<typeof createPendingSignIns>;

/** A sign-in with the right password that still needs a code. */
interface CodePending extends PasswordGiven {
  /** The path of ours to redirect to afterwards. */
  next: string;
}

/** A sign-in whose browser was sent to the OpenID Connect provider and has not returned. */
export interface OidcPending extends OidcChecks {
  /** The path of ours to redirect to afterwards. */
  next: string;
  /** The session that connects an account to its person; undefined if somebody signs in. */
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
  // Lax, because the browser returns from another site.
  const oidcCookie = sealedCookie<OidcPending>(options, {
    name: "oidc",
    seconds: 10 * 60,
    sameSite: "lax",
  });
  const secretOf = ({ request, person }: Guest) => cookies.secretOf(request, person !== undefined);
  return {
    /** Bound to the secret of the browser's forms, so that another browser cannot use the cookie. */
    code: {
      async keep(guest: Guest, pending: CodePending): Promise<void> {
        // The browser has a secret, because its form was accepted.
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
    /** A browser has at most one of these sign-ins. */
    oidc: {
      keep: oidcCookie.keep,
      /** Returns the sign-in and deletes its cookie, so that it is used only once. */
      async take(request: FastifyRequest, reply: FastifyReply): Promise<OidcPending | undefined> {
        const pending = await oidcCookie.read(request);
        oidcCookie.clear(reply);
        return pending;
      },
    },
  };
}

/** The size in bytes up to which browsers store a cookie. */
const MAX_COOKIE = 4096;

/** Returns a cookie that only we can make and read. So visitors who never return leave no rows in the database. */
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
    /** Returns undefined if there is no cookie, it has expired, or we did not make it. */
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
