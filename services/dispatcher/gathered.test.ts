import assert from "node:assert/strict";
import { test } from "node:test";
import { createDatabase } from "@belfry/database/connection";
import { deleteEvents } from "@belfry/database/functions/delete-events";
import { TENANT, timedUnderTest } from "./timed-under-test.ts";

const HOUR = 3600;

test("2,000 events of 10 users on two dispatchers, with releases and claims in between: each is in one message", async (t) => {
  const under = await timedUnderTest(t);
  await under.timed("comment", { digest: { windowSeconds: HOUR } });
  await under.timed("reply", { digest: { windowSeconds: HOUR, sliding: true, key: "n" } });
  const setups = Array.from({ length: 2000 }, (_, at) => ({
    ...{ eventType: at % 3 === 0 ? "reply" : "comment", userId: `user-${at % 10}` },
    variables: { n: at % 2 },
  }));
  const ids = await under.events(TENANT, ...setups);
  const inMessage = new Map<string, number>();
  const leave = async () => {
    await under.makeDue(5);
    const { released } = await under.release();
    const before = new Map<string, number>();
    for (const { digest_id } of await under.items()) {
      before.set(digest_id, (before.get(digest_id) ?? 0) + 1);
    }
    const claims = await under.claim(released.map(({ id }) => id));
    for (const claim of claims) {
      assert.ok(claim.becomes === "sending", JSON.stringify(claim));
      const { eventId, digest } = claim.delivery;
      assert.ok(digest && !inMessage.has(eventId));
      // Nothing has joined since the release.
      assert.equal(digest.count, before.get(eventId));
      inMessage.set(eventId, digest.count);
    }
  };
  for (let at = 0; at < ids.length; at += 200) {
    const part = ids.slice(at, at + 200);
    await Promise.all([
      under.dispatchOn(
        0,
        part.filter((_, place) => place % 4 < 2),
      ),
      leave(),
      under.dispatchOn(
        1,
        part.filter((_, place) => place % 4 >= 1),
      ),
    ]);
    await leave();
  }
  while ((await under.deliveries("status = 'queued' and released_at is null")).length > 0) {
    await under.makeDue(1000);
    await leave();
  }
  const items = await under.items();
  assert.deepEqual(
    items.map((item) => item.event_id),
    ids.toSorted(),
  );
  const counts = new Map<string, number>();
  for (const { digest_id } of items) counts.set(digest_id, (counts.get(digest_id) ?? 0) + 1);
  assert.deepEqual(inMessage, counts, "nothing has joined since a claim");
  assert.ok(counts.size > 30, "many have left");
  const deliveries = await under.deliveries();
  assert.deepEqual(deliveries.map((one) => one.event_id).sort(), [...counts.keys()].sort());
  const { rows } = await under.pool.query(
    `select count(*) filter (where g.closed_at is null)::integer as open,
            count(*) filter (where (select count(distinct (e.user_id, e.event_type, e.variables))
              from digest_items i join events e on e.id = i.event_id
              where i.digest_id = g.id) > case g.event_type when 'reply' then 1 else 2 end)::integer as mixed
     from digests g`,
  );
  assert.deepEqual(rows, [{ open: 0, mixed: 0 }]);
  assert.deepEqual(under.warnings, []);
});

test("50 dispatches at once on two dispatchers against a throttle of 7: exactly 7 are let through", async (t) => {
  const under = await timedUnderTest(t);
  await under.timed("ping", { throttle: { count: 7, seconds: HOUR } });
  const ids = await under.events(
    TENANT,
    ...Array.from({ length: 50 }, () => ({ eventType: "ping" })),
  );
  await Promise.all(ids.map((id, at) => under.dispatchOn(at % 2 === 0 ? 0 : 1, [id])));
  assert.equal((await under.deliveries()).length, 7);
  const outcomes = await Promise.all(ids.map(async (id) => (await under.outcome(id)).outcome));
  const told = outcomes.filter((outcome) =>
    /^throttled until \d\d:\d\d, \d+ \w+ 20\d\d \(UTC\)$/.test(outcome?.skipped?.EMAIL),
  );
  assert.equal(told.length, 43);
  assert.equal(under.sent.deliveries.length, 7);
  const { rows } = await under.pool.query("select cardinality(times) as times from throttles");
  assert.deepEqual(rows, [{ times: 7 }]);
});

