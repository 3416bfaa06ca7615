import assert from "node:assert/strict";
import { hash, randomUUID } from "node:crypto";
import { test } from "node:test";
import { createDatabase, type Database, type Pool } from "@belfry/database/connection";
import {
  acceptEvents,
  type EventToAccept,
  refuseEvents,
} from "@belfry/database/functions/accept-events";
import { cancelEvents, eventsToCancel } from "@belfry/database/functions/cancel-events";
import { claimDeliveries, type DeliveryToClaim } from "@belfry/database/functions/claim-deliveries";
import { forgetEmptyChannels, healChannels } from "@belfry/database/functions/realtime-channels";
import { preferencesOf } from "@belfry/database/functions/recipients";
import { settleDeliveries } from "@belfry/database/functions/settle-deliveries";
import { renewLeases } from "@belfry/sending/leases";
import { connectedDatabase } from "@belfry/testing/database";
import { readsAtMost } from "@belfry/testing/rows-read";
import { settlement } from "./settlement.ts";

const ROWS = 20_000;

async function filled(
  t: test.TestContext,
  plan?: (pool: Pool) => Promise<void>,
): Promise<{ pool: Pool; db: Database }> {
  const { pool, db } = await connectedDatabase(t, { maxConnections: 1 });
  await pool.query("insert into tenants (id, name, per_minute) values ('a', 'A', 100000)");
  await pool.query("insert into tenant_limits (tenant_id) values ('a')");
  // The connection's plans are made here, where every table is known to be empty, and must stay good.
  await pool.query("analyze");
  const [first] = await acceptEvents(pool, [event(randomUUID())]);
  assert.equal(first?.outcome, "accepted");
  await refuseEvents(pool, [first?.eventId ?? ""]);
  await plan?.(pool);
  await pool.query(
    `insert into notifications (id, tenant_id, user_id, event_type, title, body, channel_name,
       channel_offset, created_at, read_at)
     select gen_random_uuid(), 'a', 'user-' || n % 200, 'x', 't', 'b', 'personal', n,
            now() - make_interval(secs => n), case when n % 3 > 0 then now() end
     from generate_series(1, $1::integer) n`,
    [ROWS],
  );
  await pool.query(
    `with e as (
       insert into events (id, tenant_id, event_type, user_id, trace_id, accepted_at, dispatched_at)
       select gen_random_uuid(), 'a', 'x', 'u', 't', now(), now() from generate_series(1, $1::integer)
       returning id)
     insert into dedup_keys
     select 'a', sha256(('k' || row_number() over ())::bytea), id, 'x', 'A', now() from e`,
    [ROWS],
  );
  await pool.query("insert into undispatched_events select id, now() from events limit 10000");
  return { pool, db };
}

function event(key: string): EventToAccept {
  return {
    tenantId: "a",
    dedupKey: hash("sha256", key),
    id: randomUUID(),
    eventType: "x",
    userId: "u",
    reference: null,
    recipientEmail: null,
    recipientPhone: null,
    options: null,
    variables: "{}",
    traceId: "t",
  };
}

for (const analyzed of [false, true]) {
  const how = analyzed ? "with statistics" : "before the first statistics";
  test(`accepting a batch reads its own rows by index, ${how}`, async (t) => {
    const { pool } = await filled(t);
    if (analyzed) await pool.query("analyze");
    // Every second one is known already.
    const batch = Array.from({ length: 200 }, (_, i) =>
      event(i % 2 === 0 ? `k${i + 1}` : randomUUID()),
    ).sort((a, b) => (a.dedupKey < b.dedupKey ? -1 : 1));
    const work = async (client: Pool) => {
      const results = await acceptEvents(client, batch);
      assert.equal(results.filter((result) => result.outcome === "replayed").length, 100);
      await refuseEvents(client, [batch[0]!.id]);
    };
    await readsAtMost(pool, 500, ["events", "dedup_keys", "undispatched_events"], work);
  });
}

