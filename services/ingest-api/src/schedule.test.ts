import assert from "node:assert/strict";
import { test } from "node:test";
import { createTenant, updateTenant } from "@belfry/administration/tenants/tenants";
import { noteInstallationDays } from "@belfry/database/configuration-version";
import { wakeEvents } from "@belfry/database/functions/release-deliveries";
import { PublishFault } from "@belfry/service/publish";
import { assertEach } from "@belfry/testing/assert-each";
import { assertHas } from "@belfry/testing/assert-has";
import { connectedDatabase } from "@belfry/testing/database";
import { acceptorUnderTest, appUnderTest } from "../test/app-under-test.ts";

const DAY_MS = 86_400_000;

/** The API while NATS is away: nothing can be published. */
async function setUp(t: test.TestContext) {
  const { pool, db } = await connectedDatabase(t);
  let published = 0;
  const acceptor = acceptorUnderTest(t, pool, {
    publishIds() {
      published += 1;
      return Promise.reject(new PublishFault("disconnected", "away"));
    },
  });
  const { app, directory } = await appUnderTest(db, { acceptor });
  t.after(() => app.close());
  const tenant = async (settings: Parameters<typeof updateTenant>[2] = {}) => {
    const made = await createTenant(db, { name: "Acme" });
    if (Object.keys(settings).length > 0) await updateTenant(db, made.id, settings);
    return made;
  };
  const call = async (
    apiKey: string,
    method: "GET" | "POST" | "PATCH",
    path: string,
    body?: object,
    headers = {},
  ) => {
    const {
      statusCode,
      json,
      headers: given,
    } = await app.inject({
      method,
      url: `/api/v1/events${path}`,
      headers: {
        "x-api-key": apiKey,
        ...(body ? { "content-type": "application/json" } : {}),
        ...headers,
      },
      ...(body ? { payload: JSON.stringify(body) } : {}),
    });
    return {
      status: statusCode,
      body: json(),
      id: String(given["x-event-id"]),
      replayed: given["idempotency-replayed"],
    };
  };
  const trigger = (apiKey: string, over: object, headers = {}) =>
    call(
      apiKey,
      "POST",
      "/trigger",
      { eventType: "x", payload: { userId: "u1" }, ...over },
      headers,
    );
  return { pool, db, directory, tenant, call, trigger, published: () => published };
}

type Answer = { status: number; body: { message: unknown } };

/** Asserts that the call was refused with this one fault. A failure names the input. */
function refusedWith({ status, body }: Answer, fault: string, input?: unknown) {
  assert.deepEqual([input, status, body.message], [input, 422, [fault]]);
}

const ahead = (ms: number) => new Date(Date.now() + ms).toISOString();

test("without NATS a scheduled event is 200 and waits, an immediate one is 500", async (t) => {
  const { tenant, trigger, published, pool } = await setUp(t);
  const { apiKey } = await tenant();
  const sendAt = ahead(DAY_MS);
  const first = await trigger(apiKey, { sendAt });
  assert.equal(first.status, 200);
  for (let again = 0; again < 3; again += 1) {
    const replay = await trigger(apiKey, { sendAt });
    assert.deepEqual([replay.status, replay.id, replay.replayed], [200, first.id, "true"]);
  }
  assert.equal((await trigger(apiKey, { delaySeconds: 60 })).status, 200);
  assert.equal((await trigger(apiKey, { sendAt: ahead(-1000) })).status, 500);
  assert.equal((await trigger(apiKey, {})).status, 500);
  assert.equal(published(), 0);
  const { rows } = await pool.query("select count(*)::integer as n from scheduled_events");
  assert.equal(rows[0].n, 2);
});

const BOUNDS = [
  [1, 0, "at most 0 days from now: the inbox is kept for 1 day"],
  [9, 8, "at most 8 days from now: the inbox is kept for 9 days"],
  [10, 2, "at most 2 days from now: the inbox is kept for 10 days"],
  [30, 22, "at most 22 days from now: events are kept for 30 days"],
] as const;

for (const [days, most, words] of BOUNDS) {
  test(`with ${days} days of history an event may be scheduled ${most} days ahead`, async (t) => {
    const { tenant, trigger } = await setUp(t);
    const { apiKey } = await tenant({ notificationRetentionDays: days });
    const late = await trigger(apiKey, { sendAt: ahead(most * DAY_MS + 60_000) });
    refusedWith(late, `sendAt must be ${words}`);
    const delay = await trigger(apiKey, { delaySeconds: most * 86_400 + 1 });
    const ofDelay = words.replace(
      /^at most .*? from now/,
      `at most ${most * 86_400}, which is ${most} days`,
    );
    refusedWith(delay, `delaySeconds must be ${ofDelay}`);
    if (most === 0) return;
    assert.equal((await trigger(apiKey, { sendAt: ahead(most * DAY_MS - 60_000) })).status, 200);
    assert.equal((await trigger(apiKey, { delaySeconds: most * 86_400 })).status, 200);
  });
}

test("the dispatcher's default retention limits a tenant without its own", async (t) => {
  const { tenant, trigger, call, db, directory } = await setUp(t);
  const { apiKey } = await tenant();
  const { id } = await trigger(apiKey, { sendAt: ahead(DAY_MS) });
  await noteInstallationDays(db, { eventDays: 12, notificationDays: 90 });
  directory.clear();
  const rule = "events are kept for 12 days";
  const sendAt = ahead(4 * DAY_MS + 60_000);
  const late = await trigger(apiKey, { sendAt });
  refusedWith(late, `sendAt must be at most 4 days from now: ${rule}`);
  const moved = await call(apiKey, "PATCH", `/${id}`, { sendAt });
  refusedWith(moved, `sendAt must be at most 4 days after the event was accepted: ${rule}`);
});

