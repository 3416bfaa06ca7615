import type { ProviderChannel } from "@belfry/contracts/channels";
import { MAX_RETRY_AFTER_SECONDS } from "@belfry/contracts/delivery";
import { storedReason } from "@belfry/contracts/reasons";
import type { OutcomeClass, SendOutcome } from "@belfry/contracts/sending";
import type { Logger } from "@belfry/service/logger";
import type pg from "pg";
import type { ActiveProvider } from "./active-providers.ts";
import { showOpenCircuits } from "./sending-metrics.ts";

/** Which of a tenant's providers to use now. */
export type Choice =
  /** `probe`: for one call, that finds out whether the provider is back. */
  | { kind: "go"; provider: ActiveProvider; probe: boolean }
  | { kind: "wait"; delayMs: number; reason: string };

export interface Circuits {
  /** The first provider whose circuit is closed, or one whose time for a probe has come. */
  choose(providers: readonly ActiveProvider[]): Promise<Choice>;
  /** The delivery to probe with; undefined: wait for a better one. */
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
/** The wait while another sender probes. */
const PROBED_ELSEWHERE_MS = 500;
const LEAST_WAIT_MS = 500;

/** After how many failures in a row, on one replica, and for how long at first and at most. */
interface Opening {
  failures: number;
  firstMs: number;
  mostMs: number;
}
/** Openings by class. Other classes concern one message and show that the provider answers. */
const OPENINGS: Partial<Record<OutcomeClass, Opening>> = {
  credentials: { failures: 1, firstMs: 30_000, mostMs: MINUTE_MS },
  throttled: { failures: 1, firstMs: 2_000, mostMs: MINUTE_MS },
  transient: { failures: 3, firstMs: 5_000, mostMs: MINUTE_MS },
  ambiguous: { failures: 3, firstMs: 5_000, mostMs: MINUTE_MS },
};

/** For outcomes of one message: a recipient that the account may not send to must not stop its other mail. */
const OF_ONE_MESSAGE_FAILURES = 3;

/**
 * One circuit a provider. It opens for all replicas when the provider fails by its class: credentials
 * or a 429 at once, an outage after three in a row. An answer about one message or recipient, for good or for now,
 * is an answer like any other: it closes a circuit and never opens one.
 */
export function createCircuits(options: CircuitsOptions): Circuits {
  const { pool, channel, probeMs, log } = options;
  /** `until` by performance.now(): the database says how long, and our clock only measures that time. */
  let open = new Map<string, { reason: string; until: number }>();
  const failures = new Map<string, number>();
  /** For each read under way: the providers whose circuit this replica opened or closed since it began. */
  const readsUnderWay = new Set<Set<string>>();

  const noteChange = (providerId: string) => {
    for (const changed of readsUnderWay) changed.add(providerId);
    showOpenCircuits(open.size);
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
        const { version, circuits } = await readOpenCircuits(pool);
        // A change made here during the read is newer than what was read.
        open = new Map([...open].filter(([id]) => changed.has(id)));
        const now = performance.now();
        for (const { providerId, reason, waitMs } of circuits) {
          if (!changed.has(providerId)) open.set(providerId, { reason, until: now + waitMs });
        }
        showOpenCircuits(open.size);
        return version;
      } finally {
        readsUnderWay.delete(changed);
      }
    },
  };
}

/**
 * Every circuit that is not closed, of which there are few, and the version of the configuration: a sender polls
 * both in one statement. `waitMs`: until a probe may be taken; 0: now, though another sender may be probing.
 */
async function readOpenCircuits(pool: pg.Pool) {
  const { rows } = await pool.query({
    name: "open_circuits",
    text: `select v.version, c.provider_id, c.reason,
             greatest(0, extract(epoch from c.open_until - clock_timestamp()) * 1000)::float8 as wait_ms
           from configuration_version v left join provider_circuits c on true`,
  });
  return {
    version: rows[0].version as string,
    circuits: rows
      .filter((row) => row.provider_id !== null)
      .map((row) => ({
        providerId: row.provider_id as string,
        reason: row.reason as string,
        waitMs: row.wait_ms as number,
      })),
  };
}

/**
 * Opens a provider's circuit for all replicas, or opens it again after a failed probe. One that is already open stays
 * as it is. `firstMs`: the wait of a first opening, doubled with each in a row up to `mostMs`. Returns for how many ms
 * it is open; undefined if the provider is gone.
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

/** Takes the one probe of a circuit whose time has come. It comes free again after `forMs` at most. */
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

/** A delivery due this soon is preferred for the probe to one that was deferred. */
const FRESH_SOON = "5 seconds";

/**
 * Which of these deliveries is to probe: one that was never deferred, as the cause of a deferral is the message
 * or its recipient, and says nothing of the provider. Undefined: each of them was, and another of the
 * tenant's is due soon. Where there is no other, the first.
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

/** Frees the probe of a delivery that made no call. */
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
