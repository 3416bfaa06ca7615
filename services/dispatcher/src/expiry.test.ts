import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { dispatchEvents, readEvents } from "@belfry/database/functions/dispatch-events";
import { expireStep, readExpiryLags } from "@belfry/database/functions/expire-batch";
import { assertEach } from "@belfry/testing/assert-each";
import { assertHas } from "@belfry/testing/assert-has";
import { eventually } from "@belfry/testing/eventually";
import { aDelivery, anAttempt, anEvent } from "@belfry/testing/rows";
import { untilBlocked } from "@belfry/testing/until-blocked";
import { uuidv7 } from "uuidv7";
import { ageOf, eventOfAge, expiryUnderTest, idOfAge, NOW } from "../test/expiry-under-test.ts";
import { createExpiry } from "./expiry.ts";

const DAY_MS = 86_400_000;

async function withTenant(t: TestContext) {
  const under = await expiryUnderTest(t);
  return { ...under, acme: await under.tenant() };
}

test("each row is deleted when its retention ends, and not before", async (t) => {
  const under = await expiryUnderTest(t);
  const { pool } = under;
  const acme = await under.tenant();
  const daysAgo = (days: number) => new Date(NOW.getTime() - days * DAY_MS);
  for (const days of [29, 31, 89, 91]) await eventOfAge(under, acme, days);
  for (const hours of [23, 26]) {
    await pool.sql`insert into dedup_keys
      values (${acme}, ${Buffer.from([hours])}, gen_random_uuid(), 'x', 'x',
        ${daysAgo(hours / 24)})`;
  }
  for (const days of [-1, 1]) {
    await pool.sql`insert into api_keys (id, tenant_id, sha256, prefix, expires_at)
      values (${uuidv7()}, ${acme}, ${Buffer.from([days + 1])}, 'b', ${daysAgo(days)})`;
  }
  await pool.sql`insert into api_keys (id, tenant_id, sha256, prefix)
    values (${uuidv7()}, ${acme}, ${Buffer.from([9])}, 'b')`;
  for (const days of [29, 31]) {
    await pool.sql`insert into dead_messages (id, stream, subject, data, deliveries, reason,
        created_at)
      values (${uuidv7()}, 's', 's', '', 11, 'x', ${daysAgo(days)})`;
  }
  for (const days of [29, 31]) {
    await pool.sql`insert into erasures (id, tenant_id, user_hash, state, ended_at)
      values (${uuidv7()}, ${acme}, '', 'done', ${daysAgo(days)})`;
  }
  await pool.sql`insert into erasures (id, tenant_id, user_hash, user_id, requested_at)
    values (${uuidv7()}, ${acme}, '', 'u', ${daysAgo(99)})`;
  assert.deepEqual(nonZero(await under.expire()), {
    dedup_keys: 1,
    api_keys: 1,
    dead_messages: 1,
    erasures: 1,
    events: 3,
    deliveries: 6,
    attempts: 6,
    receipts: 6,
    outbox: 6,
    notifications: 1,
  });
  assert.deepEqual(await under.agesLeft("events", acme), [29]);
  assert.deepEqual(await under.agesLeft("notifications", acme), [29, 31, 89]);
  assert.deepEqual(nonZero(await under.expire()), {}, "a second round finds nothing");
});

test("a tenant's own retention applies to its rows and to no others", async (t) => {
  const under = await expiryUnderTest(t);
  const [usual, short, long] = [await under.tenant(), await under.tenant(), await under.tenant()];
  await under.setDays(short, 7, 3);
  await under.setDays(long, 60, 365);
  for (const tenant of [usual, short, long]) {
    for (const days of [1, 5, 10, 40, 100, 400]) await eventOfAge(under, tenant, days);
  }
  await under.expire();
  const left = async (tenant: string) => [
    await under.agesLeft("events", tenant),
    await under.agesLeft("outbox", tenant),
    await under.agesLeft("notifications", tenant),
  ];
  const twice = (ages: number[]) => ages.flatMap((age) => [age, age]);
  assert.deepEqual(await left(usual), [[1, 5, 10], twice([1, 5, 10]), [1, 5, 10, 40]]);
  assert.deepEqual(await left(short), [[1, 5], twice([1, 5]), [1]]);
  assert.deepEqual(await left(long), [[1, 5, 10, 40], twice([1, 5, 10, 40]), [1, 5, 10, 40, 100]]);
});

