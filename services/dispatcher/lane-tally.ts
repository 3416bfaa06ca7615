import type { EventLane } from "@belfry/contracts/streams";

const MINUTE_MS = 60_000;

/**
 * Counts what is handed over of each tenant, and tells the lane: a flood of one waits behind its own events, not
 * before the others'. In memory: another replica's is another.
 */
export class LaneTally {
  readonly #expressPerMinute: number;
  readonly #nowMs: () => number;
  readonly #tenants = new Map<string, { sinceMs: number; events: number }>();

  constructor(expressPerMinute: number, nowMs: () => number = () => performance.now()) {
    this.#expressPerMinute = expressPerMinute;
    this.#nowMs = nowMs;
  }

  /** Of the tenant's next event. */
  laneOf(tenantId: string): EventLane {
    const nowMs = this.#nowMs();
    let counted = this.#tenants.get(tenantId);
    if (counted === undefined || nowMs - counted.sinceMs >= MINUTE_MS) {
      counted = { sinceMs: nowMs, events: 0 };
      this.#tenants.set(tenantId, counted);
    }
    counted.events += 1;
    return counted.events > this.#expressPerMinute ? "bulk" : "express";
  }

  /** Forgets who has not been counted for a minute. */
  clear(): void {
    const before = this.#nowMs() - MINUTE_MS;
    for (const [tenantId, { sinceMs }] of this.#tenants) {
      if (sinceMs <= before) this.#tenants.delete(tenantId);
    }
  }
}
