import { test } from "node:test";
import type { Pool } from "@belfry/database/connection";
import { countChunks, dueBroadcasts, expandBroadcast } from "@belfry/database/functions/broadcasts";
import {
  dispatchEvents,
  type NewDelivery,
  readDispatchedBefore,
  readEvents,
} from "@belfry/database/functions/dispatch-events";
import { releaseAgain, releaseDeliveries } from "@belfry/database/functions/release-deliveries";
import type { TestPool } from "@belfry/testing/database";
import { readsAtMost } from "@belfry/testing/rows-read";
import { uuidv7 } from "uuidv7";
import { type DispatcherUnderTest, dispatcherUnderTest } from "../test/dispatcher-under-test.ts";
import { readStalledSeconds } from "./dispatcher-metrics.ts";
import { timedExpiries } from "./expiry.ts";
import { takeStuckEvents, tenantsAbove } from "./sweeper.ts";
import { createRestLook } from "./wake-loop.ts";

/** No table is read whole, and the rows that are read are those of the batch, whatever the table's size. */
const TABLES = [
  ...["events", "undispatched_events", "deliveries", "notifications", "realtime_channels"],
  ...["dedup_keys", "digests", "digest_items", "throttles"],
  ...["broadcasts", "broadcast_chunks", "topic_members"],
];

/** 30,000 dispatched events, a backlog of 20,000 deliveries of 200 tenants; statistics old and new. */
async function filled(t: Parameters<typeof dispatcherUnderTest>[0], analyzed: boolean) {
  const under = await dispatcherUnderTest(t);
  const { pool } = under;
  // The connection's plans are made here, while every table is known to be empty, and must stay good.
  await pool.query("analyze");
  const first = await worksOn(under, "first", 1);
  for (const [, most, work] of first) await readsAtMost(pool, most, TABLES, work);
  await pool.query(
    `insert into tenants (id, name, per_minute) select 'tenant' || n, 'x', 1 from generate_series(1, 200) n`,
  );
  await pool.query(
    `with e as (
       insert into events (id, tenant_id, event_type, user_id, trace_id, accepted_at, dispatched_at)
       select gen_random_uuid(), 'tenant' || (n % 200 + 1), 'x', 'user' || n % 1000, 't', now(), now()
       from generate_series(1, 30000) n returning id, tenant_id, user_id),
     d as (
       insert into deliveries (id, event_id, tenant_id, channel, template_version_id, due_at, released_at, status)
       select gen_random_uuid(), e.id, e.tenant_id, 'EMAIL', 1, now(),
              case when n % 30 = 0 then now() end, case when n % 3 = 1 then 'accepted' else 'queued' end
       from (select *, row_number() over () as n from e) e),
     c as (
       insert into realtime_channels select distinct tenant_id, user_id, 'personal', 1000000 from e)
     insert into notifications (id, tenant_id, user_id, event_type, title, body, channel_name,
       channel_offset, created_at)
     select e.id, e.tenant_id, e.user_id, 'x', 't', 'b', 'personal', row_number() over (), now() from e`,
  );
  await pool.query(
    `insert into dedup_keys select 'tenant1', int4send(n), gen_random_uuid(), 'x', 'x', now()
     from generate_series(1, 20000) n`,
  );
  await pool.query(
    `with g as (
       insert into digests (id, tenant_id, event_type, channel, user_id, recipient, locale, key, opened_at,
         window_ends_at, closed_at)
       select e.id, 'acme', 'x', 'EMAIL', e.user_id, 'ann@example.com', '', n::text, now(), now(),
              case when n % 2 = 0 then now() end
       from (select *, row_number() over () as n from events) e returning id)
     insert into digest_items (digest_id, event_id, added_at) select id, id, now() from g`,
  );
  await pool.query(
    `insert into throttles select 'acme', 'user' || n, 'x', 'EMAIL', array[now()], now()
     from generate_series(1000, 20000) n`,
  );
  await pool.query(
    "insert into undispatched_events select gen_random_uuid(), now() from generate_series(1, 5000)",
  );
  await fillBroadcasts(pool);
  if (analyzed) await pool.query("analyze");
  return under;
}

/** A topic of 20,000 members; 500 broadcasts that have ended with 5,000 chunks; 10,000 mails at rest of one that is paused. */
async function fillBroadcasts(pool: TestPool): Promise<void> {
  await pool.query(
    `insert into topic_members select 'acme', 'news', 'user' || n from generate_series(1, 20000) n`,
  );
  await pool.query(
    `with b as (
       insert into broadcasts (id, tenant_id, state, event_type, trace_id, total, is_expanded, ended_at)
       select gen_random_uuid(), 'tenant' || (n % 200 + 1), 'done', 'x', 't', 10, true, now()
       from generate_series(1, 500) n returning id)
     insert into broadcast_chunks (broadcast_id, number, event_ids, is_open, created_at, count_at)
     select b.id, n, '{}', false, now(), case when n < 5 then now() + interval '1 hour' end
     from b, generate_series(1, 10) n`,
  );
  await pool.query(
    `with b as (
       insert into broadcasts (id, tenant_id, state, event_type, trace_id, total)
       values (gen_random_uuid(), 'tenant1', 'paused', 'x', 't', 10000) returning id)
     insert into deliveries (id, event_id, tenant_id, channel, due_at, status, broadcast_id)
     select gen_random_uuid(), gen_random_uuid(), 'tenant1', 'EMAIL', now(), 'queued', b.id
     from b, generate_series(1, 10000) n`,
  );
}

