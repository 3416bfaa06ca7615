import { reserveSends } from "@belfry/database/functions/claim-deliveries";
import type pg from "pg";
import type { ActiveProvider, ActiveProviders } from "./active-providers.ts";
import type { Circuits } from "./circuits.ts";

/** What may be done now for a tenant's deliveries. */
export type Permit =
  | {
      kind: "send";
      provider: ActiveProvider;
      providers: readonly ActiveProvider[];
      probe: boolean;
      /** For each call when it may begin, by performance.now(). */
      startsAt: number[];
    }
  /** The tenant has no active provider, or no other. */
  | { kind: "none" }
  | { kind: "wait"; reason: string | null; delayMs: number; spacingMs: number };

export interface Permits {
  /** For up to `wanted` calls, at least one when it is to send, by none of the providers in `except`. */
  ask(tenantId: string, wanted: number, except?: ReadonlySet<string>): Promise<Permit>;
  /** How many calls at a time the provider carries that would be called now. */
  maxCalls(tenantId: string): Promise<number>;
}

/** How far ahead calls are reserved: they hold a slot and a lease meanwhile. */
const HORIZON_MS = 1_000;
/** A little slower than allowed: calls do not begin to the millisecond. */
const SLACK = 1.05;
/** What waits for a circuit comes back spread over this part of the wait. */
const SPREAD = 0.2;

/** Chooses the provider and, where it has a `maxPerSecond`, reserves the moments of its calls. */
export function createPermits(
  pool: pg.Pool,
  providers: ActiveProviders,
  circuits: Circuits,
): Permits {
  return {
    async ask(tenantId, wanted, except) {
      const all = await providers.of(tenantId);
      const own = except === undefined ? all : all.filter(({ id }) => !except.has(id));
      if (own.length === 0) return { kind: "none" };
      const choice = await circuits.choose(own);
      if (choice.kind === "wait") {
        const { reason, delayMs } = choice;
        return { kind: "wait", reason, delayMs, spacingMs: (delayMs * SPREAD) / wanted };
      }
      const { provider, probe } = choice;
      const count = probe ? 1 : wanted;
      const sending = { kind: "send", provider, providers: own, probe } as const;
      if (provider.maxPerSecond === null) {
        return { ...sending, startsAt: new Array<number>(count).fill(0) };
      }
      const spacingMs = (1000 / provider.maxPerSecond) * SLACK;
      const reserved = await reserveSends(pool, provider.id, count, spacingMs, HORIZON_MS);
      if (reserved.granted === 0) {
        if (probe) await circuits.giveBack(provider);
        return { kind: "wait", reason: null, delayMs: reserved.firstInMs, spacingMs };
      }
      const first = performance.now() + reserved.firstInMs;
      const startsAt = Array.from({ length: reserved.granted }, (_, i) => first + i * spacingMs);
      return { ...sending, startsAt };
    },
    async maxCalls(tenantId) {
      const own = await providers.of(tenantId);
      const next = own.find(({ id }) => !circuits.isOpen(id)) ?? own[0];
      return next?.maxCalls ?? Number.POSITIVE_INFINITY;
    },
  };
}