test("a changed retention applies at the next step, in both directions and back to the default", async (t) => {
  const under = await expiryUnderTest(t);
  const { agesLeft, setDays, expire } = under;
  const [acme, other] = [await under.tenant(), await under.tenant()];
  for (const tenant of [acme, other]) {
    for (const days of [2, 8, 20, 28, 50]) await eventOfAge(under, tenant, days);
  }
  await expire();
  assert.deepEqual(await agesLeft("events", acme), [2, 8, 20, 28]);

  await setDays(acme, 10);
  await expire();
  assert.deepEqual(await agesLeft("events", acme), [2, 8], "shorter: what is too old now leaves");
  assert.deepEqual(await agesLeft("notifications", acme), [2, 8]);

  await setDays(acme, 40);
  await eventOfAge(under, acme, 9);
  await expire();
  assert.deepEqual(await agesLeft("events", acme), [2, 8, 9], "longer: nothing more leaves");

  await expire(24 * 25);
  assert.deepEqual(await agesLeft("events", acme), [2, 8, 9], "25 days later");
  assert.deepEqual(await agesLeft("events", other), [2], "the others go on as ever");

  await setDays(acme, null);
  await expire(24 * 25);
  assert.deepEqual(await agesLeft("events", acme), [2], "the default again: it catches up");
  await expire(24 * 25);
  const rows = await under.pool.sql`select table_name, tenant_id from expiry_cursors order by 1, 2`;
  assert.deepEqual(
    rows,
    ["events", "inbound_messages", "notifications", "outbox", "webhook_messages"].map((table) => ({
      table_name: table,
      tenant_id: "",
    })),
    "a tenant that has caught up walks with the others",
  );
});

test("the default retention applies to the rows of a deleted tenant, however long its own was", async (t) => {
  const under = await expiryUnderTest(t);
  const gone = await under.tenant();
  await under.setDays(gone, 300);
  await eventOfAge(under, gone, 20);
  await under.expire();
  await under.pool.sql`delete from tenants where id = ${gone}`;
  await under.expire();
  assert.deepEqual(await under.agesLeft("events", gone), [20]);
  await under.expire(11 * 24);
  assert.deepEqual(await under.agesLeft("events", gone), []);
});

test("with a retention of one day an event is kept for 25 hours, longer than its deduplication key", async (t) => {
  const { acme, ...under } = await withTenant(t);
  await under.setDays(acme, 1);
  await eventOfAge(under, acme, 24.9 / 24);
  await eventOfAge(under, acme, 25.1 / 24);
  await under.expire();
  assert.equal((await under.agesLeft("events", acme)).length, 1);
});

test("when an event's retention ends, its unsent deliveries are deleted with it, and logged", async (t) => {
  const { acme, ...under } = await withTenant(t);
  for (const status of ["queued", "waiting", "sending", "failed"]) {
    await eventOfAge(under, acme, 31, { status, idOfAge: 0 });
  }
  const open = idOfAge(31);
  await anEvent(under.pool, { id: open, tenant_id: acme, dispatched_at: null });
  await under.pool.sql`insert into undispatched_events values (${open}, now())`;
  const gone = await under.expire();
  assert.deepEqual([gone.events, gone.deliveries, gone.undispatched_events], [5, 8, 1]);
  assert.deepEqual(await under.deliveries(), []);
  assert.match(under.warnings.join(""), /"deliveries":6.*had their time/);
});

test("many rows are deleted in small steps, over two replicas at once, each row once", async (t) => {
  const { acme, ...under } = await withTenant(t);
  await fill(under, acme, 4_000);
  const [one, two] = [under.newReplica(), under.newReplica()];
  const rounds = await Promise.all([one(), two()]);
  const total = (table: string) => rounds.reduce((sum, gone) => sum + (gone[table] ?? 0), 0);
  const late = await under.expire();
  assert.equal(total("events") + (late.events ?? 0), 4_000);
  assert.equal(total("deliveries") + (late.deliveries ?? 0), 8_000);
  assert.equal(total("notifications") + (late.notifications ?? 0), 0);
  assert.deepEqual(await under.agesLeft("events", acme), []);
});

