import assert from "node:assert/strict";
import { hash, randomUUID } from "node:crypto";
import { test } from "node:test";
import { assertEach } from "@belfry/testing/assert-each";
import { connectedDatabase, type TestPool } from "@belfry/testing/database";
import { untilBlocked } from "@belfry/testing/until-blocked";
import {
  acceptEvents,
  acknowledgeEvents,
  type EventToAccept,
  refuseEvents,
} from "./accept-events.ts";

const ENVELOPE = { fromName: "Ann", cc: ["b@x.io"], bcc: [] };
const PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

async function setUp(t: test.TestContext): Promise<TestPool> {
  const { pool } = await connectedDatabase(t);
  return pool;
}

async function createTenant(
  pool: TestPool,
  id: string,
  limits: { perMinute?: number; dailyCap?: number | null } = {},
): Promise<void> {
  await pool.sql`insert into tenants (id, name, per_minute, daily_cap)
    values (${id}, ${`Tenant ${id}`}, ${limits.perMinute ?? 1000}, ${limits.dailyCap ?? null})`;
  await pool.sql`insert into tenant_limits (tenant_id) values (${id})`;
}

async function withTenant(t: test.TestContext, limits?: Parameters<typeof createTenant>[2]) {
  const pool = await setUp(t);
  await createTenant(pool, "a", limits);
  return pool;
}

function event(tenantId: string, key: string = randomUUID(), over: Partial<EventToAccept> = {}) {
  return {
    tenantId,
    dedupKey: hash("sha256", key),
    id: randomUUID(),
    eventType: "order.confirmed",
    userId: "user-1",
    reference: null,
    recipientEmail: null,
    recipientPhone: null,
    variables: null,
    traceId: "trace-1",
    options: null,
    ...over,
  };
}

