import type { ProviderChannel } from "@belfry/contracts/channels";
import { MAX_RETRY_AFTER_SECONDS } from "@belfry/contracts/delivery";
import { storedReason } from "@belfry/contracts/reasons";
import type { OutcomeClass, SendOutcome } from "@belfry/contracts/sending";
import { readRows } from "@belfry/database/connection";
import type { Logger } from "@belfry/service/logger";
import type pg from "pg";
import type { ActiveProvider } from "./active-providers.ts";
import { showOpenCircuits } from "./sending-metrics.ts";

/** The provider of a tenant to use now, or how long to wait for one. */
export type Choice =
  /** If `probe` is set, only one call is allowed: it finds out whether the provider works again. */
  | { kind: "go"; provider: ActiveProvider; probe: boolean }
  | { kind: "wait"; delayMs: number; reason: string };

export interface Circuits {
  /** Returns the first provider whose circuit is closed or due for a probe. */
  choose(providers: readonly ActiveProvider[]): Promise<Choice>;
  /** Returns the delivery to probe with, or undefined if it is better to wait for another one. */
  chooseProbe(tenantId: string, ids: readonly string[]): Promise<string | undefined>;
  /** Opens or closes the provider's circuit after a call. Never throws. */
  note(provider: ActiveProvider, outcome: SendOutcome, probe: boolean): Promise<void>;
  /** Frees a probe that made no call. Never throws. */
  giveBack(provider: ActiveProvider): Promise<void>;
  isOpen(accountId: string): boolean;
  /** Reads the circuits of all replicas. Returns the version of the configuration, which the same query reads. */
  refresh(): Promise<string>;
}

export interface CircuitsOptions {
  pool: pg.Pool;
  channel: ProviderChannel;
  /** The time in ms that a probe may take before another is allowed. */
  probeMs: number;
  /** Called when this replica has opened or closed a circuit, so that the others read it at once. */
  onChange?: (() => void) | undefined;
  log: Logger;
}

const MINUTE_MS = 60_000;
/** The wait while another sender probes. */
const PROBED_ELSEWHERE_MS = 500;
const LEAST_WAIT_MS = 500;

/** The number of failures in a row on one replica that opens a circuit, and for how long at first and at most. */
interface Opening {
  failures: number;
  firstMs: number;
  mostMs: number;
}
/** Openings by class. Outcomes of other classes are about one message and show that the provider works. */
const OPENINGS: Partial<Record<OutcomeClass, Opening>> = {
  credentials: { failures: 1, firstMs: 30_000, mostMs: MINUTE_MS },
  throttled: { failures: 1, firstMs: 2_000, mostMs: MINUTE_MS },
  transient: { failures: 3, firstMs: 5_000, mostMs: MINUTE_MS },
  ambiguous: { failures: 3, firstMs: 5_000, mostMs: MINUTE_MS },
};

/** Failures for outcomes of one message: a recipient to whom the account may not send must not stop other mail. */
const OF_ONE_MESSAGE_FAILURES = 3;

/**
 * Creates the circuit breakers, one per provider. A circuit opens for all replicas after failures of a class: at once
 * for credentials or a 429, after three in a row for an outage. A permanent or temporary refusal of one message or
 * recipient closes a circuit, like a success.
 */
export function createCircuits(options: CircuitsOptions): Circuits {
  const { pool, channel, probeMs, log } = options;
  /** Open circuits. `until` is in time of performance.now(): the database returns a duration, which we measure here. */
  let open = new Map<string, { reason: string; until: number }>();
  const failures = new Map<string, number>();
  /** One set per running read: the providers whose circuit this replica opened or closed since the read began. */
  const readsUnderWay = new Set<Set<string>>();

  const noteChange = (providerId: string) => {
    for (const changed of readsUnderWay) changed.add(providerId);
    showOpenCircuits(open.size);
    options.onChange?.();
  };

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
    const firstMs = wishedMs ?? opening.firstMs;
    const mostMs = wishedMs ?? opening.mostMs;
    const waitMs = await openCircuit(pool, provider.id, outcome, { firstMs, mostMs, probe });
    if (waitMs === undefined) return;
    open.set(provider.id, { reason: outcome.reason, until: performance.now() + waitMs });
    noteChange(provider.id);
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
        await closeCircuit(pool, provider.id);
        open.delete(provider.id);
        noteChange(provider.id);
        log.info({ providerId: provider.id, provider: provider.kind }, "circuit closed");
      });
    },
    giveBack: (provider) => guarded(provider, () => giveBackProbe(pool, provider.id)),
    isOpen: (accountId) => open.has(accountId),
    async refresh() {
      const changed = new Set<string>();
      readsUnderWay.add(changed);
      try {
        const circuits = await readOpenCircuits(pool);
        // A change made here during the read is newer than the result.
        open = new Map([...open].filter(([id]) => changed.has(id)));
        const now = performance.now();
        for (const { providerId, reason, waitMs } of circuits) {
          if (providerId === null || changed.has(providerId)) continue;
          open.set(providerId, { reason, until: now + waitMs });
        }
        showOpenCircuits(open.size);
        return circuits[0]!.version;
      } finally {
        readsUnderWay.delete(changed);
      }
    },
  };
}

