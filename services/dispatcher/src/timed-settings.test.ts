import assert from "node:assert/strict";
import { test } from "node:test";
import { reasonWords } from "@belfry/contracts/reasons";
import { noteUse } from "@belfry/database/configuration-version";
import { TENANT, timedUnderTest } from "../test/timed-under-test.ts";

const HOUR = 3600;

test("a throttled event that is sensitive loses its variables, unless another channel still needs them", async (t) => {
  const under = await timedUnderTest(t);
  const throttle = { count: 1, seconds: HOUR };
  await under.timed("code", { sensitive: true, throttle });
  await under.timed("codes", { sensitive: true, throttle }, ["EMAIL", "SMS"]);
  for (const [eventType, left] of [
    ["code", false],
    ["codes", true],
  ] as const) {
    const first = await under.dispatch({ eventType });
    assert.ok(first.delivery.id);
    assert.notEqual(first.variables, null);
    const second = await under.dispatch({ eventType });
    assert.match(second.outcome.skipped.EMAIL, /^throttled until /);
    assert.equal(second.variables !== null, left, eventType);
  }
});

test("a sensitive template has no digest, whatever its settings say", async (t) => {
  const under = await timedUnderTest(t);
  await under.timed("code", { sensitive: true, digest: { windowSeconds: HOUR } });
  const { id, delivery } = await under.dispatch({ eventType: "code" });
  assert.equal(delivery.event_id, id);
  assert.deepEqual(await under.items(), []);
});

test("an event that says more of its mail than its text is in no digest of mails, and leaves at once", async (t) => {
  const under = await timedUnderTest(t);
  await under.timed("comment", { digest: { windowSeconds: HOUR } });
  const gathered = await under.dispatch({ eventType: "comment" });
  const envelope = { cc: ["c@example.com"] };
  const own = await under.dispatch({ eventType: "comment", later: { envelope } });
  assert.notEqual(gathered.delivery.event_id, gathered.id);
  assert.equal(own.delivery.event_id, own.id);
  assert.ok(own.delivery.released_at, "at once");
  assert.deepEqual(
    (await under.items()).map(({ event_id }) => event_id),
    [gathered.id],
  );
});

test("a message waits until unread only if the event leaves a notification", async (t) => {
  const under = await timedUnderTest(t);
  const settings = { afterUnreadSeconds: 300 };
  await under.timed("news", settings, ["EMAIL", "SMS", "PUSH"]);
  await under.timed("mail", settings);
  const both = await under.dispatch({ eventType: "news" });
  assert.equal(both.delivery.due_at - both.delivery.created_at, 300_000);
  assert.equal(both.delivery.unless_read, true);
  assert.match(reasonWords(both.outcome.waits.EMAIL), /^sent unless it is read by \d\d:\d\d, /);
  assert.equal(reasonWords(both.delivery.reason), both.outcome.waits.EMAIL);
  assert.equal(both.outcome.waits.SMS, undefined);
  for (const setup of [
    { eventType: "mail" },
    { eventType: "news", channels: ["EMAIL" as const] },
  ]) {
    const { delivery, outcome } = await under.dispatch(setup);
    assert.ok(delivery.released_at, "at once");
    assert.deepEqual([delivery.unless_read, outcome?.waits], [null, undefined]);
  }
});

