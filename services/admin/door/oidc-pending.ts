import { decryptSecret, encryptSecret, type SecretKeys } from "@belfry/database/secrets";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { OidcChecks } from "./oidc-client.ts";

/** A sign-in that has gone to the provider and has not come back. */
export interface OidcPending extends OidcChecks {
  /** A path of ours to go on to. */
  next: string;
  /** The session that connects an account to its person; without one somebody signs in. */
  connects: string | undefined;
}

/**
 * Rests in a cookie of the browser that began it, encrypted: no row for every visitor who never comes back, and
 * nothing that another browser could bring. A browser has one at a time.
 */
export interface OidcPendings {
  keep(reply: FastifyReply, pending: OidcPending): Promise<void>;
  /** Once: the cookie is gone with it. Undefined: there is none, it is too old, or not of our making. */
  take(request: FastifyRequest, reply: FastifyReply): Promise<OidcPending | undefined>;
}

export const PENDING_SECONDS = 10 * 60;
const OWNER = "oidc-pending";
/** The longest that browsers keep. */
const MAX_COOKIE = 4096;

export function createOidcPendings(
  keys: SecretKeys,
  isHttps: boolean,
  nowMs: () => number = Date.now,
): OidcPendings {
  const name = `${isHttps ? "__Host-" : ""}belfry_oidc`;
  // Lax: the way back begins at another site.
  const options = { path: "/", httpOnly: true, sameSite: "lax", secure: isHttps } as const;
  return {
    async keep(reply, pending) {
      const endsMs = nowMs() + PENDING_SECONDS * 1000;
      const sealed = await encryptSecret(keys, OWNER, JSON.stringify({ ...pending, endsMs }));
      reply.setCookie(name, sealed, { ...options, maxAge: PENDING_SECONDS });
    },
    async take(request, reply) {
      const sealed = request.cookies[name];
      if (sealed === undefined || sealed.length > MAX_COOKIE) return undefined;
      reply.clearCookie(name, options);
      const text = await decryptSecret(keys, OWNER, sealed).catch(() => undefined);
      if (text === undefined) return undefined;
      const { endsMs, ...pending } = JSON.parse(text);
      return nowMs() < endsMs ? (pending as OidcPending) : undefined;
    },
  };
}
