import type { ProviderChannel } from "@belfry/contracts/channels";
import type { OutcomeClass } from "@belfry/contracts/sending";
import type pg from "pg";

/** A provider that is not to be used now; one that has none of these is closed: in use. */
export interface OpenCircuit {
  providerId: string;
  reason: string;
  /** Until a probe may be asked for; 0: now, though another may be probing. */
  waitMs: number;
}

/**
 * Every circuit that is not closed, of which there are few, and the version of the configuration: a sender
 * polls both, and a statement wakes Postgres once.
 */
export async function readOpenCircuits(
  pool: pg.Pool,
): Promise<{ version: string; circuits: OpenCircuit[] }> {
  const { rows } = await pool.query({
    name: "open_circuits",
    text: `select v.version, c.provider_id, c.reason,
             greatest(0, extract(epoch from c.open_until - clock_timestamp()) * 1000)::float8 as wait_ms
           from configuration_version v left join provider_circuits c on true`,
  });
  return {
    version: rows[0].version,
    circuits: rows
      .filter((row) => row.provider_id !== null)
      .map((row) => ({ providerId: row.provider_id, reason: row.reason, waitMs: row.wait_ms })),
  };
}

export interface CircuitOpening {
  providerId: string;
  class: OutcomeClass;
  reason: string;
  /** The wait of a first opening; doubled with each in a row, up to the most. */
  firstMs: number;
  mostMs: number;
  /** Opened again by the probe that failed. */
  probed: boolean;
}

/**
 * Opens a provider's circuit for all replicas, or opens it again after a failed probe. One that is
 * open already stays as it is. Returns how long it is open; undefined when the provider is gone.
 */
export async function openCircuit(
  pool: pg.Pool,
  opening: CircuitOpening,
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
    values: [
      opening.providerId,
      opening.class,
      opening.reason,
      opening.firstMs,
      opening.mostMs,
      opening.probed ? 1 : 0,
    ],
  });
  return rows[0]?.wait_ms;
}

/** Takes the one probe of a circuit whose time has come. It comes free again after `forMs` at most. */
export async function takeProbe(
  pool: pg.Pool,
  providerId: string,
  forMs: number,
): Promise<boolean> {
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

/** How soon another message is expected instead of one that was deferred. */
const FRESH_SOON = "5 seconds";

/**
 * Which of these deliveries is to probe: one that was never deferred, as the cause of a deferral is the message
 * or its recipient, and says nothing of the provider. Undefined: each of them was, and another of the
 * tenant's is due soon. Where there is no other, the first.
 */
export async function chooseProbe(
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
               where d.channel = $2 and d.tenant_id = $3 and d.released_at is null
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

/** The probe made no call after all: the next one may. */
export async function giveBackProbe(pool: pg.Pool, providerId: string): Promise<void> {
  await pool.query({
    name: "give_back_probe",
    text: "update provider_circuits set probe_until = null where provider_id = $1",
    values: [providerId],
  });
}

export async function closeCircuit(pool: pg.Pool, providerId: string): Promise<void> {
  await pool.query({
    name: "close_circuit",
    text: "delete from provider_circuits where provider_id = $1",
    values: [providerId],
  });
}
