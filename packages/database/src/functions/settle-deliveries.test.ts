import assert from "node:assert/strict";
import { test } from "node:test";
import { connectedDatabase, type TestPool } from "@belfry/testing/database";
import { type Settlement, settleDeliveries } from "./settle-deliveries.ts";

const CALL = {
  class: "transient",
  durationMs: 250,
  reason: "r",
  vendor_status: "503",
  vendor_answer: "busy",
  message_id: null,
} as const;
const PLAIN = { attempt: 1, reason: null, delayMs: null, counted: false, missing: null } as const;
const RETRY = { ...PLAIN, status: "waiting", reason: "r", counted: true, end: CALL } as const;
const TAKEN = { ...CALL, class: "accepted", message_id: "m" } as const;
const ACCEPTED = { ...PLAIN, status: "accepted", end: TAKEN } as const;

interface Case {
  was: string;
  /** Begun so far. */
  attempts: number;
  settlement: Omit<Settlement, "deliveryId">;
  /** Status, reason, attempts, retries, message id, missing, warnings; seconds until due; ended; seconds it took, class. */
  becomes: string;
}

const CASES: Record<string, Case> = {
  accepted: {
    ...{ was: "sending", attempts: 1, settlement: { ...ACCEPTED, missing: ["a", "b"] } },
    becomes: "accepted||1|0|m|{a,b}|||t|1: 0.25 accepted ",
  },
  "accepted, with a warning": {
    ...{ was: "sending", attempts: 1, settlement: { ...ACCEPTED, warnings: ["w, x"] } },
    becomes: 'accepted||1|0|m||{"w, x"}||t|1: 0.25 accepted ',
  },
  "accepted, with both": {
    ...{ was: "sending", attempts: 1 },
    settlement: { ...ACCEPTED, missing: ["a"], warnings: ["w"] },
    becomes: "accepted||1|0|m|{a}|{w}||t|1: 0.25 accepted ",
  },
  "due again": {
    ...{ was: "sending", attempts: 1, settlement: { ...RETRY, delayMs: 60_000 } },
    becomes: "waiting|r|1|1||||60|f|1: 0.25 transient 60",
  },
  "due again, and expires before": {
    ...{ was: "sending", attempts: 1, settlement: { ...RETRY, delayMs: 1_000_000_000 } },
    becomes: "waiting|r|1|1||||expiry|f|1: 0.25 transient expiry",
  },
  "no call was made": {
    ...{ was: "sending", attempts: 1, settlement: { ...RETRY, delayMs: 0, end: null } },
    becomes: "waiting|r|0|1||||0|f|",
  },
  "an acceptance that comes late": {
    ...{ was: "waiting", attempts: 2, settlement: ACCEPTED },
    becomes: "accepted||2|0|m||||t|1: 0.25 accepted , 2: open",
  },
  "an acceptance of what was replayed": {
    ...{ was: "queued", attempts: 1, settlement: ACCEPTED },
    becomes: "accepted||1|0|m||||t|1: 0.25 accepted ",
  },
  "a failure that comes late": {
    ...{ was: "sending", attempts: 2, settlement: { ...RETRY, delayMs: 60_000 } },
    becomes: "sending||2|0||||60|f|1: 0.25 transient , 2: open",
  },
  "no call was made, told late": {
    ...{ was: "sending", attempts: 2, settlement: { ...RETRY, delayMs: 0, end: null } },
    becomes: "sending||2|0||||60|f|1: open, 2: open",
  },
};
const MOVED = 8;

for (const atOnce of [1, 4, Object.keys(CASES).length]) {
  test(`deliveries are settled by their own attempts, ${atOnce} a call`, async (t) => {
    const { pool } = await connectedDatabase(t);
    const batch: Settlement[] = [];
    for (const one of Object.values(CASES)) {
      batch.push({ ...one.settlement, deliveryId: await insertDelivery(pool, one) });
    }
    let moved = 0;
    for (let at = 0; at < batch.length; at += atOnce) {
      moved += (await settleDeliveries(pool, batch.slice(at, at + atOnce))).size;
    }
    assert.equal(moved, MOVED);
    const found: Record<string, string> = {};
    for (const [at, name] of Object.keys(CASES).entries()) {
      found[name] = await readDelivery(pool, batch[at]!.deliveryId);
    }
    const wanted = Object.entries(CASES).map(([name, { becomes }]) => [name, becomes]);
    assert.deepEqual(found, Object.fromEntries(wanted));
  });
}

async function insertDelivery(pool: TestPool, { was, attempts }: Case): Promise<string> {
  const rows = await pool.sql<{ id: string }>`insert into deliveries (id, event_id, tenant_id,
      channel, template_version_id, status, attempts, due_at, released_at, claimed_until, expires_at)
    values (gen_random_uuid(), gen_random_uuid(), 'a', 'EMAIL', 1, ${was}, ${attempts}, now() + interval '60 s',
      now(), now(), now() + interval '1 day') returning id`;
  const { id } = rows[0]!;
  await pool.sql`insert into attempts (delivery_id, number, provider_kind, started_at)
    select ${id}, n, 'x', now() from generate_series(1, ${attempts}::integer) n`;
  return id;
}

/** Times as seconds after the attempt's end, or after the delivery was stored. */
async function readDelivery(pool: TestPool, id: string): Promise<string> {
  const rows = await pool.sql<{ text: string }>`select concat_ws('|', d.status,
      coalesce(d.reason, ''), d.attempts, d.retries, coalesce(d.message_id, ''),
      coalesce(d.missing::text, ''), coalesce(d.warnings::text, ''),
      case when d.due_at = d.expires_at then 'expiry' when d.due_at is not null then
        floor(extract(epoch from d.due_at - case when d.status = 'waiting'
          then coalesce(a.ended_at, d.due_at) else d.created_at end))::text
      else '' end,
      d.settled_at is not null, coalesce(a.text, '')) as text
    from deliveries d
    left join lateral (
      select max(a.ended_at) as ended_at,
        string_agg(a.number || ': ' || case when a.ended_at is null then 'open' else
        trim_scale(extract(epoch from a.ended_at - a.started_at)) || ' ' || a.class || ' '
          || case when a.next_at = d.expires_at then 'expiry' when a.next_at is not null then
            floor(extract(epoch from a.next_at - a.ended_at))::text else '' end
        end, ', ' order by a.number) as text
      from attempts a where a.delivery_id = d.id
    ) a on true
    where d.id = ${id}`;
  return rows[0]!.text;
}