test("the stop signal ends a round after the current step, and the next process continues there", async (t) => {
  const { acme, ...under } = await withTenant(t);
  await fill(under, acme, 3_000);
  const stop = new AbortController();
  const round = under.expire(0, stop.signal);
  await eventually(async () => (await countEvents(under)) < 3_000);
  stop.abort();
  const before = await countEvents(under);
  const gone = await round;
  assert.ok(before - (await countEvents(under)) <= 500);
  assert.ok((gone.events ?? 0) < 3_000);
  await under.expire();
  assert.equal(await countEvents(under), 0);
});

test("a new process continues where the last one was, and does not read again what other tenants keep", async (t) => {
  const under = await expiryUnderTest(t);
  const [keeper, acme] = [await under.tenant(), await under.tenant()];
  await under.setDays(keeper, 3650);
  await fill(under, keeper, 5_000);
  await fill(under, acme, 1_000);
  await under.expire();
  assert.equal(await countEvents(under), 5_000);
  await eventOfAge(under, acme, 29);
  await using client = await connected(under.pool);
  const read = await rowsRead(client, async () => {
    const later = new Date(NOW.getTime() + 2 * DAY_MS);
    const pool = client as unknown as typeof under.pool;
    for (let state = ""; state !== "done"; ) {
      ({ state } = await expireStep(pool, "events", under.retention, later));
    }
  });
  assert.deepEqual(await under.agesLeft("events", acme), [], "the step did its work");
  assert.ok(read("events") < 10, `${read("events")} rows read`);
});

test("an event with an old id that was stored late, and a delivery without its event, are deleted, too", async (t) => {
  const { acme, ...under } = await withTenant(t);
  await under.expire();
  await eventOfAge(under, acme, 9_000);
  await aDelivery(under.pool, { id: idOfAge(40), tenant_id: acme, status: "accepted" });
  const gone = await under.expire();
  assert.deepEqual([gone.events, gone.deliveries], [1, 3]);
  assert.deepEqual(await under.deliveries(), []);
});

test("attachments go a day after their upload if no event names them, and with events that left as strays", async (t) => {
  const { acme, ...under } = await withTenant(t);
  const attachment = async (days: number, named: boolean) => {
    const id = idOfAge(days);
    await under.pool.sql`insert into attachments (id, tenant_id, name, type, bytes, sha256,
        complete, named, created_at)
      values (${id}, ${acme}, 'a', 'a/b', 1, '', true, ${named},
        ${NOW}::timestamptz - ${days} * interval '1 day')`;
    await under.pool.sql`insert into attachment_chunks values (${id}, 0, 'x')`;
    return id;
  };
  const names = (event: string, id: string) =>
    under.pool.sql`insert into event_attachments values (${event}, 1, ${id})`;
  const kept = await eventOfAge(under, acme, 2);
  const young = [await attachment(0.9, false), await attachment(2, true)];
  await names(kept, young[1]!);
  await attachment(1, false);
  await names(idOfAge(40), await attachment(40, true));
  await under.expire();
  const rows = await under.pool.sql`select id from attachments
    join attachment_chunks on attachment_id = id order by id desc`;
  assert.deepEqual(
    rows.map(({ id }) => id),
    young,
  );
  const links = await under.pool.query("select event_id from event_attachments");
  assert.deepEqual(links.rows, [{ event_id: kept }]);
});

