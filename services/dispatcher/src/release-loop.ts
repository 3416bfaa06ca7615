import { SENT_CHANNELS, type SentChannel } from "@belfry/contracts/channels";
import type { Pool } from "@belfry/database/connection";
import type { Rest } from "@belfry/database/functions/read-rest";
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
import { pause } from "@belfry/service/pause";
import { startStatement } from "@belfry/service/tracing";
import type { DispatchPublisher } from "./dispatch-publisher.ts";
import { countReconciled, countReleased } from "./dispatcher-metrics.ts";
import { PUBLISHED_WITHIN_MS } from "./sweeper.ts";

export interface ReleaseDeps {
  pool: Pool;
  dispatchPublisher: DispatchPublisher;
  inFlightPerTenant: number;
  log: Logger;
}

const MOST_PER_TURN = 2000;
/** Least time between two searches for deliveries that were lost between the dispatcher and a sender. */
const AGAIN_EVERY_MS = 10_000;
/** Pause while a tenant has more due deliveries than it may have outstanding. It is short: senders keep making room. */
const CAPPED_REST_MS = 20;
/** The pause doubles up to this while senders make no room, for example because a provider hangs. */
const LONGEST_CAPPED_REST_MS = 200;
const FAULT_REST_MS = 1000;

export interface Turn {
  /** The id of the tenant to continue after; "" if the round over the tenants has ended. */
  after: string;
  /** Whether a tenant has more due deliveries than it may have outstanding. */
  capped: boolean;
  released: number;
}

const NOTHING: Turn = { after: "", capped: false, released: 0 };

/** Releases and publishes due deliveries of a channel, tenant by tenant after `after`, at most `MOST_PER_TURN`. */
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
  const { released: due } = release;
  startStatement("release_deliveries", due, ({ traceParent }) => traceParent, startedAt)?.end();
  const failed = await sendOut(deps, release);
  const released = release.released.length - failed;
  countReleased(channel, released);
  if (failed > 0) return { after: "", capped: false, released };
  return { after: release.cutAfter ?? "", capped: release.capped.length > 0, released };
}

/**
 * Releases deliveries again that reached no sender or whose sender died. Returns their number, or undefined if another
 * replica is releasing this channel.
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
   * Returns the age of the channel's oldest message in the stream that was not delivered to a sender yet, in ms;
   * undefined if all were delivered.
   */
  undeliveredMs: (channel: SentChannel) => Promise<number | undefined>;
  /** Age in ms at which a released delivery is released again, even if older messages are still in the stream. */
  againAfterMs: number;
}

/**
 * Releases deliveries again that no sender has claimed although the stream has delivered all messages of their age.
 * They were lost: a dispatcher died before it published, NATS lost a message, or a sender died before it claimed. While
 * the stream still has older messages, a delivery is only waiting. Runs one statement if nothing is unclaimed.
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
  /** Makes the loop look at once, because an unreleased delivery may be due. */
  wake(): void;
  /** Makes the loop release again all deliveries that were released before now, because JetStream has lost them. */
  storeLost(): void;
  /** Releases until the signal; tries again after every fault. */
  run(signal: AbortSignal): Promise<void>;
}

/**
 * Returns a loop that handles each channel separately, so that a fault of one channel does not delay the others. Only
 * the query for unreleased deliveries, the only query of an idle stack, is shared by all channels that ask at the same
 * time.
 */
export function createReleaseLoop(
  deps: LookForLostDeps & {
    lookAtRest: () => Promise<Rest>;
    everyMs: number;
  },
): ReleaseLoop {
  const lookForLostEveryMs = Math.min(AGAIN_EVERY_MS, deps.againAfterMs / 2);
  let wakes = 0;
  let nudge = new AbortController();
  /** Channels whose messages JetStream has lost, with the time of the loss (`performance.now`). */
  const lost = new Map<SentChannel, number>();
  const wake = () => {
    wakes += 1;
    nudge.abort();
    nudge = new AbortController();
  };

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
    /** The last round released nothing, and `wake` was not called since. */
    let quiet = false;
    // The first turn already searches: a dispatcher that is killed again and again lives for less than the interval.
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
      // A wake during the turn may have come too late for this turn, so the next turn follows without a pause.
      if (restMs > 0 && (failing || wakes === wakesBefore)) await pause(restMs, nudge.signal);
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
