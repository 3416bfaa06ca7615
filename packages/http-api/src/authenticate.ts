import { createHmac, timingSafeEqual } from "node:crypto";
import { signedText } from "@belfry/administration/act-http";
import { ATTACHMENTS_PATH } from "@belfry/contracts/attachments";
import { listed } from "@belfry/contracts/channels";
import { KEYS_THAT_MAY, type KeyNeed, type KeyRole, keyMay } from "@belfry/contracts/key-roles";
import { Problem } from "@belfry/contracts/problems";
import { HEADERS, TRIGGER_PATH } from "@belfry/contracts/trigger";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AbuseLimits } from "./abuse-limits.ts";
import type { KeyUses, Tenant, TenantDirectory, WebhookSecret } from "./tenant-directory.ts";

/** Our keys are shorter. A longer one is refused without a query. */
const MAX_KEY_CHARACTERS = 256;
const HEX_SHA256 = /^[0-9a-f]{64}$/;
/** A body up to this size needs no reservation: thousands of them fit in memory. Nearly all triggers are smaller. */
const SMALL_BODY_BYTES = 16 * 1024;
const UNIX_SECONDS = /^[1-9]\d{8,10}$/;
/** How far the signer's clock may be from ours, either way. */
const MAX_CLOCK_SECONDS = 300;

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether the route accepts platform keys, and no tenant's key. */
    isOfPlatform?: boolean;
  }
  interface FastifyRequest {
    /** The tenant of the request's API key, from `onRequest` on. */
    tenant: Tenant;
  }
}

/** The access that a key needs, by method and path, such as `GET /api/v1/webhooks`. */
export type KeyAccess = Readonly<Record<string, KeyNeed>>;

export type Authentication = ReturnType<typeof createAuthentication>;

export function createAuthentication(
  app: FastifyInstance,
  deps: {
    access: KeyAccess;
    directory: Pick<TenantDirectory, "find">;
    keyUses: Pick<KeyUses, "note">;
    limits: Pick<AbuseLimits, "countUnknownKey" | "checkUnknownKeys" | "countOther" | KeyedLimits>;
    now(): Date;
    /** Returns the name under which calls other than the trigger are counted. Default: the tenant's id. */
    callerOf?(tenant: Tenant): string;
  },
) {
  const { callerOf = ({ id }: Tenant) => id } = deps;
  // Fastify reserves the property only: a hook sets it before any handler runs.
  app.decorateRequest("tenant", null as unknown as Tenant);
  guardKeyedRoutes(app, deps.access, deps.limits);

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
  /** Returns no promise for a cached key: one promise per request is worth avoiding. */
  const authenticate = (request: FastifyRequest): Promise<void> | undefined => {
    const apiKey = request.headers[HEADERS.apiKey];
    if (typeof apiKey !== "string" || apiKey === "" || apiKey.length > MAX_KEY_CHARACTERS) {
      return refuse(request, apiKey === undefined ? "no key" : "malformed key");
    }
    // An address is not checked for a key that was found before, so a neighbour's guesses lock no tenant out.
    const found = deps.directory.find(apiKey, () => deps.limits.checkUnknownKeys(request));
    if (found instanceof Promise) return found.then((tenant) => admit(request, tenant));
    return admit(request, found);
  };
  const judgeTrigger = (request: FastifyRequest) => {
    // Most keys have this role, so this saves a look-up in the table.
    if (request.tenant.keyRole !== "all") requireKeyRole(deps.access, request);
  };
  return {
    /**
     * For `onRequest`, so that a bad key is refused before its body is read: sets `request.tenant`. Fails with a
     * Problem: 401 for a bad key, 403 if the key's role does not allow the route, 429 for an address that guesses keys.
     */
    trigger(request: FastifyRequest, _reply: FastifyReply, done: (err?: Error) => void): void {
      const pending = authenticate(request);
      if (pending !== undefined) {
        pending.then(() => judgeTrigger(request)).then(() => done(), done);
        return;
      }
      judgeTrigger(request);
      done();
    },
    /** Does the same for every other endpoint, and counts the call per replica. The trigger has exact limits. */
    async other(request: FastifyRequest): Promise<void> {
      await authenticate(request);
      await deps.limits.countOther(request, callerOf(request.tenant));
      requireKeyRole(deps.access, request);
    },
  };
}

/** Returns one message for every cause, and logs the cause. */
function unauthorized(request: FastifyRequest, cause: string): Problem {
  request.logFields = { ...request.logFields, refused: cause };
  return new Problem("unauthorized");
}

/** Returns the declared length of a body; if the length is unknown, the most that its route accepts. */
function bodyBytesOf({ headers, routeOptions }: FastifyRequest): number {
  if (headers["transfer-encoding"] !== undefined) return routeOptions.bodyLimit ?? 0;
  return Number(headers["content-length"] ?? 0);
}

type KeyedLimits = "holdBody" | "withBody" | "inTurn";

/**
 * Guards the routes with an API key that are registered after this. A tenant's route without an entry in `access`
 * cannot be registered. Each route reserves memory for its body, and each route of a tenant but the trigger runs its
 * calls in turn with the tenant's other calls. The upload of a file does neither: it holds only a row of the file at a
 * time, and takes turns with other uploads.
 */
