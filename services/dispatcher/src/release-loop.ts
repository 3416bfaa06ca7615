import { SENT_CHANNELS, type SentChannel } from "@belfry/contracts/channels";
import type { Pool } from "@belfry/database/connection";
import {
  eraseSensitiveVariables,
  hasUnclaimed,
  type Release,
  releaseAgain,
  releaseDeliveries,
  takeBackRelease,
} from "@belfry/database/functions/release-deliveries";
import { recordReconciled } from "@belfry/database/reconciliations";
import { untilNext } from "@belfry/service/every";
import type { Logger } from "@belfry/service/logger";
import { startStatement } from "@belfry/service/tracing";
import type { DispatchPublisher } from "./dispatch-publisher.ts";
import { countReconciled, countReleased } from "./dispatcher-metrics.ts";
import { PUBLISHED_WITHIN_MS } from "./sweeper.ts";
import type { Rest } from "./wake-loop.ts";

export interface ReleaseDeps {
  pool: Pool;
  dispatchPublisher: DispatchPublisher;
  inFlightPerTenant: number;
  log: Logger;
}

const MOST_PER_TURN = 2000;
/** How often at most deliveries are looked for that were lost on the way to a sender. */
const AGAIN_EVERY_MS = 10_000;
/** While a tenant has more due than it may have outstanding, senders make room all the time. */
const CAPPED_REST_MS = 20;
/** The loop looks less often if senders make no room, for example because a provider hangs. */
const LONGEST_CAPPED_REST_MS = 200;
const FAULT_REST_MS = 1000;

export interface Turn {
  /** The tenant to continue after; "" at the end of a round, after every tenant's turn. */
  after: string;
  /** Whether a tenant has more due than it may have outstanding. */
  capped: boolean;
  released: number;
}

const NOTHING: Turn = { after: "", capped: false, released: 0 };

/** One turn over the tenants of a channel, or a part of it. */
export async function releaseOnce(
  deps: ReleaseDeps,
  channel: SentChannel,
  after: string,
): Promise<Turn> {
  const startedAt = Date.now();
  const release = await releaseDeliveries(deps.pool, {
    channel,
    inFlightPerTenant: deps.inFlightPerTenant,
    after,
    most: MOST_PER_TURN,
  });
  startStatement("release_deliveries", release.released, traceParentOf, startedAt)?.end();
  const failed = await sendOut(deps, release);
  const released = release.released.length - failed;
  countReleased(channel, released);
  if (failed > 0) return { after: "", capped: false, released };
  return { after: release.cutAfter ?? "", capped: release.capped.length > 0, released };
}

function traceParentOf({ traceParent }: Release["released"][number]): string | null {
  return traceParent;
}

/**
 * Releases once more what reached no sender, or whose sender died. Returns how many; undefined: another
 * replica is releasing.
 */
export async function releaseLost(deps: ReleaseDeps, channel: SentChannel, olderThanMs: number) {
  const release = await releaseAgain(deps.pool, { channel, olderThanMs, most: MOST_PER_TURN });
  if (release.busy) return undefined;
  await sendOut(deps, release);
  if (release.released.length > 0) {
    countReconciled("deliveries", release.released.length);
    await recordReconciled(deps.pool, "deliveries", release.released.length);
    deps.log.warn({ channel, deliveries: release.released.length }, "deliveries released again");
  }
  return release.released.length;
}

export interface LookForLostDeps extends ReleaseDeps {
  /**
   * For how long the oldest message of a channel has been in the stream that no sender has been given yet; undefined:
   * there is none.
   */
  undeliveredMs: (channel: SentChannel) => Promise<number | undefined>;
  /** Age at which a released delivery is released again, whatever the stream holds. */
  againAfterMs: number;
}

/**
 * Releases again what no sender has claimed though the stream has delivered all that is as old: it was lost on the
 * way, as when a dispatcher dies before it publishes, NATS loses a message, or a sender dies before it claims. While
 * the stream holds older messages, a delivery waits for its turn. One statement where nothing is unclaimed.
 */
export async function lookForLost(deps: LookForLostDeps, channel: SentChannel) {
  const { pool, undeliveredMs, againAfterMs } = deps;
  const leastMs = Math.min(againAfterMs, PUBLISHED_WITHIN_MS);
  if (!(await hasUnclaimed(pool, channel, leastMs))) return 0;
  const heldMs = await undeliveredMs(channel).catch(() => againAfterMs);
  return await releaseLost(deps, channel, Math.min(againAfterMs, leastMs + (heldMs ?? 0)));
}

