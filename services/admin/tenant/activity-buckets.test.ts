import assert from "node:assert/strict";
import { test } from "node:test";
import { idAt } from "@belfry/administration/pages";
import { connectedDatabase } from "@belfry/testing/database";
import { uuidv7 } from "uuidv7";
import { bucketsOfTenant, countBucket, LATENCY_BOUNDS } from "./activity-buckets.ts";

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
  assert.equal(await countBucket(db, startsAt), true);
  const buckets = await bucketsOfTenant(db, "a", startsAt);
  const mails = buckets.find(({ channel }) => channel === "EMAIL");
  assert.equal(mails?.sent, 3);
  assert.equal(mails?.latencies[LATENCY_BOUNDS.indexOf(0.5)], 1);
  assert.equal(mails?.latencies.at(-1), 2);
});