test("throttles are deleted when none of their entries counts; a digest whose events are gone, a week after them", async (t) => {
  const { acme, ...under } = await withTenant(t);
  const throttle = (userId: string, hours: number) =>
    under.pool.sql`insert into throttles (tenant_id, user_id, event_type, channel, times, ends_at)
      values (${acme}, ${userId}, 'x', 'EMAIL', '{}', ${NOW}::timestamptz + ${hours} * interval '1 hour')`;
  await throttle("over", -1);
  await throttle("counts", 1);
  for (const days of [39, 37]) {
    await under.pool.query(
      `with g as (
         insert into digests (id, tenant_id, event_type, channel, user_id, locale, key, opened_at, window_ends_at)
         values ($1, $2, 'x', 'EMAIL', 'u', '', $1::uuid::text, now(), now()) returning id
       )
       insert into digest_items (digest_id, event_id, added_at) select id, gen_random_uuid(), now() from g`,
      [idOfAge(days), acme],
    );
  }
  await under.expire();
  await under.pool.sql`insert into repeated_calls (caller, key, request, created_at)
    select 'a', h::text, '', ${NOW}::timestamptz - h * interval '1 hour' from unnest('{23,25}'::integer[]) h`;
  await under.expire();
  const calls = await under.pool.query("select key from repeated_calls");
  assert.deepEqual(calls.rows, [{ key: "23" }], "answers to repeated calls go after a day");
  const throttles = await under.pool.query("select user_id from throttles");
  assert.deepEqual(throttles.rows, [{ user_id: "counts" }]);
  for (const table of ["digests", "digest_items"]) {
    const { rows } = await under.pool.query(`select count(*)::integer as left from ${table}`);
    assert.deepEqual(rows, [{ left: 1 }], table);
  }
});

test("a realtime channel is deleted after its last notification, and not before", async (t) => {
  const { acme, ...under } = await withTenant(t);
  await eventOfAge(under, acme, 89);
  const channels = async () => {
    const rows = await under.pool.sql`select user_id from realtime_channels order by 1`;
    return rows.map((row) => row.user_id);
  };
  await under.pool.sql`insert into realtime_channels
    select ${acme}, user_id, 'personal', 7 from unnest(array['u', 'gone']) u (user_id)`;
  assert.equal((await under.expire()).realtime_channels, 1);
  assert.deepEqual(await channels(), ["u"]);
  assert.equal((await under.expire(2 * 24)).realtime_channels, 1);
  assert.deepEqual(await channels(), []);
});

const NOTHING_BEHIND = {
  ...{ events: 0, outbox: 0, notifications: 0, inbound_messages: 0, webhook_messages: 0 },
};

test("the metrics show how far behind the deletion is, and that nothing is behind after a round", async (t) => {
  const under = await expiryUnderTest(t);
  const { pool, retention } = under;
  const [acme, short] = [await under.tenant(), await under.tenant()];
  await under.setDays(short, 7, 7);
  const now = new Date();
  const replica = under.newReplica((now.getTime() - NOW.getTime()) / 3_600_000);
  const ageNow = (days: number) => days - (now.getTime() - NOW.getTime()) / DAY_MS;
  await replica();
  await eventOfAge(under, acme, ageNow(8));
  const behind = async () =>
    Object.fromEntries(
      (await readExpiryLags(pool, retention)).map(({ table, seconds }) => [
        table,
        seconds / 86_400,
      ]),
    );
  assert.deepEqual(await behind(), NOTHING_BEHIND);
  await pool.sql`update expiry_cursors set next_id = ${idOfAge(2_000)}`;
  await eventOfAge(under, acme, ageNow(95));
  await eventOfAge(under, short, ageNow(8));
  const lags = await behind();
  assertEach(Object.entries(lags), ([table, days]) => [table, Math.round(days)], [
    ["events", 88],
    ["outbox", 88],
    ["notifications", 88],
    ["inbound_messages", 0],
    ["webhook_messages", 0],
  ]);
  await replica();
  assert.deepEqual(await behind(), NOTHING_BEHIND);
});

