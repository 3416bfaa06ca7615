import { type Clock, SYSTEM_CLOCK } from "@belfry/providers/clock";

/** Bounds the calls of each endpoint. */
export interface EndpointSlots {
  /** Whether one came free within a short wait. */
  take(webhookId: string): Promise<boolean>;
  give(webhookId: string): void;
  /** Endpoints none of whose calls has ended since somebody waited for it in vain. */
  full(): string[];
}

interface Endpoint {
  used: number;
  waiters: Set<() => void>;
  isFull: boolean;
}

/** Who waits keeps one of its tenant's calls: long enough for an endpoint that answers, no longer. */
const WAIT_MS = 250;

/** A slot that comes free goes to who waits longest. */
export function createEndpointSlots(
  most: number,
  { waitMs = WAIT_MS, clock = SYSTEM_CLOCK }: { waitMs?: number; clock?: Clock | undefined } = {},
): EndpointSlots {
  const endpoints = new Map<string, Endpoint>();
  return {
    async take(webhookId) {
      const endpoint = endpoints.get(webhookId) ?? { used: 0, waiters: new Set(), isFull: false };
      endpoints.set(webhookId, endpoint);
      if (endpoint.used < most) {
        endpoint.used += 1;
        return true;
      }
      if (endpoint.isFull) return false;
      return new Promise((resolve) => {
        const callOff = clock.after(waitMs, () => {
          endpoint.waiters.delete(serve);
          endpoint.isFull = true;
          resolve(false);
        });
        const serve = () => {
          callOff();
          resolve(true);
        };
        endpoint.waiters.add(serve);
      });
    },
    give(webhookId) {
      const endpoint = endpoints.get(webhookId);
      if (endpoint === undefined) return;
      endpoint.isFull = false;
      const [next] = endpoint.waiters;
      if (next !== undefined) {
        endpoint.waiters.delete(next);
        next();
        return;
      }
      endpoint.used -= 1;
      if (endpoint.used === 0) endpoints.delete(webhookId);
    },
    full: () => [...endpoints].filter(([, { isFull }]) => isFull).map(([webhookId]) => webhookId),
  };
}