function sorted(events: EventToAccept[]): EventToAccept[] {
  const order = (e: EventToAccept) => `${e.tenantId} ${e.dedupKey}`;
  return events.sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

/** Moves everything a tenant's counters and keys remember into the past. */
async function age(pool: TestPool, seconds: number): Promise<void> {
  await pool.sql`update tenant_limits set ring_second = ring_second - ${seconds}::integer,
    ring = (select array_agg(ring[(((i + ${seconds}::integer) % 61 + 61) % 61) + 1] order by i) from generate_series(0, 60) i)`;
  await pool.sql`update dedup_keys
    set accepted_at = accepted_at - make_interval(secs => ${seconds})`;
}

test("an event is stored as it was given, with nulls where nothing was", async (t) => {
  const pool = await withTenant(t);
  const full = event("a", "full", {
    reference: "1001",
    recipientEmail: "ann@example.com",
    recipientPhone: "+12025550123",
    options: { channels: 5, locale: "zh-Hant-TW", traceParent: PARENT, envelope: ENVELOPE },
    variables: JSON.stringify({ text: "\u0000 \ud800 \u001f, 'quoted' \\ {} 💌", n: 1e300 }),
  });
  const [result] = await acceptEvents(pool, [full]);
  assert.equal(result?.outcome, "accepted");
  assert.equal(result?.eventId, full.id);
  assert.equal(result?.pending, true);
  assert.equal(result?.tenantName, "Tenant a");
  const rows = await pool.sql`select * from events`;
  assert.equal(rows.length, 1);
  assert.equal(rows[0].variables, full.variables);
  assert.equal(rows[0].reference, "1001");
  assert.deepEqual(rows[0].envelope, ENVELOPE);
  assert.equal(rows[0].recipient_email, "ann@example.com");
  assert.equal(rows[0].channels, 5);
  assert.equal(rows[0].locale, "zh-Hant-TW");
  assert.equal(rows[0].trace_parent, PARENT);
  const beside = event("a", "beside", { reference: "1002", options: { channels: 1 } });
  await acceptEvents(pool, sorted([event("a", "bare"), beside]));
  const some = await pool.sql`select channels, locale from events where id = ${beside.id}`;
  assert.deepEqual(some, [{ channels: 1, locale: null }]);
  const bare = await pool.query("select * from events where reference is null");
  assert.equal(bare.rows[0].variables, null);
  assert.equal(bare.rows[0].channels, null);
  assert.equal(bare.rows[0].locale, null);
  assert.equal(bare.rows[0].trace_parent, null);
  assert.equal(bare.rows[0].envelope, null);
  assert.equal(bare.rows[0].recipient_phone, null);
});

test("a duplicate is replayed with the first event's id and answer, in the same batch and later", async (t) => {
  const pool = await withTenant(t);
  const results = await acceptEvents(pool, [
    event("a", "k", { eventType: "first" }),
    event("a", "k", { eventType: "second" }),
  ]);
  assertEach(results, (r) => r.outcome, ["accepted", "replayed"]);
  assert.equal(results[1]?.eventId, results[0]?.eventId);
  await pool.query("update tenants set name = 'Renamed'");
  const [later] = await acceptEvents(pool, [event("a", "k", { eventType: "third" })]);
  assert.equal(later?.outcome, "replayed");
  assert.equal(later?.eventId, results[0]?.eventId);
  assert.equal(later?.eventType, "first");
  assert.equal(later?.tenantName, "Tenant a");
  assert.equal((await pool.query("select count(*)::integer as n from events")).rows[0].n, 1);
});

test("never more than the limit in any 60 s, and a slot frees at most one second late", async (t) => {
  const pool = await withTenant(t, { perMinute: 3 });
  const four = await acceptEvents(pool, sorted([event("a"), event("a"), event("a"), event("a")]));
  assertEach(four, (r) => r.outcome, ["accepted", "accepted", "accepted", "minute"]);
  const wait = four[3]?.limits?.minuteWaitSeconds ?? 0;
  assert.ok(wait > 59 && wait <= 61, `waits ${wait} s`);
  // A minute ago at most, so still inside, though seconds go by while this runs.
  await age(pool, 30);
  assert.equal((await acceptEvents(pool, [event("a")]))[0]?.outcome, "minute");
  await age(pool, 31);
  const free = (await acceptEvents(pool, [event("a")]))[0];
  assert.equal(free?.outcome, "accepted");
  assert.equal(free?.limits?.minuteRemaining, 2);
});

test("refused requests do not count, replays do", async (t) => {
  const pool = await withTenant(t, { perMinute: 2 });
  await acceptEvents(pool, [event("a", "k")]);
  await acceptEvents(pool, [event("a", "k")]);
  assert.equal((await acceptEvents(pool, [event("a", "k")]))[0]?.outcome, "minute");
  assert.equal((await acceptEvents(pool, [event("a", "l")]))[0]?.outcome, "minute");
  const rows = await pool.sql`select ring_total,
      (select sum(x) from unnest(ring) x)::integer as sum from tenant_limits`;
  assert.deepEqual(rows[0], { ring_total: 2, sum: 2 });
});

test("the window turns over all its seconds without losing count", async (t) => {
  const pool = await withTenant(t, { perMinute: 1000 });
  for (let i = 0; i < 30; i += 1) {
    await acceptEvents(pool, [event("a")]);
    await age(pool, 1 + (i % 4));
  }
  const rows = await pool.sql`select ring_total as total,
      (select sum(x) from unnest(ring) x)::integer as sum from tenant_limits`;
  assert.equal(rows[0].total, rows[0].sum);
  assert.ok(rows[0].total < 30 && rows[0].total > 10);
});

test("a database clock that steps back does not reopen the window", async (t) => {
  const pool = await withTenant(t, { perMinute: 1 });
  await acceptEvents(pool, [event("a")]);
  await age(pool, -600);
  assert.equal((await acceptEvents(pool, [event("a")]))[0]?.outcome, "minute");
});

test("over the daily cap a duplicate is still replayed", async (t) => {
  const pool = await withTenant(t, { dailyCap: 1 });
  await acceptEvents(pool, [event("a", "k")]);
  assert.equal((await acceptEvents(pool, [event("a", "other")]))[0]?.outcome, "day");
  assert.equal((await acceptEvents(pool, [event("a", "k")]))[0]?.outcome, "replayed");
});

test("what the daily cap refuses takes no slot of the minute from the events behind it", async (t) => {
  const pool = await withTenant(t, { perMinute: 4, dailyCap: 1 });
  await acceptEvents(pool, [event("a", "known")]);
  const refused = ["1", "2", "3", "4"].map((key) => event("a", key));
  const results = await acceptEvents(pool, [...refused, event("a", "known"), event("a", "5")]);
  assertEach(results, (r) => r.outcome, ["day", "day", "day", "day", "replayed", "day"]);
  assert.equal(results[0]?.limits?.minuteRemaining, 2);
});

test("what was refused is processed again under the same id, with the new body and a day's slot", async (t) => {
  const pool = await withTenant(t, { dailyCap: 1 });
  const first = event("a", "k", { variables: '{"n":1}' });
  await acceptEvents(pool, [first]);
  assert.deepEqual(await refuseEvents(pool, [first.id]), new Set([first.id]));
  const [day] = (await pool.query("select day_total from tenant_limits")).rows;
  assert.equal(day.day_total, 0);
  const [again] = await acceptEvents(pool, [event("a", "k", { variables: '{"n":2}' })]);
  assert.equal(again?.outcome, "reopened");
  assert.equal(again?.eventId, first.id);
  const rows = await pool.sql`select id, variables, refused_at from events`;
  assert.deepEqual(rows, [{ id: first.id, variables: '{"n":2}', refused_at: null }]);
  const waiting = await pool.query("select event_id from undispatched_events");
  assert.deepEqual(waiting.rows, [{ event_id: first.id }]);
});

test("a dispatched event cannot be refused any more", async (t) => {
  const pool = await withTenant(t);
  const dispatched = event("a", "k");
  await acceptEvents(pool, [dispatched]);
  await pool.query("delete from undispatched_events");
  await pool.query("update events set dispatched_at = now()");
  assert.deepEqual(await refuseEvents(pool, [dispatched.id]), new Set());
  const [replay] = await acceptEvents(pool, [event("a", "k")]);
  assert.equal(replay?.outcome, "replayed");
  assert.equal(replay?.pending, false);
});

test("an event whose replay was answered 200 cannot be refused, and a refused one is not acknowledged", async (t) => {
  const pool = await withTenant(t);
  const one = event("a", "1");
  const two = event("a", "2");
  await acceptEvents(pool, sorted([one, two]));
  assert.deepEqual(await acknowledgeEvents(pool, [one.id]), new Set([one.id]));
  assert.deepEqual(await refuseEvents(pool, [one.id, two.id]), new Set([two.id]));
  assert.deepEqual(await acknowledgeEvents(pool, [one.id, two.id]), new Set([one.id]));
});

test("a replay holds for what is let go while it is answered", async (t) => {
  const pool = await withTenant(t);
  const options = { delaySeconds: 3600 };
  const first = event("a", "k", { options });
  await acceptEvents(pool, [first]);
  await pool.query("update scheduled_events set send_at = now()");
  const waking = await pool.connect();
  let replay: ReturnType<typeof acceptEvents>;
  try {
    await waking.query("begin");
    await waking.query("select * from wake_events('', 10)");
    replay = acceptEvents(pool, [event("a", "k", { options })]);
    await untilBlocked(pool);
    await waking.query("commit");
  } finally {
    waking.release();
  }
  assert.deepEqual(
    [(await replay)[0]?.outcome, (await replay)[0]?.eventId],
    ["replayed", first.id],
  );
  assert.deepEqual(await refuseEvents(pool, [first.id]), new Set());
});

test("an inactive or unknown tenant is told so and counts nothing", async (t) => {
  const pool = await withTenant(t);
  await pool.query("update tenants set active = false");
  const results = await acceptEvents(pool, sorted([event("a"), event("nobody")]));
  assert.deepEqual(
    results.map((r) => [r.outcome, r.limits]),
    [
      ["inactive", null],
      ["inactive", null],
    ],
  );
  assert.equal((await pool.query("select count(*)::integer as n from events")).rows[0].n, 0);
});

test("batches that name the same tenants in one order never deadlock", async (t) => {
  const pool = await setUp(t);
  const tenants = Array.from({ length: 12 }, (_, i) => `t${String.fromCharCode(97 + i)}`);
  for (const id of tenants) await createTenant(pool, id, { perMinute: 100_000 });
  const batches = Array.from({ length: 40 }, () =>
    acceptEvents(pool, sorted(tenants.flatMap((id) => [event(id), event(id)]))),
  );
  const outcomes = (await Promise.all(batches)).flat().map((r) => r.outcome);
  assert.equal(outcomes.filter((o) => o === "accepted").length, 40 * 24);
});