async function sendOut(deps: ReleaseDeps, release: Release): Promise<number> {
  if (release.settledEvents.length > 0) {
    await eraseSensitiveVariables(deps.pool, release.settledEvents);
  }
  const failed = await deps.dispatchPublisher.publishDeliveries(release.released);
  if (failed.length > 0) {
    await takeBackRelease(
      deps.pool,
      failed.map((delivery) => delivery.id),
    );
  }
  return failed.length;
}

export interface ReleaseLoop {
  /** Something rests that may be due: look at once. */
  wake(): void;
  /** JetStream has lost what was released before now: all of it is released again. */
  storeLost(): void;
  /** Releases until the signal, through every outage. */
  run(signal: AbortSignal): Promise<void>;
}

/**
 * Every channel on its own, so that trouble with one does not hold up the other. Only the look whether
 * anything is at rest, all that an idle stack needs, is one for all channels whose rest ends together.
 */
export function createReleaseLoop(
  deps: LookForLostDeps & {
    lookAtRest: () => Promise<Rest>;
    everyMs: number;
  },
): ReleaseLoop {
  const lookForLostEveryMs = Math.min(AGAIN_EVERY_MS, deps.againAfterMs / 2);
  let wakes = 0;
  const resting = new Set<() => void>();
  /** Channels whose messages are lost, and since when. */
  const lost = new Map<SentChannel, number>();
  const wake = () => {
    wakes += 1;
    for (const end of resting) end();
  };
  const rest = (milliseconds: number) =>
    new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        resting.delete(end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      resting.add(end);
    });

  const releaseAllLost = async (channel: SentChannel) => {
    const since = lost.get(channel);
    while (since !== undefined) {
      const released = await releaseLost(deps, channel, performance.now() - since);
      if (released === undefined) return;
      if (released === MOST_PER_TURN) continue;
      if (lost.get(channel) === since) lost.delete(channel);
      return;
    }
  };

  const runChannel = async (channel: SentChannel, signal: AbortSignal) => {
    let round = NOTHING;
    /** The last round released nothing, and nobody has said since that something rests. */
    let quiet = false;
    // The first turn looks: a dispatcher that is killed again and again lives for less than the time between two looks.
    let lookedForLostAt = Number.NEGATIVE_INFINITY;
    let cappedRestMs = CAPPED_REST_MS;
    let failing = false;
    while (!signal.aborted) {
      const wakesBefore = wakes;
      let restMs = 0;
      try {
        const turn: Turn =
          quiet && !(await deps.lookAtRest()).channels.includes(channel)
            ? NOTHING
            : await releaseOnce(deps, channel, round.after);
        const capped = round.capped || turn.capped;
        const released = round.released + turn.released;
        round = { after: turn.after, capped, released };
        quiet = turn.after === "" && released === 0 && !capped;
        if (turn.after === "") {
          cappedRestMs =
            released > 0 ? CAPPED_REST_MS : Math.min(2 * cappedRestMs, LONGEST_CAPPED_REST_MS);
          restMs = capped ? Math.min(cappedRestMs, deps.everyMs) : untilNext(deps.everyMs);
          round = NOTHING;
        }
        await releaseAllLost(channel);
        if (performance.now() - lookedForLostAt > lookForLostEveryMs) {
          lookedForLostAt = performance.now();
          await lookForLost(deps, channel);
        }
        if (failing) deps.log.info({ channel }, "deliveries are released again");
        failing = false;
      } catch (err) {
        if (!failing) deps.log.warn({ err, channel }, "cannot release deliveries: trying again");
        failing = true;
        restMs = FAULT_REST_MS;
      }
      if (signal.aborted) return;
      // A wake during the turn may have come too late for it.
      if (restMs > 0 && (failing || wakes === wakesBefore)) await rest(restMs);
      if (wakes !== wakesBefore) quiet = false;
    }
  };

  return {
    wake,
    storeLost() {
      for (const channel of SENT_CHANNELS) lost.set(channel, performance.now());
      wake();
    },
    async run(signal) {
      signal.addEventListener("abort", wake, { once: true });
      await Promise.all(SENT_CHANNELS.map((channel) => runChannel(channel, signal)));
    },
  };
}
