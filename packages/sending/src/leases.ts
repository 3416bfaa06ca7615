import { setTimeout as sleep } from "node:timers/promises";
import { isDataFault } from "@belfry/database/connection";
import { type Settlement, settleDeliveries } from "@belfry/database/functions/settle-deliveries";
import { type Clock, SYSTEM_CLOCK } from "@belfry/providers/call-timeout";
import type { Logger } from "@belfry/service/logger";
import type pg from "pg";

/** Renews the leases of deliveries as long as their calls of the provider run. */
export interface Leases {
  /** Keeps a lease renewed from the claim until the result is disposed. */
  hold(lease: Lease): Disposable;
}

export interface LeasesOptions {
  leaseMs: number;
  /** Renews the leases in one statement. */
  renew: (leases: Lease[]) => Promise<void>;
  log: Logger;
  clock?: Clock | undefined;
}

/** The number of checks within one lease, so that a failed renewal can be retried. */
const CHECKS_A_LEASE = 4;

/**
 * Creates the renewal of leases. Most calls end before the first check of their lease, so they cost nothing here. A
 * sender that dies renews nothing, so its leases expire on time.
 */
export function createLeases({ leaseMs, renew, log, clock = SYSTEM_CLOCK }: LeasesOptions): Leases {
  const everyMs = leaseMs / CHECKS_A_LEASE;
  /** The held leases, with the time when each was last claimed or renewed. */
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
 * Extends the leases that these attempts still hold. Skips rows that another transaction is settling or claiming, so
 * that the transactions do not wait for each other.
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
  /** Aborted when failed writes are no longer retried. */
  giveUp: AbortSignal;
  log: Logger;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/** Retries a write until it succeeds. Rejects if the data is faulty, or if a write fails and `giveUp` is aborted. */
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
 * Retries settlements until Postgres stores them. Returns for each whether the delivery changed. If an accepted
 * delivery is not settled, it is sent a second time after its lease has expired. So settling is only given up at the
 * end of the shutdown.
 */
export async function settlePersistently(
  batch: readonly Settlement[],
  options: Persistence & { pool: pg.Pool },
): Promise<boolean[]> {
  const moved = await persistently("settle", () => settleDeliveries(options.pool, batch), options);
  return batch.map(({ deliveryId }) => moved.has(deliveryId));
}
