import { type Clock, SYSTEM_CLOCK } from "@belfry/providers/call-timeout";
import type { Logger } from "@belfry/service/logger";
import type { Lease } from "./renew-leases.ts";

/** Keeps what is in a provider's hands this sender's, however long the provider takes. */
export interface Leases {
  /** From the claim to the settlement. */
  hold(lease: Lease): Disposable;
}

export interface LeasesOptions {
  leaseMs: number;
  /** One statement for all. */
  renew: (leases: Lease[]) => Promise<void>;
  log: Logger;
  clock?: Clock | undefined;
}

/** So often a lease: one failure leaves time for another try. */
const LOOKS_A_LEASE = 4;

/**
 * Most calls end long before their lease is looked at: they cost nothing here. A sender that dies
 * renews nothing, and its leases end as they stand.
 */
export function createLeases({ leaseMs, renew, log, clock = SYSTEM_CLOCK }: LeasesOptions): Leases {
  const everyMs = leaseMs / LOOKS_A_LEASE;
  /** When each was last claimed or renewed. */
  const held = new Map<Lease, number>();
  let looking = false;

  const renewOld = async () => {
    const now = clock.nowMs();
    const old = [...held].filter(([, since]) => now - since >= everyMs / 2).map(([lease]) => lease);
    if (old.length === 0) return;
    try {
      await renew(old);
      for (const lease of old) if (held.has(lease)) held.set(lease, now);
    } catch (err) {
      log.warn({ err, leases: old.length }, "leases could not be renewed: trying again");
    }
  };
  const look = async () => {
    looking = true;
    while (held.size > 0) {
      await new Promise<void>((look) => clock.after(everyMs, look, { ref: false }));
      await renewOld();
    }
    looking = false;
  };
  return {
    hold(lease) {
      held.set(lease, clock.nowMs());
      if (!looking) look().catch((err) => log.error({ err }, "leases are no longer renewed"));
      return { [Symbol.dispose]: () => held.delete(lease) };
    },
  };
}
