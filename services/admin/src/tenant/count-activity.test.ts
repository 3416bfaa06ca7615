import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type ActivitySum,
  activitySums,
  GROUPINGS,
  LATENCY_BOUNDS,
  MEASURES,
  MOST_GROUPS,
  OTHER,
} from "@belfry/administration/health/activity-sums";
import { idAt } from "@belfry/administration/pages";
import { CHANNELS } from "@belfry/contracts/channels";
import type { Pool } from "@belfry/database/connection";
import { connectedDatabase } from "@belfry/testing/database";
import { aDelivery, anAttempt, anEvent } from "@belfry/testing/rows";
import { uuidv7 } from "uuidv7";
import { BUCKET_MS, bucketsToCount, countActivity, restMs } from "./count-activity.ts";

test("what rested or waited on purpose counts as sent, and its rest as no latency", async (t) => {
  const { db, pool } = await connectedDatabase(t);
  const startsAt = new Date("2026-01-01T00:00:00Z");
  const later = (seconds: number) => new Date(startsAt.getTime() + seconds * 1000);
  const sent = async (place: number, restSeconds: number | null, unlessRead: boolean | null) => {
    const event = await anEvent(pool, {
      id: `${idAt(startsAt).slice(0, -1)}${place}`,
      accepted_at: startsAt,
      released_at: restSeconds === null ? null : later(restSeconds),
    });
    const accepted = { event_id: event, status: "accepted", unless_read: unlessRead } as const;
    const call = { started_at: startsAt, ended_at: later(1200.5), class: "accepted" } as const;
    await anAttempt(pool, { ...call, delivery_id: await aDelivery(pool, accepted) });
  };
  await sent(1, null, null);
  await sent(2, 1200, null);
  await sent(3, 600, true);
  assert.equal(await countActivity(db, [startsAt.getTime()]), true);
  const wanted = { range: "month", since: startsAt, groupings: ["channel"] } as const;
  const mails = (await activitySums(db, "acme", wanted)).find(({ name }) => name === "EMAIL");
  assert.equal(mails?.sent, 3);
  assert.equal(mails?.latencies[LATENCY_BOUNDS.indexOf(0.5)], 1);
  assert.equal(mails?.latencies.at(-1), 2);
});

test("messages are counted by channel, provider, template, event type and reason, and over all tenants", async (t) => {
  const { db, pool } = await connectedDatabase(t);
  const startsAt = new Date("2026-01-01T00:00:00Z");
  const provider = uuidv7();
  await pool.query(
    "insert into tenants (id, name, per_minute) values ('a', 'A', 1), ('b', 'B', 1)",
  );
  await pool.query(
    `insert into providers (id, tenant_id, channel, kind, name, settings, masked_settings)
     values ($1, 'a', 'EMAIL', 'smtp', 'our own', '', '{}')`,
    [provider],
  );
  const none = Object.fromEntries(CHANNELS.map((channel) => [channel, "#no-template"]));
  /** An event of a tenant with a mail of this state, or none; and its outcome. */
  const mail = async (tenantId: string, status: string | null, outcome: object = {}) => {
    const id = idAt(startsAt).slice(0, 24) + uuidv7().slice(24);
    const then = { id, accepted_at: startsAt, dispatched_at: startsAt };
    const of = { tenant_id: tenantId, event_type: "order" };
    await anEvent(pool, { ...then, ...of, outcome: JSON.stringify(outcome) });
    if (status === null) return;
    await pool.query(
      `insert into deliveries (id, event_id, tenant_id, channel, status, reason, provider_id)
       values ($1, $1, $2, 'EMAIL', $3, $4, $5)`,
      [id, tenantId, status, "#read-in-inbox", tenantId === "a" ? provider : null],
    );
  };
  await mail("a", "delivered", { skipped: { SMS: '#no-address {"field":"recipientPhone"}' } });
  await mail("a", "bounced", { skipped: { SMS: "#no-template" } });
  await mail("a", "skipped");
  await mail("a", "waiting", { failed: { PUSH: "#variable-missing" } });
  await mail("a", null, { skipped: none });
  await mail("b", "failed");
  await countActivity(db, [startsAt.getTime()]);

  const shown = async (tenantId: string) => {
    const wanted = { range: "day", since: startsAt, groupings: GROUPINGS } as const;
    const rows = await activitySums(db, tenantId, wanted);
    const figures = (row: ActivitySum) =>
      MEASURES.flatMap((one) => (row[one] > 0 ? [`${row[one]} ${one}`] : [])).join(", ");
    return Object.fromEntries(rows.map((row) => [`${row.groupedBy} ${row.name}`, figures(row)]));
  };
  const email = "1 sent, 1 delivered, 1 failed, 1 skipped, 1 waiting";
  assert.deepEqual(await shown("a"), {
    "channel ALL": "5 accepted, 1 skipped",
    "channel EMAIL": email,
    "channel PUSH": "1 failed",
    "channel SMS": "1 skipped",
    "provider smtp our own": email,
    "template order EMAIL": email,
    "template order PUSH": "1 failed",
    "template order SMS": "1 skipped",
    "type order": "5 accepted, 1 sent, 1 delivered, 2 failed, 3 skipped, 1 waiting",
    "reason ALL no-template": "1 accepted, 1 skipped",
    "reason EMAIL bounced": "1 failed",
    "reason EMAIL read-in-inbox": "1 skipped",
    "reason PUSH variable-missing": "1 failed",
    "reason SMS no-address": "1 skipped",
  });
  const all = await shown("platform");
  assert.equal(all["channel ALL"], "6 accepted, 1 skipped");
  assert.equal(all["reason EMAIL untried"], "1 failed");
  assert.equal(all["tenant b"], "1 accepted, 1 failed");
  assert.equal(all["provider smtp"], email);
});

