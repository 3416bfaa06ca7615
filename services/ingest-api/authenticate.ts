import { Problem } from "@belfry/contracts/problems";
import { HEADERS } from "@belfry/contracts/trigger";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AbuseLimits } from "./abuse-limits.ts";
import { guardKeyedRoutes, requireKeyRole } from "./key-access.ts";
import type { KeyUses } from "./key-uses.ts";
import { verifySignature } from "./signature.ts";
import type { Tenant, TenantDirectory } from "./tenant-directory.ts";

/** Longer than any key of ours: refused without a look. */
const MAX_KEY_CHARACTERS = 256;

declare module "fastify" {
  interface FastifyRequest {
    /** The tenant of the request's API key, from `onRequest` on. */
    tenant: Tenant;
  }
}

export interface Authentication {
  /**
   * For `onRequest`, so that a bad key is told before anything of the body: sets `request.tenant`.
   * Throws a 401 Problem, 403 where the key's role does not allow the route, or 429 for an address that guesses keys.
   */
  trigger(request: FastifyRequest, reply: FastifyReply, done: (err?: Error) => void): void;
  /** The same for every endpoint but trigger, whose own limits are exact; these are per replica. */
  other(request: FastifyRequest): Promise<void>;
}

export function createAuthentication(
  app: FastifyInstance,
  deps: { directory: TenantDirectory; keyUses: KeyUses; limits: AbuseLimits; now(): Date },
): Authentication {
  // The slot alone: a hook fills it before any handler runs.
  app.decorateRequest("tenant", null as unknown as Tenant);
  guardKeyedRoutes(app, deps.limits);

  const refuse = async (request: FastifyRequest, cause: string) => {
    await deps.limits.countUnknownKey(request);
    throw unauthorized(request, cause);
  };
  const admit = (request: FastifyRequest, tenant: Tenant | undefined) => {
    if (tenant === undefined) return refuse(request, "unknown key");
    request.logFields = { tenantId: tenant.id };
    if (!tenant.active) throw unauthorized(request, "inactive tenant");
    if (tenant.keyExpiresAt !== null && tenant.keyExpiresAt <= deps.now()) {
      throw unauthorized(request, "expired key");
    }
    deps.keyUses.note(tenant.keyId);
    request.tenant = tenant;
  };
  /** Returns nothing for a key that is remembered: a promise a request is worth avoiding. */
  const authenticate = (request: FastifyRequest): Promise<void> | undefined => {
    const apiKey = request.headers[HEADERS.apiKey];
    if (typeof apiKey !== "string" || apiKey === "" || apiKey.length > MAX_KEY_CHARACTERS) {
      return refuse(request, apiKey === undefined ? "no key" : "malformed key");
    }
    // A key that was good before is not checked: a neighbour's guesses lock no tenant out.
    const found = deps.directory.find(apiKey, () => deps.limits.checkUnknownKeys(request));
    if (found instanceof Promise) return found.then((tenant) => admit(request, tenant));
    return admit(request, found);
  };
  const judgeTrigger = (request: FastifyRequest) => {
    const { keyRole } = request.tenant;
    // Most have it: no look into a table a request.
    if (keyRole !== "all") requireKeyRole(request, keyRole);
  };
  return {
    trigger(request, _reply, done) {
      const pending = authenticate(request);
      if (pending !== undefined) {
        pending.then(() => judgeTrigger(request)).then(() => done(), done);
        return;
      }
      judgeTrigger(request);
      done();
    },
    async other(request) {
      await authenticate(request);
      await deps.limits.countOther(request, request.tenant.id);
      requireKeyRole(request, request.tenant.keyRole);
    },
  };
}

/**
 * For `preValidation`, of what makes or moves messages or changes users: where the tenant has a webhook secret,
 * the raw body must be signed, an empty one too.
 */
export function requireSignature(request: FastifyRequest, _reply: unknown, done: () => void): void {
  const { webhookSecrets } = request.tenant;
  if (webhookSecrets.length > 0) {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    verifySignature(webhookSecrets, body, request.headers[HEADERS.signature], new Date());
  }
  done();
}

/** One message for every cause; the cause is for the log. */
function unauthorized(request: FastifyRequest, cause: string): Problem {
  request.logFields = { ...request.logFields, refused: cause };
  return new Problem("unauthorized");
}