test("an event that is dispatched while it is deleted leaves no delivery behind", async (t) => {
  const { acme, ...under } = await withTenant(t);
  const dispatch = async (pool: typeof under.pool, id: string) => {
    const [event] = await readEvents(under.pool, [id]);
    return await dispatchEvents(
      pool,
      [
        {
          eventId: id,
          acceptedAtText: event!.acceptedAtText,
          outcome: null,
          eraseVariables: false,
          isSensitive: false,
          push: null,
          deliveries: [
            {
              id: uuidv7(),
              tenantId: acme,
              channel: "EMAIL",
              recipient: "ann@example.com",
              templateVersionId: "1",
              expiresAt: null,
            },
          ],
        },
      ],
      { inFlightPerTenant: 100, inTurn: true },
    );
  };
  const remove = "select * from delete_events(array[$1::uuid], false)";
  const [first = "", second = ""] = await under.events(acme, {}, {});

  // The dispatcher came first: its deliveries are visible.
  await using client = await connected(under.pool);
  await client.query("begin");
  await dispatch(client as unknown as typeof under.pool, first);
  const removal = under.pool.query(remove, [first]);
  await untilBlocked(under.pool);
  await client.query("commit");
  assert.equal((await removal).rows[0].deliveries, "1");

  // It comes too late and finds nothing to claim.
  await client.query("begin");
  await client.query(remove, [second]);
  const dispatched = dispatch(under.pool, second);
  await untilBlocked(under.pool);
  await client.query("commit");
  assert.equal((await dispatched).claimed.size, 0);
  assert.deepEqual(await under.deliveries(), []);
});

for (const analyzed of [true, false]) {
  const how = analyzed ? "with statistics" : "before the first statistics";
  test(`a step finds the rows to read and to delete by index, ${how}`, async (t) => {
    const under = await expiryUnderTest(t);
    const { pool } = under;
    // Plans are made here, while every table is known to be empty.
    await pool.query("analyze");
    await using client = await connected(pool);
    const step = "select * from expire_batch('events', 30, $1, 2000, 500)";
    await client.query(step, [NOW]);
    await pool.query("update expiry_cursors set next_id = first_id_of('epoch')");
    const [acme, keeper] = [await under.tenant(), await under.tenant()];
    await fill(under, acme, 10_000);
    await fill(under, keeper, 10_000);
    await under.setDays(keeper, 3650);
    if (analyzed) await pool.query("analyze");
    // The reads of the keeper's walk.
    await client.query(step, [NOW]);
    const read = await rowsRead(client, async () => {
      const { rows } = await client.query(step, [NOW]);
      assertHas(rows[0].counted, { events: 500, receipts: 1_000 });
    });
    const tables = ["events", "deliveries", "attempts", "receipts", "undispatched_events"];
    for (const table of tables) {
      assert.ok(read(table) <= 5_000, `${read(table)} rows of ${table}`);
    }
  });
}

type Under = Awaited<ReturnType<typeof expiryUnderTest>>;

/** Events 31 to 60 days old, each with two deliveries and attempts. */
async function fill({ pool }: Under, tenant: string, count: number): Promise<void> {
  await pool.sql`with e as (
      insert into events (id, tenant_id, event_type, user_id, trace_id, accepted_at, dispatched_at)
      select overlay(first_id_of(${NOW}::timestamptz - (31 + 29.0 * n / ${count}) * interval '1 day')::text
               placing right(gen_random_uuid()::text, 22) from 15)::uuid,
             ${tenant}, 'x', 'u', 't', now(), now()
      from generate_series(1, ${count}::integer) n returning id),
    d as (
      insert into deliveries (id, event_id, tenant_id, channel, template_version_id, status)
      select overlay(e.id::text placing right(gen_random_uuid()::text, 12) from 25)::uuid, e.id, ${tenant},
             c.channel, 1, 'accepted'
      from e, (values ('EMAIL'), ('SMS')) c (channel) returning id),
    r as (
      insert into receipts (tenant_id, provider_kind, vendor_event, delivery_id, kind)
      select ${tenant}, 'sendgrid', id::text, id, 'delivered' from d)
    insert into attempts (delivery_id, number, provider_kind, started_at)
    select id, 1, 'sandbox', now() from d`;
}

async function countEvents({ pool }: Under): Promise<number> {
  return (await pool.sql`select count(*)::integer as count from events`)[0].count;
}

/** The rows of a table that this connection's work read. */
async function rowsRead(client: Client, work: () => Promise<void>) {
  const counted = async () => {
    const { rows } = await client.query<{ relname: string; read: string }>(
      `select relname, seq_tup_read + coalesce(idx_tup_fetch, 0) as read
       from pg_stat_xact_user_tables`,
    );
    return new Map(rows.map(({ relname, read }) => [relname, Number(read)]));
  };
  await client.query("begin");
  const before = await counted();
  await work();
  const after = await counted();
  await client.query("commit");
  return (table: string) => (after.get(table) ?? 0) - (before.get(table) ?? 0);
}