test("a time needs an offset and an existing day; it and a delay exclude each other", async (t) => {
  const { tenant, trigger } = await setUp(t);
  const { apiKey } = await tenant();
  const rule = "sendAt must be a time with its offset in ISO 8601, as 2026-11-20T09:30:00+01:00";
  const times = ["2026-11-20T09:30:00", "2026-11-20", "2027-02-29T00:00:00Z"];
  for (const sendAt of [...times, "2026-11-20T24:00:00Z", "soon", "", 5, null]) {
    refusedWith(await trigger(apiKey, { sendAt }), rule, sendAt);
  }
  for (const delaySeconds of [-1, 1.5, "60", null, 1e300]) {
    const answer = await trigger(apiKey, { delaySeconds });
    refusedWith(answer, "delaySeconds must be an integer of at least 0", delaySeconds);
  }
  const both = await trigger(apiKey, { sendAt: ahead(DAY_MS), delaySeconds: 60 });
  refusedWith(both, "body must not have both sendAt and delaySeconds");
  const keyed = await trigger(apiKey, { delaySeconds: 60, cancelKey: "" });
  refusedWith(keyed, "cancelKey should not be empty");
});

test("scheduled events are listed page by page, the earliest first, without those of others", async (t) => {
  const { tenant, trigger, call } = await setUp(t);
  const [mine, other] = [await tenant(), await tenant()];
  const ids: string[] = [];
  for (const hours of [5, 4, 3, 1, 2]) {
    const over = { delaySeconds: hours * 3600, cancelKey: "k", eventId: `e${hours}` };
    ids.push((await trigger(mine.apiKey, over)).id);
  }
  await trigger(other.apiKey, { delaySeconds: 60 });
  const first = await call(mine.apiKey, "GET", "/scheduled?limit=2");
  assert.equal(first.status, 200);
  assertEach(first.body.data, (one: { id: string }) => one.id, [ids[3], ids[4]]);
  const [soonest] = first.body.data;
  const { sendAt, acceptedAt, ...rest } = soonest;
  assert.deepEqual(rest, {
    id: ids[3],
    eventId: "e1",
    eventType: "x",
    userId: "u1",
    cancelKey: "k",
  });
  assert.equal(Date.parse(sendAt) - Date.parse(acceptedAt), 3_600_000);
  const next = await call(
    mine.apiKey,
    "GET",
    `/scheduled?after=${encodeURIComponent(first.body.next)}`,
  );
  assertEach(next.body.data, (one: { id: string }) => one.id, [ids[2], ids[1], ids[0]]);
  assert.equal("next" in next.body, false);
  const bad = await call(mine.apiKey, "GET", "/scheduled?after=x");
  refusedWith(bad, "after must be the next of a page before");
  const report = await call(mine.apiKey, "GET", `/${ids[3]}`);
  assertHas(report.body, { status: "scheduled", sendAt, cancelKey: "k" });
  assert.ok(
    report.body.timeline.some((one: { what: string }) => one.what === `scheduled for ${sendAt}`),
  );
});

test("an event can be moved earlier, later and into the past while it waits, only by its tenant", async (t) => {
  const { tenant, trigger, call, pool } = await setUp(t);
  const [mine, other] = [await tenant(), await tenant()];
  const { id } = await trigger(mine.apiKey, { delaySeconds: 7200 });
  const restsUntil = async () => {
    const { rows } = await pool.query(
      `select s.send_at, e.send_at = s.send_at as same from scheduled_events s join events e on e.id = s.event_id
       where e.id = $1`,
      [id],
    );
    assert.equal(rows[0].same, true);
    return rows[0].send_at.toISOString();
  };
  for (const sendAt of [ahead(60_000), ahead(5 * DAY_MS)]) {
    const moved = await call(mine.apiKey, "PATCH", `/${id}`, { sendAt });
    assert.deepEqual([moved.status, moved.body], [200, { success: true, sendAt }]);
    assert.equal(await restsUntil(), sendAt);
  }
  const foreign = await call(other.apiKey, "PATCH", `/${id}`, { sendAt: ahead(60_000) });
  assert.equal(foreign.status, 404);
  const late = await call(mine.apiKey, "PATCH", `/${id}`, { sendAt: ahead(22 * DAY_MS + 60_000) });
  const words = "at most 22 days after the event was accepted: events are kept for 30 days";
  refusedWith(late, `sendAt must be ${words}`);
  assert.equal((await call(mine.apiKey, "PATCH", `/${id}`, {})).status, 422);
  // Each move counts from the acceptance: no move lets an event outlive its retention.
  await pool.query("update events set accepted_at = accepted_at - interval '10 days'");
  assert.equal(
    (await call(mine.apiKey, "PATCH", `/${id}`, { sendAt: ahead(13 * DAY_MS) })).status,
    422,
  );
  assert.equal(
    (await call(mine.apiKey, "PATCH", `/${id}`, { sendAt: ahead(11 * DAY_MS) })).status,
    200,
  );
  const before = Date.now() - 1000;
  const past = await call(mine.apiKey, "PATCH", `/${id}`, { sendAt: "2001-01-01T00:00:00Z" });
  assert.equal(past.status, 200);
  assert.ok(Date.parse(past.body.sendAt) > before, past.body.sendAt);
  const woken = await wakeEvents(pool, "", 10);
  assertEach(woken.events, ({ eventId }) => eventId, [id]);
  const gone = await call(mine.apiKey, "PATCH", `/${id}`, { sendAt: ahead(60_000) });
  assert.deepEqual([gone.status, gone.body.message], [409, "the event is not scheduled any more"]);
});
