import type { ProviderChannel } from "@belfry/contracts/channels";
import { MAX_RETRY_AFTER_SECONDS } from "@belfry/contracts/delivery";
import { storedReason } from "@belfry/contracts/reasons";
import type { OutcomeClass, SendOutcome } from "@belfry/contracts/sending";
import type { Logger } from "@belfry/service/logger";
import type pg from "pg";
import type { ActiveProvider } from "./active-providers.ts";
import {
  chooseProbe,
  closeCircuit,
  giveBackProbe,
  openCircuit,
  readOpenCircuits,
  takeProbe,
} from "./provider-circuits.ts";
import { showOpenCircuits } from "./sending-metrics.ts";

/** Which of a tenant's providers to use now. */
export type Choice =
  /** `probe`: for one call, that finds out whether the provider is back. */
  | { kind: "go"; provider: ActiveProvider; probe: boolean }
  | { kind: "wait"; delayMs: number; reason: string };

export interface Circuits {
  /** The first provider whose circuit is closed, or one whose time for a probe has come. */
  choose(providers: readonly ActiveProvider[]): Promise<Choice>;
  /** Which of these to make the probe with; undefined: wait for a better one. */
  chooseProbe(tenantId: string, ids: readonly string[]): Promise<string | undefined>;
  /** Learns from a call. Never throws. */
  note(provider: ActiveProvider, outcome: SendOutcome, probe: boolean): Promise<void>;
  /** The probe made no call. Never throws. */
  giveBack(provider: ActiveProvider): Promise<void>;
  isOpen(accountId: string): boolean;
  /** Reads what the other replicas know; returns the version of the configuration, read with it. */
  refresh(): Promise<string>;
}

export interface CircuitsOptions {
  pool: pg.Pool;
  channel: ProviderChannel;
  /** How long a probe may take before another is allowed. */
  probeMs: number;
  log: Logger;
}

const MINUTE_MS = 60_000;
/** Another sender probes: look again soon. */
const PROBED_ELSEWHERE_MS = 500;
const LEAST_WAIT_MS = 500;

/** After how many failures in a row, on one replica, and for how long at first and at most. */
interface Opening {
  failures: number;
  firstMs: number;
  mostMs: number;
}
/** By class. The others are about one message: they say that the provider answers. */
const OPENINGS: Partial<Record<OutcomeClass, Opening>> = {
  credentials: { failures: 1, firstMs: 30_000, mostMs: MINUTE_MS },
  throttled: { failures: 1, firstMs: 2_000, mostMs: MINUTE_MS },
  transient: { failures: 3, firstMs: 5_000, mostMs: MINUTE_MS },
  ambiguous: { failures: 3, firstMs: 5_000, mostMs: MINUTE_MS },
};

/** A recipient that the account may not send to must not stop its other mail. */
const OF_ONE_MESSAGE_FAILURES = 3;

/**
 * One circuit a provider. It opens for all replicas when the provider fails by its class: credentials
 * or a 429 at once, an outage after three in a row. An answer about one message or recipient, for good or for now,
 * is an answer like any other: it closes a circuit and never opens one.
 */
export function createCircuits(options: CircuitsOptions): Circuits {
  const { pool, channel, probeMs, log } = options;
  /** `until` by performance.now(): the database says how long, our clock only measures. */
  let open = new Map<string, { reason: string; until: number }>();
  const failures = new Map<string, number>();

  const opened = async (
    provider: ActiveProvider,
    outcome: SendOutcome,
    opening: Opening,
    probe: boolean,
  ) => {
    const count = (failures.get(provider.id) ?? 0) + 1;
    failures.set(provider.id, count);
    const mostFailures = outcome.ofOneMessage ? OF_ONE_MESSAGE_FAILURES : opening.failures;
    if (!probe && count < mostFailures) return;
    failures.delete(provider.id);
    const wished = outcome.retryAfterSeconds;
    const wishedMs =
      wished === null ? null : Math.min(Math.max(wished, 1), MAX_RETRY_AFTER_SECONDS) * 1000;
    const waitMs = await openCircuit(pool, {
      providerId: provider.id,
      class: outcome.class,
      reason: outcome.reason,
      firstMs: wishedMs ?? opening.firstMs,
      mostMs: wishedMs ?? opening.mostMs,
      probed: probe,
    });
    if (waitMs === undefined) return;
    open.set(provider.id, { reason: outcome.reason, until: performance.now() + waitMs });
    const details = { providerId: provider.id, provider: provider.kind, class: outcome.class };
    log.warn({ ...details, waitMs: Math.round(waitMs), probe }, "circuit open");
  };

  const guarded = async (provider: ActiveProvider, work: () => Promise<void>) => {
    try {
      await work();
    } catch (err) {
      log.warn({ err, providerId: provider.id }, "a circuit could not be written");
    }
  };

  return {
    async choose(providers) {
      let soonest = Number.POSITIVE_INFINITY;
      let reason = "";
      for (const provider of providers) {
        const state = open.get(provider.id);
        if (state === undefined) return { kind: "go", provider, probe: false };
        if (state.until <= performance.now()) {
          if (await takeProbe(pool, provider.id, probeMs)) {
            return { kind: "go", provider, probe: true };
          }
          state.until = performance.now() + PROBED_ELSEWHERE_MS;
        }
        if (state.until < soonest) [soonest, reason] = [state.until, state.reason];
      }
      const delayMs = Math.max(LEAST_WAIT_MS, soonest - performance.now());
      return { kind: "wait", delayMs, reason: storedReason("provider-paused", { why: reason }) };
    },
    chooseProbe: (tenantId, ids) => chooseProbe(pool, channel, tenantId, ids),
    note(provider, outcome, probe) {
      return guarded(provider, async () => {
        const opening = OPENINGS[outcome.class];
        if (opening !== undefined) return opened(provider, outcome, opening, probe);
        failures.delete(provider.id);
        if (!probe) return;
        open.delete(provider.id);
        await closeCircuit(pool, provider.id);
        log.info({ providerId: provider.id, provider: provider.kind }, "circuit closed");
      });
    },
    giveBack: (provider) => guarded(provider, () => giveBackProbe(pool, provider.id)),
    isOpen: (accountId) => open.has(accountId),
    async refresh() {
      const { version, circuits } = await readOpenCircuits(pool);
      const now = performance.now();
      open = new Map(
        circuits.map((one) => [one.providerId, { reason: one.reason, until: now + one.waitMs }]),
      );
      showOpenCircuits(open.size);
      return version;
    },
  };
}
