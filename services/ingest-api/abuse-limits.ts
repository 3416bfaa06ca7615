import { Problem } from "@belfry/contracts/problems";
import rateLimit from "@fastify/rate-limit";
import type { FastifyInstance, FastifyRequest } from "fastify";

const MINUTE_MS = 60_000;
/** Addresses remembered at once, a replica. */
const MAX_ADDRESSES = 20_000;

export interface AbuseLimits {
  /** Counts a request with a key that nobody has against its address. */
  countUnknownKey(request: FastifyRequest): Promise<void>;
  /** The same check without counting: before an address that guesses costs another query. */
  checkUnknownKeys(request: FastifyRequest): Promise<void>;
  /** A tenant's requests to the endpoints other than trigger. */
  countOther(request: FastifyRequest, tenantId: string): Promise<void>;
}

/**
 * Bounds on abuse, in the memory of each replica; they are no quota (those are exact, in Postgres).
 * Called where something is worth counting, so that a good trigger never pays for them.
 */
export async function createAbuseLimits(
  app: FastifyInstance,
  config: { unknownKeysPerMinute: number; otherPerMinute: number },
): Promise<AbuseLimits> {
  await app.register(rateLimit, { global: false, cache: MAX_ADDRESSES });
  const unknownKeys = app.createRateLimit({
    max: config.unknownKeysPerMinute,
    timeWindow: MINUTE_MS,
    keyGenerator: (request) => `address ${request.ip}`,
  });
  const tenants = new WeakMap<FastifyRequest, string>();
  const other = app.createRateLimit({
    max: config.otherPerMinute,
    timeWindow: MINUTE_MS,
    keyGenerator: (request) => `tenant ${tenants.get(request) ?? ""}`,
  });
  return {
    async countUnknownKey(request) {
      refuse(await unknownKeys(request));
    },
    async checkUnknownKeys(request) {
      refuse(await unknownKeys(request, { increment: false }));
    },
    async countOther(request, tenantId) {
      tenants.set(request, tenantId);
      refuse(await other(request));
    },
  };
}

function refuse(
  verdict: { isAllowed: true } | { isAllowed: false; isExceeded: boolean; ttlInSeconds: number },
): void {
  if (verdict.isAllowed || !verdict.isExceeded) return;
  throw new Problem("tooManyRequests", { retryAfterSeconds: Math.max(1, verdict.ttlInSeconds) });
}
