import { hash } from "node:crypto";
import { clientNetwork } from "@belfry/contracts/client-network";
import { Problem } from "@belfry/contracts/problems";
import type { Link } from "@belfry/database/link-token";
import { createFairSemaphore, createSemaphore } from "@belfry/service/semaphore";
import rateLimit from "@fastify/rate-limit";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { createHeldBodies, tooManyAtATime } from "./held-bodies.ts";

const MINUTE_MS = 60_000;
/** Most addresses that a limit remembers, per replica. */
const MAX_ADDRESSES = 20_000;
/** How long a call waits while too many calls of its tenant are running. */
const TURN_WAIT_MS = 2_000;
/** Most waiting calls of all tenants together. One tenant has at most half of them. */
const MAX_WAITING_CALLS = 128;

/** Processing a body takes about six times its bytes, for which a container of 512 MiB has room. */
const HELD_BODY_BYTES = 32 * 1024 * 1024;

/** Most files that are uploaded at the same time, for all tenants together. One tenant has at most half of them. */
const MAX_UPLOADS = 8;
const MAX_WAITING_UPLOADS = 32;

/** The kinds of calls that are limited apart: a tenant's own calls must not delay its readers' links or its vendors. */
type Door = "api" | "link" | "vendor" | "image";

export interface AbuseBounds {
  unknownKeysPerMinute: number;
  otherPerMinute: number;
  /** Absent if the service does not count such requests. */
  receiptsPerMinute?: number;
  linksPerMinute?: number;
  imagesPerMinute?: number;
  /** Most calls but the trigger that use the database at a time: as many as it has connections for them. */
  otherAtATime: number;
  /** Most bytes of bodies that are held at the same time, for all tenants together; default: 32 MiB. */
  heldBodyBytes?: number;
}

export type AbuseLimits = Awaited<ReturnType<typeof createAbuseLimits>>;

/**
 * Limits abuse, in the memory of each replica. These are not the tenants' quotas, which Postgres counts exactly.
 * Routes call a limit only where something is worth counting, so that a good trigger never pays for them. Each `count…`
 * and `check…` throws a 429 Problem.
 */
