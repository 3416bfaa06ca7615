import type { Database } from "@belfry/database/connection";
import { NotFound } from "../input-error.ts";
import type { UserOfTenant } from "../tenants/realtime.ts";
import { eraseUser } from "./erase-user.ts";
import {
  type ClaimedErasure,
  claimErasure,
  endErasure,
  postponeErasure,
  renewErasure,
} from "./erasure-rows.ts";

export interface ErasureWork {
  db: Database;
  /** Closes the live connections of a user; see `eraseUser`. */
  disconnect(owner: UserOfTenant): Promise<void>;
  /** What cannot be erased now: a sender holds it, or NATS is away. It is tried again. */
  onPostponed?(error: unknown): void;
  /** Monotonic. Default: the process's. */
  nowMs?: () => number;
}

/** As the audit log shows who asked. Of a person who did so in the Admin UI it has an entry of its own. */
const ACTOR = { personId: null, person: "the tenant, by API or Admin UI", address: "" };
/** Longer than any of its steps takes: a step renews it. */
const LEASE_MS = 120_000;
const RENEW_EVERY_MS = 10_000;
const AGAIN_AFTER_MS = 60_000;

class Stopped extends Error {}

/**
 * Carries out the erasures that tenants have asked for, one after the other and tenant by tenant in turn, until none
 * is left or the signal comes; what is under way then is left to others, who begin it again. Replicas may all run it. Returns how many
 * are done.
 */
export async function workErasures(work: ErasureWork, signal: AbortSignal): Promise<number> {
  let done = 0;
  let last = "";
  while (!signal.aborted) {
    const erasure = await claimErasure(work.db, LEASE_MS, last);
    if (erasure === undefined) return done;
    last = erasure.tenantId;
    if (await carryOut(work, erasure, signal)) done += 1;
  }
  return done;
}

async function carryOut(
  { db, disconnect, onPostponed, nowMs = () => performance.now() }: ErasureWork,
  erasure: ClaimedErasure,
  signal: AbortSignal,
): Promise<boolean> {
  let renewedAtMs = nowMs();
  const onStep = async () => {
    if (signal.aborted) throw new Stopped("stopping");
    if (nowMs() - renewedAtMs < RENEW_EVERY_MS) return;
    renewedAtMs = nowMs();
    if (!(await renewErasure(db, erasure, LEASE_MS))) throw new Stopped("taken over");
  };
  const { tenantId, userId } = erasure;
  try {
    const { deleted } = await eraseUser(
      db,
      { tenantId, userId },
      { actor: ACTOR, disconnect: () => disconnect({ tenantId, userId }), onStep },
    );
    await endErasure(db, erasure, deleted);
    return true;
  } catch (error) {
    // Gone with its tenant.
    if (error instanceof NotFound) return false;
    const isStopped = error instanceof Stopped;
    await postponeErasure(db, erasure, isStopped ? 0 : AGAIN_AFTER_MS);
    if (!isStopped) onPostponed?.(error);
    return false;
  }
}
