import assert from "node:assert/strict";
import { test } from "node:test";
import { activitySums, LATENCY_BOUNDS } from "@belfry/administration/health/activity-sums";
import { idAt } from "@belfry/administration/pages";
import type { Pool } from "@belfry/database/connection";
import { connectedDatabase } from "@belfry/testing/database";
import { uuidv7 } from "uuidv7";
import { BUCKET_MS, bucketsToCount, countActivity } from "./count-activity.ts";

test("what rested or waited on purpose counts as sent, and its rest as no latency", async (t) => {
  const { db, pool } = await connectedDatabase(t);
  const startsAt = new Date("2026-01-01T00:00:00Z");
  const sent = async (place: number, restSeconds: number | null, unlessRead: boolean | null) => {
    const event = `${idAt(startsAt).slice(0, -1)}${place}`;
    const delivery = uuidv7();
    await pool.query(
      `insert into events (id, tenant_id, event_type, user_id, trace_id, accepted_at, dispatched_at, released_at)
       values ($1, 'a', 'x', 'u', 't', $2, now(), $2::timestamptz + make_interval(secs => $3))`,
      [event, startsAt, restSeconds],
    );
    await pool.query(
      `insert into deliveries (id, event_id, tenant_id, channel, template_version_id, status, unless_read)
       values ($1, $2, 'a', 'EMAIL', 1, 'accepted', $3)`,
      [delivery, event, unlessRead],
    );
    await pool.query(
      `insert into attempts (delivery_id, number, provider_kind, started_at, ended_at, class)
       values ($1, 1, 'smtp', $2, $2::timestamptz + make_interval(secs => 1200.5), 'accepted')`,
      [delivery, startsAt],
    );
  };
  await sent(1, null, null);
  await sent(2, 1200, null);
  await sent(3, 600, true);
  assert.equal(await countActivity(db, [startsAt.getTime()]), true);
  const wanted = { range: "month", since: startsAt, groupings: ["channel"] } as const;
  const mails = (await activitySums(db, "a", wanted)).find(({ name }) => name === "EMAIL");
  assert.equal(mails?.sent, 3);
  assert.equal(mails?.latencies[LATENCY_BOUNDS.indexOf(0.5)], 1);
  assert.equal(mails?.latencies.at(-1), 2);
});

const CURRENT = Date.parse("2026-03-02T12:00:00Z");
const AGAIN = [12 * 60, 60, 15].map((minutes) => CURRENT - minutes * 60_000);

async function storeEvent(pool: Pool, at: number): Promise<void> {
  await pool.query(
    `insert into events (id, tenant_id, event_type, user_id, trace_id, accepted_at)
     values ($1, 'a', 'x', 'u', 't', $2)`,
    [idAt(new Date(at)), new Date(at)],
  );
}

test("nothing is counted of a day on which nothing happened, but what is counted once more", async (t) => {
  const { db, pool } = await connectedDatabase(t);
  assert.deepEqual(await bucketsToCount(db, CURRENT), AGAIN);
  await storeEvent(pool, CURRENT - 25 * 60 * 60_000);
  assert.deepEqual(await bucketsToCount(db, CURRENT), AGAIN);
});

test("what happened while no replica ran is counted, each bucket once, from its first moment to its last", async (t) => {
  const { db, pool } = await connectedDatabase(t);
  const first = CURRENT - 100 * BUCKET_MS;
  for (const at of [first, first + BUCKET_MS - 1, first + BUCKET_MS, CURRENT + BUCKET_MS - 1]) {
    await storeEvent(pool, at);
  }
  const digest = CURRENT - 50 * BUCKET_MS;
  await pool.query(
    `insert into digests (id, tenant_id, event_type, channel, user_id, recipient, locale, key, opened_at, window_ends_at)
     values ($1, 'a', 'x', 'EMAIL', 'u', 'ann@example.com', '', 'k', $2, $2)`,
    [idAt(new Date(digest + 7)), new Date(digest)],
  );
  // Of a replica whose clock is ahead.
  await storeEvent(pool, CURRENT + BUCKET_MS);
  const inOrder = (...buckets: number[]) => [...AGAIN, ...buckets].sort((a, b) => a - b);
  const missed = [first, first + BUCKET_MS, digest];
  assert.deepEqual(await bucketsToCount(db, CURRENT), inOrder(...missed, CURRENT));
  assert.equal(await countActivity(db, missed), true);
  // The newest that has figures, which may not have been whole.
  const left = [first + BUCKET_MS, digest, CURRENT];
  assert.deepEqual(await bucketsToCount(db, CURRENT), inOrder(...left));
});