/**
 * Reads all circuits that are not closed (there are few) and the version of the configuration, so that a sender polls
 * both with one statement. Without an open circuit there is one row, whose `providerId` is null. `waitMs` is the time
 * until a probe; 0 if one is due, though another sender may be probing.
 */
async function readOpenCircuits(pool: pg.Pool) {
  type Row = { version: string; providerId: string | null; reason: string; waitMs: number };
  return await readRows<Row>(pool, {
    name: "open_circuits",
    text: `select v.version, c.provider_id, c.reason,
             greatest(0, extract(epoch from c.open_until - clock_timestamp()) * 1000)::float8 as wait_ms
           from configuration_version v left join provider_circuits c on true`,
    values: [],
  });
}

/**
 * Opens a provider's circuit for all replicas, or opens it again after a failed probe. The time of an already open
 * circuit does not change. `firstMs` is the wait of a first opening; it doubles with each failed probe up to `mostMs`.
 * Returns the remaining wait in ms, or undefined if the provider is gone.
 */
async function openCircuit(
  pool: pg.Pool,
  providerId: string,
  outcome: SendOutcome,
  { firstMs, mostMs, probe }: { firstMs: number; mostMs: number; probe: boolean },
): Promise<number | undefined> {
  const { rows } = await pool.query({
    name: "open_circuit",
    text: `insert into provider_circuits as c
             (provider_id, class, reason, failures, opened_at, open_until)
           select p.id, $2, $3, 1, clock_timestamp(),
                  clock_timestamp() + least($4::float8, $5::float8) * interval '1 millisecond'
           from providers p where p.id = $1
           on conflict (provider_id) do update
             set class = excluded.class, reason = excluded.reason,
                 failures = c.failures + $6::integer, probe_until = null,
                 open_until = case when $6::integer = 0 then c.open_until
                   else clock_timestamp() + least($4::float8 * 2 ^ least(c.failures, 20), $5::float8)
                     * interval '1 millisecond' end
           returning greatest(0, extract(epoch from open_until - clock_timestamp()) * 1000)::float8 as wait_ms`,
    values: [providerId, outcome.class, outcome.reason, firstMs, mostMs, probe ? 1 : 0],
  });
  return rows[0]?.wait_ms;
}

/** Reserves the only probe of a circuit that is due, for at most `forMs`. Returns false if there is none. */
async function takeProbe(pool: pg.Pool, providerId: string, forMs: number): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: "take_probe",
    text: `update provider_circuits
           set probe_until = clock_timestamp() + $2::float8 * interval '1 millisecond'
           where provider_id = $1 and open_until <= clock_timestamp()
             and (probe_until is null or probe_until <= clock_timestamp())`,
    values: [providerId, forMs],
  });
  return rowCount === 1;
}

/** A delivery that is due within this time is a better probe than one that was deferred. */
const FRESH_SOON = "5 seconds";

/**
 * Returns the delivery to probe with: the first that was never deferred. A deferral is caused by the message or its
 * recipient, so such a delivery does not test the provider. If all were deferred, returns undefined if the tenant has
 * another delivery due soon, else the first.
 */
async function chooseProbe(
  pool: pg.Pool,
  channel: ProviderChannel,
  tenantId: string,
  ids: readonly string[],
): Promise<string | undefined> {
  const { rows } = await pool.query({
    name: "choose_probe",
    text: `select i.id, i.deferred, i.deferred and exists (
             select from (
               select d.attempts from deliveries d
               where d.channel = $2 and d.tenant_id = $3 and d.released_at is null and d.broadcast_id is null
                 and d.status in ('queued', 'waiting')
                 and d.due_at <= clock_timestamp() + interval '${FRESH_SOON}'
               order by d.due_at limit 100
             ) due where due.attempts = 0
           ) as other
           from (
             select i.id, i.place, exists (
               select from attempts a where a.delivery_id = i.id and a.class = 'deferred'
             ) as deferred
             from unnest($1::uuid[]) with ordinality i (id, place)
           ) i
           order by i.deferred, i.place limit 1`,
    values: [ids, channel, tenantId],
  });
  return rows[0].other ? undefined : rows[0].id;
}

/** Frees the reserved probe of a delivery that made no call. */
async function giveBackProbe(pool: pg.Pool, providerId: string): Promise<void> {
  await pool.query({
    name: "give_back_probe",
    text: "update provider_circuits set probe_until = null where provider_id = $1",
    values: [providerId],
  });
}

async function closeCircuit(pool: pg.Pool, providerId: string): Promise<void> {
  await pool.query({
    name: "close_circuit",
    text: "delete from provider_circuits where provider_id = $1",
    values: [providerId],
  });
}
