import { type Clock, SYSTEM_CLOCK } from "@belfry/providers/call-timeout";
import { createSemaphore, type Semaphore } from "@belfry/service/semaphore";
import { LRUCache } from "lru-cache";

/** Bounds the concurrent calls of each endpoint by how its earlier calls ended. */
export interface EndpointSlots {
  /** Resolves to whether a slot came free within a short wait. */
  take(webhookId: string): Promise<boolean>;
  give(webhookId: string, how: { timedOut: boolean }): void;
  /** Endpoints where a wait was in vain and no call has ended since. */
  full(): string[];
}

interface Endpoint {
  calls: Semaphore;
  isFull: boolean;
}

export interface EndpointSlotsOptions {
  /** Calls of one endpoint at a time. */
  most: number;
  /** Calls at a time of all endpoints in doubt together: those whose last call timed out or whose first has not ended. */
  mostInDoubt: number;
  waitMs?: number;
  clock?: Clock | undefined;
}

/** A waiting call keeps one of its tenant's slots, so it waits no longer than an endpoint that answers needs. */
const WAIT_MS = 250;
/** Calls at a time of an endpoint none of whose calls has ended yet. */
const FIRST_CALLS = 4;
/** Endpoints whose allowance is remembered, some 100 bytes each. */
const MAX_REMEMBERED = 10_000;

/**
 * An endpoint begins with four calls at a time. Each call that ends in time allows one more, and a timeout reduces
 * them to one. A free slot goes to the longest waiter.
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
      // Waiting helps only while a call is under way that may end.
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
