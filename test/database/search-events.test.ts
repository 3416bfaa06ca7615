import assert from "node:assert/strict";
import { test } from "node:test";
import { countActivity } from "@belfry/admin/tenant/count-activity";
import { quotaUsed } from "@belfry/admin/tenant/quota-used";
import { searchEvents } from "@belfry/administration/events/search-events";
import { activitySums } from "@belfry/administration/health/activity-sums";
import { idAt } from "@belfry/administration/pages";
import type { Database } from "@belfry/database/connection";
import type { Cleanup } from "@belfry/testing/cleanup";
import { connectedDatabase } from "@belfry/testing/database";
import { aDelivery, anAttempt } from "@belfry/testing/rows";

const START = Date.parse("2026-03-01T10:00:00.000Z");
const SECOND = 1000;

test("pages of events follow one another without a gap, newest first, and never show another tenant's", async (t) => {
  const db = await withEvents(t, 7);
  const seen: string[] = [];
  let before: string | undefined;
  for (;;) {
    const page = await searchEvents(db, { tenantId: "a", limit: 3, before });
    seen.push(...page.events.map((event) => event.userId));
    before = page.next;
    if (before === undefined) break;
  }
  assert.deepEqual(seen, ["u6", "u5", "u4", "u3", "u2", "u1", "u0"]);
  assert.deepEqual((await searchEvents(db, { tenantId: "b", limit: 3 })).events, []);
});

test("a search finds by user, type, trace id, time, channel and state", async (t) => {
  const db = await withEvents(t, 7);
  const found = async (search: object) =>
    (await searchEvents(db, { tenantId: "a", limit: 10, ...search })).events.map(
      (one) => one.userId,
    );
  assert.deepEqual(await found({ userId: "u3" }), ["u3"]);
  assert.deepEqual(await found({ eventType: "even", userId: "u3" }), []);
  assert.deepEqual(await found({ traceId: "t3" }), ["u3"]);
  assert.deepEqual(await found({ traceId: "t3", userId: "u4" }), []);
  assert.deepEqual(await found({ from: at(5), to: at(6) }), ["u5"]);
  assert.deepEqual(await found({ status: "failed" }), ["u2"]);
  assert.deepEqual(await found({ status: "failed", channel: "SMS" }), []);
  assert.deepEqual(await found({ status: "sent", channel: "EMAIL" }), ["u1"]);
  assert.deepEqual(await found({ status: "skipped", channel: "SMS" }), ["u4"]);
  assert.deepEqual(await found({ status: "undispatched" }), ["u6"]);
});

test("five minutes are counted by channel, with the time to the provider, and again when something moved", async (t) => {
  const db = await withEvents(t, 7);
  assert.equal(await countActivity(db, [START]), true);
  const wanted = { range: "hour", since: new Date(START), groupings: ["channel"] } as const;
  const read = async () =>
    Object.fromEntries((await activitySums(db, "a", wanted)).map((row) => [row.name, row]));
  const { ALL, EMAIL } = await read();
  assert.deepEqual([ALL?.accepted, ALL?.waiting], [7, 1]);
  assert.deepEqual([EMAIL?.sent, EMAIL?.failed, EMAIL?.latencies.at(-1)], [1, 1, 1]);
  // Three seconds: within the bound of 5, not within that of 2.
  assert.deepEqual(EMAIL?.latencies.slice(4, 6), [0, 1]);
  // Replayed, and taken.
  for (const [from, to] of [
    ["failed", "queued"],
    ["queued", "accepted"],
  ] as const) {
    await db.updateTable("deliveries").set({ status: to }).where("status", "=", from).execute();
  }
  await countActivity(db, [START]);
  const again = await read();
  assert.deepEqual([again.EMAIL?.sent, again.EMAIL?.failed], [2, 0]);
  const { minute, day } = await quotaUsed(db, "a");
  assert.deepEqual({ minute, day }, { minute: 0, day: 0 });
});

function at(second: number): Date {
  return new Date(START + second * SECOND);
}

/** One event a second: u1 was sent by EMAIL, u2 failed there, u4 was skipped on SMS, u6 is not dispatched. */
async function withEvents(t: Cleanup, count: number): Promise<Database> {
  const { db } = await connectedDatabase(t, { maxConnections: 2 });
  const ids = Array.from({ length: count }, (_, index) => idAt(at(index)));
  await db
    .insertInto("events")
    .values(
      ids.map((id, index) => ({
        id,
        tenant_id: "a",
        event_type: index % 2 === 0 ? "even" : "odd",
        user_id: `u${index}`,
        trace_id: `t${index}`,
        accepted_at: at(index),
        dispatched_at: index === 6 ? null : at(index),
        outcome: index === 4 ? JSON.stringify({ skipped: { SMS: "no recipientPhone" } }) : null,
      })),
    )
    .execute();
  for (const [index, status] of [
    [1, "accepted"],
    [2, "failed"],
  ] as const) {
    const id = ids[index]!;
    await aDelivery(db, { id, event_id: id, tenant_id: "a", status });
    await anAttempt(db, {
      delivery_id: id,
      started_at: at(index),
      ended_at: at(index + 3),
      class: status === "accepted" ? "accepted" : "permanent",
    });
  }
  return db;
}
