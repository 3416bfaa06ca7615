import { setTimeout as sleep } from "node:timers/promises";
import { isDataFault } from "@belfry/database/data-fault";
import { type Settlement, settleDeliveries } from "@belfry/database/functions/settle-deliveries";
import { type Clock, SYSTEM_CLOCK } from "@belfry/providers/call-timeout";
import type { Logger } from "@belfry/service/logger";
import type pg from "pg";

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

/** A claimed delivery, and the number of the attempt that claimed it. */
export interface Lease {
  id: string;
  attempt: number;
}

/**
 * Prolongs the leases that are still these attempts'. What another transaction is about to settle or to
 * claim is left to it, so that nobody waits for anybody here.
 */
export async function renewLeases(pool: pg.Pool, leases: readonly Lease[], leaseMs: number) {
  await pool.query({
    name: "renew_leases",
    text: `with held as materialized (
        select d.id from deliveries d
        join unnest($1::uuid[], $2::integer[]) l (id, number) on l.id = d.id and l.number = d.attempts
        where d.id = any ($1::uuid[]) and d.status = 'sending'
        for update of d skip locked)
      update deliveries d set claimed_until = clock_timestamp() + $3 * interval '1 millisecond'
      from held where d.id = any ($1::uuid[]) and d.id = held.id`,
    values: [leases.map(({ id }) => id), leases.map(({ attempt }) => attempt), leaseMs],
  });
}

export interface Persistence {
  /** When what Postgres does not take any more is left. */
  giveUp: AbortSignal;
  log: Logger;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/** Writes until Postgres takes it; rejects for a fault of the data, and once `giveUp` is aborted. */
export async function persistently<T>(
  what: string,
  write: () => Promise<T>,
  { giveUp, log }: Persistence,
): Promise<T> {
  let pauseMs = FIRST_PAUSE_MS;
  for (;;) {
    try {
      return await write();
    } catch (err) {
      if (isDataFault(err) || giveUp.aborted) throw err;
      log.warn({ err, pauseMs }, `cannot ${what}: trying again`);
    }
    await sleep(pauseMs, undefined, { signal: giveUp }).catch(() => undefined);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }
}

/**
 * Settles until Postgres takes it; for each, whether it moved. What the other side has accepted and nobody
 * has written down is sent again when the lease has ended: with a sender that dies in that moment this is
 * the window for a double, so it is given up only at the end of the shutdown.
 */
export async function settlePersistently(
  batch: readonly Settlement[],
  options: Persistence & { pool: pg.Pool },
): Promise<boolean[]> {
  const moved = await persistently("settle", () => settleDeliveries(options.pool, batch), options);
  return batch.map(({ deliveryId }) => moved.has(deliveryId));
}