test("claiming, renewing leases and settling read their own rows by index", async (t) => {
  const { pool } = await filled(t, async (pool) => {
    await pool.query(
      "insert into templates (id, tenant_id, event_type, channel) values (gen_random_uuid(), 'a', 'x', 'EMAIL')",
    );
    await pool.query(
      `insert into template_versions (template_id, version, content, compiled) select id, 1, '', '{}' from templates where tenant_id = 'a'`,
    );
    await sendOnce(pool, [{ id: randomUUID(), tenantId: "a", provider: null }]);
  });
  await pool.query(
    `insert into deliveries (id, event_id, tenant_id, channel, template_version_id, released_at, due_at)
     select gen_random_uuid(), e.id, 'a', 'EMAIL', (select max(id) from template_versions), now(), now() from events e`,
  );
  await pool.query(
    "insert into attempts (delivery_id, number, provider_kind, started_at) select id, 99, 'x', now() from deliveries",
  );
  const { rows } = await pool.query<{ id: string }>("select id from deliveries limit 100");
  const provider = { id: randomUUID(), kind: "sandbox" };
  const work = async (client: Pool) => {
    const settled = await sendOnce(
      client,
      rows.map(({ id }) => ({ id, tenantId: "a", provider })),
    );
    assert.equal(settled, 100);
  };
  const tables = ["events", "deliveries", "attempts", "template_versions", "tenants"];
  await readsAtMost(pool, 700, tables, work);
});

async function sendOnce(pool: Pool, batch: DeliveryToClaim[]): Promise<number> {
  const claimed = await claimDeliveries(pool, batch, {
    channel: "EMAIL",
    leaseMs: 1000,
    maxRetries: 7,
  });
  await renewLeases(
    pool,
    batch.map(({ id }) => ({ id, attempt: 1 })),
    1000,
  );
  const settled = await settleDeliveries(
    pool,
    batch.map(({ id }, at) => {
      const claim = claimed[at];
      return settlement(id, {
        attempt: claim?.becomes === "sending" ? claim.delivery.attempt : 1,
      });
    }),
  );
  return settled.size;
}

test("forgetting and healing realtime channels read their own rows by index", async (t) => {
  const { pool } = await filled(t, async (pool) => {
    await forgetEmptyChannels(pool, undefined, 1);
  });
  await pool.query(
    `insert into realtime_channels
     select 'a', 'user-' || lpad(n::text, 5, '0'), 'personal', 1 from generate_series(1, $1::integer) n`,
    [ROWS],
  );
  const keys = Array.from({ length: 200 }, (_, n) => ({
    tenantId: "a",
    userId: `user-${n}`,
    name: "personal",
  }));
  for (const [name, work, most] of [
    ["look", (client: Pool) => forgetEmptyChannels(client, undefined, 200), 1300],
    ["heal", (client: Pool) => healChannels(client, keys), 500],
  ] as const) {
    const tables = ["realtime_channels", "notifications", "realtime_resets"];
    await readsAtMost(pool, most, tables, work, name);
  }
});

test("what a user wants is asked of its own rows, by index", async (t) => {
  const ask = (client: Pool) =>
    preferencesOf(
      client,
      Array.from({ length: 300 }, (_, n) => ({
        ...{ tenantId: "a", userId: `user-${n}`, eventType: `type-${n % 100}` },
        channels: ["EMAIL", "SMS", "PUSH"],
      })),
    );
  const { pool } = await filled(t, async (pool) => void (await ask(pool)));
  await pool.query(
    `insert into categories (tenant_id, key, label, description)
     select 'a', 'c' || n, '{"": "C"}', '{}' from generate_series(1, 100) n`,
  );
  await pool.query(
    "insert into event_type_categories select 'a', 'type-' || n, 'c' || n % 100 + 1 from generate_series(1, 5000) n",
  );
  await pool.query(
    `insert into preferences
     select 'a', 'user-' || n / 20, 'c' || n % 20, 'EMAIL', n % 3 = 0, 'api', now() from generate_series(1, $1::integer) n`,
    [ROWS],
  );
  for (const analyzed of [false, true]) {
    if (analyzed) await pool.query("analyze");
    const tables = ["preferences", "categories", "event_type_categories"];
    await readsAtMost(pool, 900, tables, ask);
  }
});

