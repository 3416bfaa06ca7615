import { type Clock, SYSTEM_CLOCK } from "@belfry/providers/call-timeout";
import { createSemaphore, type Semaphore } from "@belfry/service/semaphore";
import { LRUCache } from "lru-cache";

/** Bounds the calls of each endpoint, by how its calls before have ended. */
export interface EndpointSlots {
  /** Whether one came free within a short wait. */
  take(webhookId: string): Promise<boolean>;
  give(webhookId: string, how: { timedOut: boolean }): void;
  /** Endpoints none of whose calls has ended since somebody waited for it in vain. */
  full(): string[];
}

interface Endpoint {
  calls: Semaphore;
  isFull: boolean;
}

export interface EndpointSlotsOptions {
  /** Calls of one endpoint at a time. */
  most: number;
  /** Of all endpoints together whose last call has timed out, or none of whose calls has ended yet. */
  mostInDoubt: number;
  waitMs?: number;
  clock?: Clock | undefined;
}

/** Who waits keeps one of its tenant's calls: long enough for an endpoint that answers, no longer. */
const WAIT_MS = 250;
/** At a time, of an endpoint none of whose calls has ended yet. */
const FIRST_CALLS = 4;
/** Endpoints of which it is remembered how they do, of some 100 bytes each. */
const MAX_REMEMBERED = 10_000;

/**
 * An endpoint begins with four calls, gets one more by each that ends in time, and goes back to one by each
 * that times out. A slot that comes free goes to who waits longest.
 */
export function createEndpointSlots(options: EndpointSlotsOptions): EndpointSlots {
  const { most, mostInDoubt, waitMs = WAIT_MS, clock = SYSTEM_CLOCK } = options;
  const endpoints = new Map<string, Endpoint>();
  const earned = new LRUCache<string, number>({ max: MAX_REMEMBERED });

  const isInDoubt = (webhookId: string) => (earned.get(webhookId) ?? 1) === 1;
  const usedInDoubt = () => {
    let used = 0;
    for (const [webhookId, { calls }] of endpoints) if (isInDoubt(webhookId)) used += calls.used;
    return used;
  };
  const mayCall = (webhookId: string, used: number) =>
    used < Math.min(most, earned.get(webhookId) ?? FIRST_CALLS) &&
    (!isInDoubt(webhookId) || usedInDoubt() < mostInDoubt);

  const create = (webhookId: string): Endpoint => ({
    calls: createSemaphore((_, used) => mayCall(webhookId, used), clock.after),
    isFull: false,
  });

  return {
    async take(webhookId) {
      const endpoint = endpoints.get(webhookId) ?? create(webhookId);
      const { used } = endpoint.calls;
      // Waiting helps only while a call is in hand that may end.
      if (!mayCall(webhookId, used) && (endpoint.isFull || used === 0)) return false;
      endpoints.set(webhookId, endpoint);
      const taken = await endpoint.calls.acquire(waitMs);
      if (!taken) endpoint.isFull = endpoint.calls.used > 0;
      return taken;
    },
    give(webhookId, { timedOut }) {
      const endpoint = endpoints.get(webhookId);
      if (endpoint === undefined) return;
      const before = earned.get(webhookId) ?? FIRST_CALLS;
      earned.set(webhookId, timedOut ? 1 : Math.min(most, before + 1));
      endpoint.isFull = false;
      endpoint.calls.release();
      if (endpoint.calls.used === 0) endpoints.delete(webhookId);
    },
    full: () => [...endpoints].filter(([, { isFull }]) => isFull).map(([webhookId]) => webhookId),
  };
}