/** With a digest and a throttle, one user per place. */
const timedAt = (place: number) => (delivery: NewDelivery) => ({
  ...delivery,
  timing: {
    ...{ userId: `user${place}`, eventType: "x", zone: null, sensitive: false },
    throttle: { count: 10, seconds: 60 },
    digest: {
      ...{ id: uuidv7(), locale: "", key: "", windowSeconds: 60, sliding: true, maxSeconds: 600 },
    },
  },
});

/** The dispatcher's regular queries, and how many rows of a table each may read. */
async function worksOn(
  under: DispatcherUnderTest,
  tenantId: string,
  events: number,
): Promise<[string, number, (pool: Pool) => Promise<unknown>][]> {
  const tenant = await under.tenant({ id: tenantId });
  await under.templates(tenant, "x");
  await under.pool.sql`insert into topics (tenant_id, key) values (${tenant}, 'news')`;
  const setups = Array.from({ length: events }, (_, at) => ({ userId: `user${at}` }));
  const ids = await under.events(tenant, ...setups);
  const stored = await readEvents(under.pool, ids);
  const batch = stored.map((event) => ({
    eventId: event.id,
    acceptedAtText: event.acceptedAtText,
    outcome: null,
    eraseVariables: false,
    isSensitive: false,
    deliveries: (["EMAIL", "SMS"] as const).map((channel) => ({
      id: uuidv7(),
      tenantId: tenant,
      channel,
      recipient: "ann@example.com",
      templateVersionId: "1",
      expiresAt: null,
    })),
    push: {
      tenantId: tenant,
      userId: event.userId,
      eventType: "x",
      title: "t",
      body: "b",
      channelName: "personal",
    },
  }));
  return [
    ["read", 100, (pool) => readEvents(pool, ids)],
    [
      "dispatch",
      400,
      (pool) => dispatchEvents(pool, batch, { inFlightPerTenant: 100, inTurn: true }),
    ],
    [
      "dispatch timed",
      900,
      async (pool) => {
        // Twice, because the first opens the digest that the second joins.
        for (const part of [batch.slice(0, events / 2), batch.slice(events / 2)]) {
          const timed = part.map((one, at) => ({
            ...one,
            deliveries: one.deliveries.map(timedAt(at)),
          }));
          await dispatchEvents(pool, timed, { inFlightPerTenant: 100, inTurn: true });
        }
      },
    ],
    ["read again", 100, (pool) => readDispatchedBefore(pool, ids)],
    [
      "release",
      // In a backlog of 18,000: the released rows, twice, and a few more rows for each of 200 tenants.
      4000,
      (pool) =>
        releaseDeliveries(pool, {
          channel: "EMAIL",
          inFlightPerTenant: 8,
          after: "",
          most: 2000,
        }),
    ],
    ["at rest", 10, (pool) => createRestLook(pool)()],
    [
      "broadcast",
      // For a chunk of 20: the members, the events, their rows and templates.
      400,
      async (pool) => {
        const { rows } = await pool.query(
          `insert into broadcasts (id, tenant_id, state, event_type, topics, trace_id, total, next_at)
           values ($1, $2, 'running', 'x', '{news}', 't', 10, now()) returning id, channels`,
          [uuidv7(), tenant],
        );
        await dueBroadcasts(pool);
        await expandBroadcast(pool, rows[0], { dayShare: 1 });
        await countChunks(pool);
      },
    ],
    ["stalled broadcasts", 10, (pool) => readStalledSeconds(pool)],
    [
      "release again",
      2500,
      (pool) => releaseAgain(pool, { channel: "EMAIL", olderThanMs: 0, most: 100 }),
    ],
    [
      "stuck",
      250,
      (pool) =>
        takeStuckEvents(pool, {
          olderThanMs: 0,
          after: "00000000-0000-0000-0000-000000000000",
          most: 50,
        }),
    ],
    ["tenants above", 250, (pool) => tenantsAbove(pool, new Map([[tenantId, ids.at(-1)!]]), 100)],
    [
      "expire",
      300,
      async (pool) => {
        for (const expiry of timedExpiries(30, new Date())) {
          if (expiry.table === "dedup_keys") await expiry.run(pool, 100);
        }
      },
    ],
  ];
}

for (const analyzed of [true, false]) {
  const how = analyzed ? "with statistics" : "before the first statistics";
  test(`dispatching, releasing and sweeping read by index only, ${how}`, async (t) => {
    const under = await filled(t, analyzed);
    for (const [what, most, work] of await worksOn(under, "acme", 100)) {
      await readsAtMost(under.pool, most, TABLES, work, what);
    }
  });
}