export async function createAbuseLimits(app: FastifyInstance, bounds: AbuseBounds) {
  await app.register(rateLimit, { global: false });
  const limit = (max: number, keyGenerator: (request: FastifyRequest) => string) => {
    // Each limit has a cache of its own. The library's types do not know the option.
    const options = { max, timeWindow: MINUTE_MS, cache: MAX_ADDRESSES, keyGenerator };
    const count = app.createRateLimit(options);
    // The library reads a count after an await, when concurrent calls have raised it. So it counts one call at a time.
    const oneAtATime = createSemaphore(1);
    return (...given: Parameters<typeof count>) => oneAtATime.run(() => count(...given));
  };
  const unknownKeys = limit(
    bounds.unknownKeysPerMinute,
    (request) => `address ${clientNetwork(request.ip)}`,
  );
  const callers = new WeakMap<FastifyRequest, string>();
  const callerOf = (request: FastifyRequest) => callers.get(request) ?? request.tenant?.id ?? "";
  const other = limit(bounds.otherPerMinute, (request) => `caller ${callerOf(request)}`);
  const receipts = limit(
    bounds.receiptsPerMinute ?? 0,
    (request) => `webhook ${webhookOf(request)}`,
  );
  const unverified = limit(
    bounds.unknownKeysPerMinute,
    (request) => `unverified ${clientNetwork(request.ip)} ${webhookOf(request)}`,
  );
  const links = new WeakMap<FastifyRequest, string>();
  const countedLink = limit(
    bounds.linksPerMinute ?? 0,
    (request) => `link ${links.get(request) ?? ""}`,
  );
  const images = limit(
    bounds.imagesPerMinute ?? 0,
    (request) => `image ${clientNetwork(request.ip)}`,
  );
  const slots = createFairSemaphore(bounds.otherAtATime, MAX_WAITING_CALLS);
  const uploads = createFairSemaphore(MAX_UPLOADS, MAX_WAITING_UPLOADS);
  /** Callers with too many refused bodies, each with the end of that minute. A large trigger checks only this. */
  const overLimitUntilMs = new Map<string, number>();
  const bodies = createHeldBodies(bounds.heldBodyBytes ?? HELD_BODY_BYTES, {
    check(request) {
      const leftMs = (overLimitUntilMs.get(callerOf(request)) ?? 0) - Date.now();
      if (leftMs <= 0) return;
      const retryAfterSeconds = Math.ceil(leftMs / 1000);
      throw new Problem("tooManyRequests", { retryAfterSeconds });
    },
    async count(request, times) {
      const caller = callerOf(request);
      callers.set(request, caller);
      for (let n = 0; n < times; n += 1) {
        const verdict = await other(request);
        if (verdict.isAllowed || !verdict.isExceeded) continue;
        overLimitUntilMs.set(caller, Date.now() + verdict.ttlInSeconds * 1000);
        return;
      }
    },
  });
  return {
    ...bodies,
    /** Counts a request with an unknown key against its address. */
    async countUnknownKey(request: FastifyRequest): Promise<void> {
      refuse(await unknownKeys(request));
    },
    /** Makes the same check without counting, before an address that guesses keys costs another query. */
    async checkUnknownKeys(request: FastifyRequest): Promise<void> {
      refuse(await unknownKeys(request, { increment: false }));
    },
    /** Counts a caller's requests other than triggers. The caller is a tenant, or one of its keys. */
    async countOther(request: FastifyRequest, caller: string): Promise<void> {
      callers.set(request, caller);
      refuse(await other(request));
    },
    /** Counts every request to a tenant's webhook. Also refuses an address that sent unverified receipts there. */
    async countReceipts(request: FastifyRequest): Promise<void> {
      refuse(await unverified(request, { increment: false }));
      refuse(await receipts(request));
    },
    /**
     * Counts a receipt whose signature is not the vendor's, against the address and the webhook together: a vendor
     * has the same addresses for all tenants, and one tenant's wrong key must not end the others' receipts.
     */
    async countUnverified(request: FastifyRequest): Promise<void> {
      refuse(await unverified(request));
    },
    /**
     * Counts a request for a link's page against the content of the link, not against the client: mailbox providers
     * post for many people from few addresses. Views and changes count apart, so that no scanner keeps a reader from
     * unsubscribing.
     */
    async countLink(request: FastifyRequest, purpose: string, link: Link): Promise<void> {
      const { tenantId, userId, category, channel } = link;
      const isChange = request.method === "POST";
      const key = JSON.stringify([isChange, purpose, tenantId, userId, category, channel]);
      links.set(request, hash("sha256", key, "base64"));
      refuse(await countedLink(request));
    },
    /** Counts a request for an image against its address. */
    async countImage(request: FastifyRequest): Promise<void> {
      refuse(await images(request));
    },
    /**
     * Runs work that uses the database for a tenant: only a few calls of one tenant and `door` at a time, tenants in
     * turn. Waits up to 2 s, then throws a 429 Problem. The call counts as running until the work has ended, even if
     * the client hangs up.
     */
    async inTurn<T>(
      request: FastifyRequest,
      { door, tenantId }: { door: Door; tenantId: string },
      work: () => Promise<T>,
    ): Promise<T> {
      const line = `${door} ${tenantId}`;
      if ((await slots.acquire(line, 1, TURN_WAIT_MS)) === 0) throw tooManyAtATime(request);
      try {
        // Nobody reads the answer, so the database need not be queried.
        if (request.method === "GET" && request.raw.socket.destroyed) {
          throw new Problem("badRequest");
        }
        return await work();
      } finally {
        slots.release(line);
      }
    },
    /** Receives a tenant's file: only a few of one tenant at a time, tenants in turn. Throws like `inTurn`. */
    async uploadInTurn<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> {
      const { id } = request.tenant;
      if ((await uploads.acquire(id, 1, TURN_WAIT_MS)) === 0) throw tooManyAtATime(request);
      try {
        return await work();
      } finally {
        uploads.release(id);
      }
    },
  };
}

/** Returns the decoded parameters, because one URL can be written in several ways. */
function webhookOf({ params }: FastifyRequest): string {
  const { provider, tenantId } = params as { provider: string; tenantId: string };
  return `${provider} ${tenantId}`;
}

function refuse(
  verdict: { isAllowed: true } | { isAllowed: false; isExceeded: boolean; ttlInSeconds: number },
): void {
  if (verdict.isAllowed || !verdict.isExceeded) return;
  throw new Problem("tooManyRequests", { retryAfterSeconds: Math.max(1, verdict.ttlInSeconds) });
}