test("a dispatch that comes again adds nothing, gathered, throttled or alone", async (t) => {
  const under = await timedUnderTest(t);
  await under.timed("comment", {
    digest: { windowSeconds: HOUR, leading: true },
    throttle: { count: 2, seconds: HOUR },
  });
  const ids = await under.events(TENANT, ...[1, 2, 3].map(() => ({ eventType: "comment" })));
  await under.dispatchOn(0, ids);
  const state = async () => [
    await under.deliveries(),
    await under.items(),
    (await under.pool.query("select * from digests order by id")).rows,
    (await under.pool.query("select * from throttles")).rows,
    await Promise.all(ids.map((id) => under.outcome(id))),
  ];
  const before = await state();
  assert.deepEqual(
    (await under.items()).map((item) => item.state),
    ["alone", "in", "in"],
  );
  await Promise.all([
    under.dispatchOn(0, ids),
    under.dispatchOn(1, ids),
    under.dispatchOn(1, [ids[1]!]),
  ]);
  assert.deepEqual(await state(), before);
});

test("no two of dispatchers, claims, releases and deletions wait for each other", async (t) => {
  const under = await timedUnderTest(t);
  const throttle = { count: 100, seconds: HOUR };
  await under.timed("comment", {
    throttle,
    digest: { windowSeconds: HOUR, sliding: true, key: "n" },
  });
  const db = createDatabase(under.otherPool);
  const accept = () =>
    under.events(
      TENANT,
      ...Array.from({ length: 60 }, (_, at) => ({
        ...{ eventType: "comment", userId: `user-${(at * 7) % 20}`, variables: { n: at % 3 } },
      })),
    );
  // Until each of them has met the others often.
  for (let round = 0; round < 12; round += 1) {
    const [some, others] = [await accept(), await accept()];
    const old = (await under.items()).map((item) => item.event_id);
    const resting = (await under.deliveries("status = 'queued'")).map((row) => row.id as string);
    await Promise.all([
      under.dispatchOn(0, some),
      under.dispatchOn(1, [...others, ...some.slice(30)]),
      under.claim(resting.toReversed()),
      under.makeDue(20).then(() => under.release()),
      deleteEvents(db, old.filter((_, at) => at % 5 === round % 5).toReversed(), { spare: true }),
    ]);
  }
  assert.deepEqual(under.warnings, []);
});

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

test("what is sensitive is gathered with nothing, whatever the settings say", async (t) => {
  const under = await timedUnderTest(t);
  await under.timed("code", { sensitive: true, digest: { windowSeconds: HOUR } });
  const { id, delivery } = await under.dispatch({ eventType: "code" });
  assert.equal(delivery.event_id, id);
  assert.deepEqual(await under.items(), []);
});

test("unless it is read it waits only where the event leaves a notification", async (t) => {
  const under = await timedUnderTest(t);
  const settings = { afterUnreadSeconds: 300 };
  await under.timed("news", settings, ["EMAIL", "SMS", "PUSH"]);
  await under.timed("mail", settings);
  const both = await under.dispatch({ eventType: "news" });
  assert.equal(both.delivery.due_at - both.delivery.created_at, 300_000);
  assert.equal(both.delivery.unless_read, true);
  assert.match(both.outcome.waits.EMAIL, /^sent unless it is read by \d\d:\d\d, /);
  assert.equal(both.delivery.reason, both.outcome.waits.EMAIL);
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

test("any value of a key keeps its events apart from those of others", async (t) => {
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
  // As `null`, as text and as a number it is the same text.
  assert.equal(await digestOf({ post: { id: "1.5" } }), first[11]);
});

test("what would be gathered or limited is skipped at once where its address is suppressed", async (t) => {
  const under = await timedUnderTest(t);
  await under.timed("comment", {
    digest: { windowSeconds: HOUR },
    throttle: { count: 1, seconds: HOUR },
  });
  await under.pool.query(
    `insert into suppressions (tenant_id, channel, address, reason)
     values ($1, 'EMAIL', 'a@example.com', 'bounced')`,
    [TENANT],
  );
  const { outcome } = await under.dispatch({ eventType: "comment" });
  assert.equal(outcome.skipped.EMAIL, "address suppressed (bounced)");
  assert.deepEqual(await under.deliveries(), []);
  assert.deepEqual(await under.items(), []);
  assert.equal((await under.pool.query("select from throttles")).rowCount, 0);
});

test("nothing is gathered for longer than its tenant keeps what it is made of", async (t) => {
  const under = await timedUnderTest(t);
  await under.timed("comment", { digest: { windowSeconds: 7 * 24 * HOUR } });
  await under.pool.query("update tenants set event_retention_days = 3");
  const { delivery } = await under.dispatch({ eventType: "comment" });
  assert.equal(delivery.due_at - delivery.created_at, 2 * 24 * HOUR * 1000);
});