export function guardKeyedRoutes(
  app: FastifyInstance,
  access: KeyAccess,
  { holdBody, withBody, inTurn }: Pick<AbuseLimits, KeyedLimits>,
): void {
  app.addHook("onRoute", (route) => {
    const { method, url, schema, handler, config, onRequest = [] } = route;
    const { security = [] } = schema ?? {};
    if (!security.some((one) => "apiKey" in one)) return;
    const isOfPlatform = config?.isOfPlatform === true;
    for (const each of [method].flat()) {
      if (!isOfPlatform && needOf(access, each, url) === undefined) {
        throw new Error(`no key need is known of ${each} ${url}`);
      }
    }
    if (url === ATTACHMENTS_PATH) return;
    const hold = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
      const bytes = bodyBytesOf(request);
      if (bytes <= SMALL_BODY_BYTES) done();
      else holdBody(request, reply, bytes).then(() => done(), done);
    };
    route.onRequest = [...[onRequest].flat(), hold];
    if (url === TRIGGER_PATH) return;
    route.handler = function (request, reply) {
      const work = () => withBody(request, async () => handler.call(this, request, reply));
      if (isOfPlatform) return work();
      return inTurn(request, { door: "api", tenantId: request.tenant.id }, work);
    };
  });
}

/** Throws a 403 Problem that names the role, unless the key's role allows the route. */
function requireKeyRole(access: KeyAccess, request: FastifyRequest): void {
  const { url = "" } = request.routeOptions;
  const { keyRole } = request.tenant;
  const need = needOf(access, request.method, url);
  if (need !== undefined && keyMay(keyRole, need)) return;
  request.logFields = { ...request.logFields, refused: "key's role" };
  throw new Problem("keyRole", need && { message: refusal(keyRole, need) });
}

/** Returns the message of the 403 Problem. */
export function refusal(role: KeyRole, need: KeyNeed): string {
  const roles = listed(KEYS_THAT_MAY[need], "or");
  return `This API key has the role ${role}; this call needs the role ${roles}`;
}

/** Returns what a route needs. HEAD needs the same as GET. */
function needOf(access: KeyAccess, method: string, url: string): KeyNeed | undefined {
  return access[`${method === "HEAD" ? "GET" : method} ${url}`];
}

/**
 * For `preValidation` of calls that create or change messages or users: if the tenant has a webhook secret, the raw
 * body must be signed, even an empty one.
 */
export function requireSignature(request: FastifyRequest, _reply: unknown, done: () => void): void {
  const { webhookSecrets } = request.tenant;
  if (webhookSecrets.length > 0) {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    verifySignature(webhookSecrets, body, request.headers[HEADERS.signature], new Date());
  }
  done();
}

/**
 * For `preValidation` of management calls: if the tenant has a webhook secret, every call must be signed with its time,
 * method, path and body, so that the signature of an empty body allows no other call. The 401 says what is wrong,
 * because the key was right.
 */
export function requireTimedSignature(now: () => Date) {
  return (request: FastifyRequest, _reply: unknown, done: () => void): void => {
    const { webhookSecrets } = request.tenant;
    if (webhookSecrets.length > 0) {
      const at = now();
      const timestamp = timestampOf(request, at);
      const { method = "", url: path = "" } = request.raw;
      const head = Buffer.from(signedText(timestamp, { method, path }));
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const signature = request.headers[HEADERS.signature];
      const message =
        signature === undefined
          ? "This tenant signs its calls: the header X-Service-Signature is missing"
          : "X-Service-Signature is not that of timestamp.METHOD.path?query.body with the webhook secret";
      verifySignature(webhookSecrets, Buffer.concat([head, body]), signature, at, message);
    }
    done();
  };
}

function timestampOf({ headers }: FastifyRequest, now: Date): string {
  const given = headers[HEADERS.timestamp];
  const nowSeconds = Math.floor(now.getTime() / 1000);
  if (typeof given !== "string" || !UNIX_SECONDS.test(given)) {
    const message = "This tenant signs its calls: X-Service-Timestamp must be the Unix seconds";
    throw unsigned(given === undefined ? "missing" : "invalid", message);
  }
  if (Math.abs(Number(given) - nowSeconds) > MAX_CLOCK_SECONDS) {
    const message = `X-Service-Timestamp must be within 5 minutes of this server's ${nowSeconds}`;
    throw unsigned("invalid", message);
  }
  return given;
}

/**
 * Verifies `X-Service-Signature`: HMAC-SHA256 over the raw body exactly as sent, in lowercase hex, by one of the
 * secrets that have not ended, compared in constant time. Throws a 401 Problem that names the cause in a header, and in
 * `message` if it is given.
 */
export function verifySignature(
  secrets: readonly WebhookSecret[],
  body: Buffer,
  signature: unknown,
  now: Date,
  message?: string,
): void {
  const signed = signatureOver(secrets, signature, now, message);
  signed.update(body);
  signed.verify();
}

/** Does the same for a body that arrives in parts. Refuses a malformed signature before the first part. */
export function signatureOver(
  secrets: readonly WebhookSecret[],
  signature: unknown,
  now: Date,
  message?: string,
): { update(part: Buffer): void; verify(): void } {
  if (signature === undefined) throw unsigned("missing", message);
  if (typeof signature !== "string" || !HEX_SHA256.test(signature)) {
    throw unsigned("invalid", message);
  }
  const given = Buffer.from(signature);
  const hashes = secrets
    .filter(({ endsAt }) => endsAt === null || endsAt > now)
    .map(({ secret }) => createHmac("sha256", secret));
  return {
    update(part) {
      for (const hash of hashes) hash.update(part);
    },
    verify() {
      const isRight = hashes.some((hash) =>
        timingSafeEqual(Buffer.from(hash.digest("hex")), given),
      );
      if (!isRight) throw unsigned("invalid", message);
    },
  };
}

function unsigned(error: "missing" | "invalid", message?: string): Problem {
  return new Problem("unauthorized", {
    ...(message !== undefined && { message }),
    headers: { "www-authenticate": `X-Service-Signature error="${error}"` },
    cause: new Error(`signature ${error}`),
  });
}