type Client = Awaited<ReturnType<typeof connected>>;

async function connected(pool: Under["pool"]) {
  const client = await pool.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: async () => client.release() });
}

function nonZero(rows: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(rows).filter(([, count]) => count > 0));
}

test("people's answers are deleted with the events of their time; the id of a keyword stays", async (t) => {
  const { acme: tenant, ...under } = await withTenant(t);
  await under.setDays(tenant, 7, 7);
  for (const [days, text] of [
    [6, "young"],
    [8, "old"],
    [8, null],
  ] as const) {
    await under.pool.query(
      `insert into inbound_messages (id, tenant_id, provider_kind, vendor_id, text)
       values ($1, $2, 'twilio', $1::uuid::text, $3)`,
      [idOfAge(days), tenant, text],
    );
  }
  await under.newReplica()();
  const rows = await under.pool.sql`select text from inbound_messages order by text`;
  assert.deepEqual(rows, [{ text: "young" }, { text: null }]);
});

const webhookMessage = ({ pool }: Under, tenant: string, id: string) =>
  pool.sql`insert into webhook_messages (id, webhook_id, tenant_id, type, payload)
    values (${id}, gen_random_uuid(), ${tenant}, 'webhook.test', '{}')`;

const webhookDelivery = ({ pool }: Under, tenant: string, id: string, status: string) =>
  pool.sql`insert into deliveries (id, event_id, tenant_id, channel, status)
    values (${id}, ${id}, ${tenant}, 'WEBHOOK', ${status})`;

test("webhook messages are deleted like events, after five days at the earliest, except unsent ones", async (t) => {
  const under = await expiryUnderTest(t);
  const [acme, short] = [await under.tenant(), await under.tenant()];
  await under.setDays(short, 1);
  const store = async (tenant: string, days: number, status: string) => {
    const id = idOfAge(days);
    await webhookMessage(under, tenant, id);
    await webhookDelivery(under, tenant, id, status);
    await anAttempt(under.pool, { delivery_id: id, provider_kind: "webhook" });
  };
  for (const tenant of [acme, short]) {
    for (const days of [2, 4, 6, 29, 31, 50]) await store(tenant, days, "accepted");
    for (const days of [7, 32]) await store(tenant, days, "waiting");
  }
  await webhookDelivery(under, acme, idOfAge(60), "waiting");
  const left = async (table: string, id: string, tenant: string) => {
    const { rows } = await under.pool.query<{ id: string }>(
      `select m.${id} as id from ${table} m
       ${table === "attempts" ? "join webhook_messages w on w.id = m.delivery_id and w.tenant_id = $1" : "where m.tenant_id = $1"}
       order by 1 desc`,
      [tenant],
    );
    return rows.map(ageOf);
  };
  const gone = await under.expire();
  assert.deepEqual(
    [gone.webhook_messages, gone.deliveries, gone.attempts],
    [6, 7, 6],
    "the stray as well",
  );
  for (const [table, id] of [
    ["webhook_messages", "id"],
    ["deliveries", "id"],
    ["attempts", "delivery_id"],
  ] as const) {
    assert.deepEqual(await left(table, id, acme), [2, 4, 6, 7, 29, 32], table);
    assert.deepEqual(await left(table, id, short), [2, 4, 7, 32], table);
  }
  // It is sent at last, and is deleted with the rows that the walk has skipped.
  await under.pool.query("update deliveries set status = 'failed' where status = 'waiting'");
  await under.expire(24);
  assert.deepEqual(await left("webhook_messages", "id", acme), [2, 4, 6, 7, 29]);
});

test("if everything is kept for a day, webhook messages and their deliveries do not count as strays for six days", async (t) => {
  const { acme: tenant, ...under } = await withTenant(t);
  const id = idOfAge(4);
  await webhookDelivery(under, tenant, id, "accepted");
  await webhookMessage(under, tenant, id);
  const expire = createExpiry({
    ...{ pool: under.pool, log: under.log, now: async () => NOW },
    retention: { eventDays: 1, notificationDays: 1 },
  });
  await expire();
  assert.equal((await under.deliveries()).length, 1);
});
