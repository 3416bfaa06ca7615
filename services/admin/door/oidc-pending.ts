import type { SecretKeys } from "@belfry/database/secrets";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { OidcChecks } from "./oidc-client.ts";
import { createSealedCookie } from "./sealed-cookie.ts";

/** A sign-in that has gone to the provider and has not come back. */
export interface OidcPending extends OidcChecks {
  /** A path of ours to go on to. */
  next: string;
  /** The session that connects an account to its person; without one somebody signs in. */
  connects: string | undefined;
}

/** Rests in the browser that began it, so that no other can bring it. A browser has one at a time. */
export interface OidcPendings {
  keep(reply: FastifyReply, pending: OidcPending): Promise<void>;
  /** Once: the cookie is gone with it. Undefined: there is none, it is too old, or not of our making. */
  take(request: FastifyRequest, reply: FastifyReply): Promise<OidcPending | undefined>;
}

export const PENDING_SECONDS = 10 * 60;

export function createOidcPendings(
  keys: SecretKeys,
  isHttps: boolean,
  nowMs: () => number = Date.now,
): OidcPendings {
  const cookie = createSealedCookie<OidcPending>({
    ...{ keys, isHttps, nowMs, name: "oidc", seconds: PENDING_SECONDS, sameSite: "lax" },
  });
  return {
    keep: cookie.keep,
    async take(request, reply) {
      const pending = await cookie.read(request);
      cookie.clear(reply);
      return pending;
    },
  };
}