test("a message to devices is skipped if its notification was read a second before it is due", async (t) => {
  const under = await timedUnderTest(t);
  const { pool, db } = under;
  await under.templates(TENANT, "parcel", ["PUSH", "DEVICE"]);
  await pool.sql`update templates set after_unread_seconds = 300 where channel = 'DEVICE'`;
  await pool.sql`insert into devices (id, tenant_id, user_id, device_id, kind, token, token_hash)
    values (gen_random_uuid(), ${TENANT}, 'user-1', 'phone', 'fcm', '', '')`;
  await noteUse(db, TENANT, "uses_devices");
  under.deps.routing.clear();
  const { id: read } = await under.dispatch({ eventType: "parcel" });
  const { id: unread } = await under.dispatch({ eventType: "parcel" });
  const waiting = await under.deliveries("channel = 'DEVICE'");
  assert.deepEqual(
    waiting.map((one) => [one.event_id, one.unless_read, one.due_at - one.created_at]),
    [read, unread].map((id) => [id, true, 300_000]),
  );
  await under.makeDue(2);
  await pool.sql`update notifications n set read_at = d.due_at - interval '1 second'
    from deliveries d where d.event_id = n.id and n.id = ${read}`;
  await under.release("DEVICE");
  const ids = waiting.map((one) => one.id);
  const claimed = await under.claim(ids, "DEVICE");
  assert.deepEqual(
    claimed.map(({ becomes }) => becomes),
    ["skipped", "sending"],
  );
  const [skipped] = await under.deliveries(`event_id = '${read}'`);
  assert.deepEqual([skipped.status, skipped.reason], ["skipped", "read in the inbox"]);
});

test("each value of a digest key keeps its events apart from the others", async (t) => {
  const under = await timedUnderTest(t);
  await under.timed("comment", { digest: { windowSeconds: HOUR, key: "post.id" } });
  const long = "x".repeat(5000);
  const values: unknown[] = [
    { post: { id: "\0" } },
    { post: { id: "a\0b" } },
    { post: { id: long } },
    { post: { id: `${long}y` } },
    { post: { id: "\ud800" } },
    { post: { id: "\udc00" } },
    { post: { id: "__proto__" } },
    { "post.id": "constructor" },
    { post: { id: { deep: [1, { a: "b" }] } } },
    { post: { id: [] } },
    { post: { id: true } },
    { post: { id: 1.5 } },
    { post: { id: "é".repeat(100) } },
    { post: { id: " " } },
  ];
  const none: unknown[] = [
    {},
    { post: null },
    { post: { id: null } },
    { post: { id: "" } },
    { post: "id" },
  ];
  const digestOf = async (variables: unknown) => {
    const { delivery } = await under.dispatch({
      ...{ eventType: "comment", variables: variables as Record<string, unknown> },
    });
    return delivery.event_id as string;
  };
  const first = [];
  for (const value of values) first.push(await digestOf(value));
  assert.equal(new Set(first).size, values.length);
  for (const [at, value] of values.entries())
    assert.equal(await digestOf(value), first[at], `${at}`);
  const without = [];
  for (const value of none) without.push(await digestOf(value));
  assert.equal(new Set(without).size, 1);
  assert.ok(!first.includes(without[0]!));
  // A number and a text with the same characters give the same key.
  assert.equal(await digestOf({ post: { id: "1.5" } }), first[11]);
});

test("a message with a digest or throttle is skipped at once if its address is suppressed", async (t) => {
  const under = await timedUnderTest(t);
  await under.timed("comment", {
    digest: { windowSeconds: HOUR },
    throttle: { count: 1, seconds: HOUR },
  });
  await under.pool.sql`insert into suppressions (tenant_id, channel, address, reason)
    values (${TENANT}, 'EMAIL', 'a@example.com', 'bounced')`;
  const { outcome } = await under.dispatch({ eventType: "comment" });
  assert.equal(outcome.skipped.EMAIL, "address suppressed (bounced)");
  assert.deepEqual(await under.deliveries(), []);
  assert.deepEqual(await under.items(), []);
  assert.equal((await under.pool.query("select from throttles")).rowCount, 0);
});

test("no digest lasts longer than its tenant keeps its events", async (t) => {
  const under = await timedUnderTest(t);
  await under.timed("comment", { digest: { windowSeconds: 7 * 24 * HOUR } });
  await under.pool.query("update tenants set event_retention_days = 3");
  const { delivery } = await under.dispatch({ eventType: "comment" });
  assert.equal(delivery.due_at - delivery.created_at, 2 * 24 * HOUR * 1000);
});