for (const [users, analyzed] of [
  [null, false],
  [null, true],
  [["user-7"], false],
  [["user-7"], true],
] as const) {
  const whose = users === null ? "of all users" : "of one user";
  const how = analyzed ? ", where the statistics know no key" : "";
  test(`a cancel of a key with many events reads those that it stops, ${whose}${how}`, async (t) => {
    const choice = { tenantId: "a", keys: ["k"], ids: [], references: [], users, most: 100 };
    const { pool, db } = await filled(t, async (pool) => {
      const empty = createDatabase(pool);
      await cancelEvents(
        empty,
        "a",
        (await eventsToCancel(empty, choice)).map(() => ""),
      );
    });
    if (analyzed) await pool.query("analyze");
    await pool.query(
      `with e as (
         insert into events (id, tenant_id, event_type, user_id, trace_id, accepted_at, dispatched_at, cancel_key,
           cancel_asked_at)
         select gen_random_uuid(), 'a', 'x', 'user-' || n % 50, 't', now(), now(), 'k',
           -- Half of them a cancel has looked at.
           case when n % 100 < 50 then now() end
         from generate_series(1, $1::integer) n returning id)
       insert into deliveries (id, event_id, tenant_id, channel, template_version_id, due_at)
       select gen_random_uuid(), id, 'a', 'EMAIL', 1, now() from e`,
      [ROWS],
    );
    await pool.query(
      "insert into attempts (delivery_id, number, provider_kind, started_at, class) select id, 1, 'x', now(), 'transient' from deliveries",
    );
    // As after any change of the table: plans are made anew, whatever the statistics know.
    await pool.query("discard plans");
    const found = await eventsToCancel(db, choice);
    const left = found.filter(({ id }) => id === null).map(({ isNew }) => isNew);
    assert.deepEqual([found.length, left], [102, [true, false]]);
    const work = async (client: Pool) => {
      const names = ["a", ["k"], [], [], users, 100];
      await client.query("select * from events_to_cancel($1, $2, $3, $4, $5, $6)", names);
      const ids = found.flatMap(({ id }) => id ?? []);
      const { rowCount } = await client.query("select * from cancel_events('a', $1)", [ids]);
      assert.equal(rowCount, 100);
    };
    const tables = ["events", "deliveries", "attempts", "undispatched_events", "dedup_keys"];
    await readsAtMost(pool, 1500, tables, work);
  });
}

test("a cancel of 100 keys of 100 users is a few statements, and finds new events before old ones", async (t) => {
  const { pool, db } = await filled(t, async (connection) => {
    const nothing = { tenantId: "a", keys: ["k"], ids: [], references: [], users: ["u"], most: 1 };
    await eventsToCancel(createDatabase(connection), nothing);
  });
  const keys = Array.from({ length: 100 }, (_, n) => `key-${n}`);
  const users = Array.from({ length: 100 }, (_, n) => `user-${n}`);
  // Of every user, of a fifth of the keys and of one that nobody asks for; the last keys alone have new events.
  await pool.query(
    `insert into events (id, tenant_id, event_type, user_id, trace_id, accepted_at, dispatched_at, cancel_key,
       reference, cancel_asked_at)
     select gen_random_uuid(), 'a', 'x', 'user-' || u, 't', now(), now(), 'key-' || k, 'key-' || k,
       case when k < 90 then now() end
     from generate_series(0, 149) u cross join generate_series(0, 105, 5) k`,
  );
  await pool.query("set track_functions = 'all'");
  for (const [choice, own, fresh] of [
    [{ keys, references: [], users }, 1000, 200],
    [{ keys, references: [], users: null }, 1000, 300],
    [{ keys: [], references: keys, users }, 1000, 200],
    [{ keys: [], references: keys, users: null }, 1000, 300],
    [{ keys: ["key-0", "key-1"], references: [], users: ["user-1", "user-149"] }, 2, 0],
  ] as const) {
    await pool.query("begin");
    const before = await calledFunctions(pool);
    const found = await eventsToCancel(db, { tenantId: "a", ids: [], most: 1000, ...choice });
    const calls = (await calledFunctions(pool)) - before;
    await pool.query("rollback");
    const ids = found.filter(({ id }) => id !== null);
    const what = JSON.stringify([
      choice.keys.length,
      choice.references.length,
      choice.users?.length,
    ]);
    assert.equal(new Set(ids.map(({ id }) => id)).size, own, what);
    assert.equal(ids.length, own, what);
    assert.ok(calls <= 3, `${calls} calls, ${what}`);
    const isNew = ids.map((one) => one.isNew);
    assert.deepEqual(isNew, [...isNew].sort().reverse(), what);
    assert.equal(isNew.filter(Boolean).length, fresh, what);
    assert.equal(
      found.some(({ id, isNew: one }) => id === null && one === false),
      own === 1000,
      what,
    );
  }
});

/** Calls of functions that this transaction and those shortly before it have made. */
async function calledFunctions(pool: Pool): Promise<number> {
  const { rows } = await pool.query(
    "select coalesce(sum(calls), 0)::integer as calls from pg_stat_xact_user_functions",
  );
  return rows[0].calls;
}
