import { type Clock, SYSTEM_CLOCK } from "@belfry/providers/call-timeout";
import { createSemaphore, type Semaphore } from "@belfry/service/semaphore";
import { LRUCache } from "lru-cache";

/** Limits the concurrent calls of each endpoint, depending on whether earlier calls timed out. */
export interface EndpointSlots {
  /** Takes a slot of an endpoint. Resolves to false if none became free within a short wait. */
  take(webhookId: string): Promise<boolean>;
  /** Frees a slot after a call. */
  give(webhookId: string, how: { timedOut: boolean }): void;
  /** Returns the endpoints for which a wait for a slot failed and no call has ended since. */
  full(): string[];
}

interface Endpoint {
  calls: Semaphore;
  isFull: boolean;
}

export interface EndpointSlotsOptions {
  /** Most concurrent calls of one endpoint. */
  most: number;
  /** Most concurrent calls of all endpoints in doubt: their last call timed out, or their first has not ended. */
  mostInDoubt: number;
  waitMs?: number;
  clock?: Clock | undefined;
}

/**
 * Longest wait for a slot. It is about the time that a healthy endpoint needs, because the wait uses a tenant's slot.
 */
const WAIT_MS = 250;
/** Most concurrent calls of an endpoint before its first call has ended. */
const FIRST_CALLS = 4;
/** Most endpoints whose number of allowed calls is cached, about 100 bytes each. */
const MAX_REMEMBERED = 10_000;

/**
 * Returns slots with which an endpoint begins at four concurrent calls. Each call that ends in time allows one more,
 * and a timeout reduces them to one. The call that has waited longest gets a free slot.
 */
export function createEndpointSlots(options: EndpointSlotsOptions): EndpointSlots {
  const { most, mostInDoubt, waitMs = WAIT_MS, clock = SYSTEM_CLOCK } = options;
  const endpoints = new Map<string, Endpoint>();
  const earned = new LRUCache<string, number>({ max: MAX_REMEMBERED });

  /** Whether the endpoint is new, or its last call timed out. */
  const isInDoubt = (webhookId: string) => {
    const allowed = earned.get(webhookId);
    return allowed === undefined || allowed === 1;
  };
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
      // Do not wait if no call is in progress that could free a slot, or if a wait has failed since the last call ended.
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
