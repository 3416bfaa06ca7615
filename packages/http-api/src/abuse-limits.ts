import { hash } from "node:crypto";
import { clientNetwork } from "@belfry/contracts/client-network";
import { Problem } from "@belfry/contracts/problems";
import type { Link } from "@belfry/database/link-token";
import { createFairSemaphore, createSemaphore } from "@belfry/service/semaphore";
import rateLimit from "@fastify/rate-limit";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

const MINUTE_MS = 60_000;
/** Addresses remembered at once, a replica. */
const MAX_ADDRESSES = 20_000;
/** How long a call waits while its tenant has too many under way. */
const TURN_WAIT_MS = 2_000;
/** Calls that wait, of all tenants together; a lone tenant may have half of them. */
const MAX_WAITING_CALLS = 128;

/** Files that are uploaded at a time, of all tenants together; a lone tenant may have half of them. */
const MAX_UPLOADS = 8;
const MAX_WAITING_UPLOADS = 32;

/** From here on a body takes its turn before it is read. */
export const LARGE_BODY_BYTES = 1024 * 1024;

/** A tenant's own calls must not hold up its readers' links, nor its vendors. */
type Door = "api" | "link" | "vendor" | "image";

export interface AbuseBounds {
  unknownKeysPerMinute: number;
  otherPerMinute: number;
  /** Absent: the service has none. */
  receiptsPerMinute?: number;
  linksPerMinute?: number;
  imagesPerMinute?: number;
  /** Calls other than the trigger that may ask the database at the same time: as many as it has connections for them. */
  otherAtATime: number;
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
    // The library reads a count after it has waited, when calls that came meanwhile have raised it: one at a time.
    const oneAtATime = createSemaphore(1);
    return (...given: Parameters<typeof count>) => oneAtATime.run(() => count(...given));
  };
  const unknownKeys = limit(
    bounds.unknownKeysPerMinute,
    (request) => `address ${clientNetwork(request.ip)}`,
  );
  const callers = new WeakMap<FastifyRequest, string>();
  const other = limit(bounds.otherPerMinute, (request) => `caller ${callers.get(request) ?? ""}`);
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
  const largeBodies = createFairSemaphore(bounds.otherAtATime, MAX_WAITING_CALLS);
  return {
    /** Counts a request with a key that nobody has against its address. */
    async countUnknownKey(request: FastifyRequest): Promise<void> {
      refuse(await unknownKeys(request));
    },
    /** The same check without counting: before an address that guesses costs another query. */
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
     * Counts a request to a link's page against what the link says and not against who asks: mailbox providers post for
     * many people from few addresses. Looking and changing count apart, so that no scanner keeps a reader from leaving.
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
     * Runs work that asks the database for a tenant: a few calls of one tenant at a door at a time, tenants in turn.
     * Waits up to 2 s, then throws a 429 Problem. The call keeps its place until the work has ended, also where the
     * client hangs up.
     */
    async inTurn<T>(
      request: FastifyRequest,
      { door, tenantId }: { door: Door; tenantId: string },
      work: () => Promise<T>,
    ): Promise<T> {
      const line = `${door} ${tenantId}`;
      if ((await slots.acquire(line, 1, TURN_WAIT_MS)) === 0) throw tooManyAtATime(request);
      try {
        // Nobody reads the answer: the database need not be asked.
        if (request.method === "GET" && request.raw.socket.destroyed) {
          throw new Problem("badRequest");
        }
        return await work();
      } finally {
        slots.release(line);
      }
    },
    /** Receives a tenant's file: a few of one tenant at a time, tenants in turn. Throws as `inTurn`. */
    async uploadInTurn<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> {
      const { id } = request.tenant;
      if ((await uploads.acquire(id, 1, TURN_WAIT_MS)) === 0) throw tooManyAtATime(request);
      try {
        return await work();
      } finally {
        uploads.release(id);
      }
    },
    /**
     * For `onRequest`, where a body may be larger than `LARGE_BODY_BYTES`: takes the place of such a body among those
     * that are held at the same time, a few of one tenant, and keeps it until the answer is sent. Throws as `inTurn`.
     */
    async holdLargeBody(request: FastifyRequest, { raw }: FastifyReply): Promise<void> {
      const { "content-length": length, "transfer-encoding": encoding } = request.headers;
      if (encoding === undefined && Number(length ?? 0) <= LARGE_BODY_BYTES) return;
      // A platform key belongs to no tenant.
      const id = request.tenant?.id ?? "platform";
      if ((await largeBodies.acquire(id, 1, TURN_WAIT_MS)) === 0) throw tooManyAtATime(request);
      const give = () => largeBodies.release(id);
      if (raw.closed) give();
      else raw.once("close", give);
    },
  };
}

function tooManyAtATime(request: FastifyRequest): Problem {
  request.logFields = { ...request.logFields, refused: "too many calls at a time" };
  const message = "Too many calls at a time; send the next one when one has been answered";
  return new Problem("tooManyRequests", { message, retryAfterSeconds: 1 });
}

/** The decoded parameters: one address can be written in several ways. */
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