test("of many groups those that fail most are kept, and the others are one", async (t) => {
  const { db, pool } = await connectedDatabase(t);
  const startsAt = new Date("2026-01-01T00:00:00Z");
  await pool.query(
    `insert into events (id, tenant_id, event_type, user_id, trace_id, accepted_at, outcome)
     select overlay($1::text placing lpad(n::text, 12, '0') from 25)::uuid, 'a', 'type-' || n, 'u', 't', $2,
            case n when 99 then '{"failed": {"EMAIL": "#variable-missing"}}' else '{}' end::jsonb
     from generate_series(1, 99) n`,
    [idAt(startsAt), startsAt],
  );
  await countActivity(db, [startsAt.getTime()]);
  const wanted = { range: "hour", since: startsAt, groupings: ["type"] } as const;
  const rows = await activitySums(db, "a", wanted);
  assert.equal(rows.length, MOST_GROUPS + 1);
  assert.ok(rows.some(({ name }) => name === "type-99"));
  assert.equal(rows.find(({ name }) => name === OTHER)?.accepted, 99 - MOST_GROUPS);
});

const CURRENT = Date.parse("2026-03-02T12:00:00Z");
const AGAIN = [12 * 60, 60, 15].map((minutes) => CURRENT - minutes * 60_000);

async function storeEvent(pool: Pool, at: number): Promise<void> {
  await anEvent(pool, { id: idAt(new Date(at)), accepted_at: new Date(at), dispatched_at: null });
}

test("the pause grows with the work before it, to a minute at most, and is never shorter than the setting", () => {
  const works = [0, 50, 200, 5 * 60_000];
  assert.deepEqual(
    works.map((workMs) => restMs(workMs, 10_000)),
    [10_000, 10_000, 20_000, 60_000],
  );
  assert.equal(restMs(5 * 60_000, 90_000), 90_000);
});

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
  // An event from a replica whose clock is ahead.
  await storeEvent(pool, CURRENT + BUCKET_MS);
  const inOrder = (...buckets: number[]) => [...AGAIN, ...buckets].sort((a, b) => a - b);
  const missed = [first, first + BUCKET_MS, digest];
  assert.deepEqual(await bucketsToCount(db, CURRENT), inOrder(...missed, CURRENT));
  assert.equal(await countActivity(db, missed), true);
  // The newest that has figures, which may not have been whole.
  const left = [first + BUCKET_MS, digest, CURRENT];
  assert.deepEqual(await bucketsToCount(db, CURRENT), inOrder(...left));
});
