import assert from "node:assert/strict";
import { test } from "node:test";
import { createDatabase } from "@belfry/database/connection";
import { cancelEvents } from "@belfry/database/functions/cancel-events";
import { deleteEvents } from "@belfry/database/functions/delete-events";
import { assertEach } from "@belfry/testing/assert-each";
import { untilBlocked } from "@belfry/testing/until-blocked";
import { TENANT, timedUnderTest } from "../test/timed-under-test.ts";

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
      // No event has joined since the release.
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
  assertEach(items, (item) => item.event_id, ids.toSorted());
  const counts = new Map<string, number>();
  for (const { digest_id } of items) counts.set(digest_id, (counts.get(digest_id) ?? 0) + 1);
  assert.deepEqual(inMessage, counts, "nothing has joined since a claim");
  assert.ok(counts.size > 30, "many have left");
  const deliveries = await under.deliveries();
  assert.deepEqual(deliveries.map((one) => one.event_id).sort(), [...counts.keys()].sort());
  const rows = await under.pool
    .sql`select count(*) filter (where g.closed_at is null)::integer as open,
           count(*) filter (where (select count(distinct (e.user_id, e.event_type, e.variables))
             from digest_items i join events e on e.id = i.event_id
             where i.digest_id = g.id) > case g.event_type when 'reply' then 1 else 2 end)::integer as mixed
    from digests g`;
  assert.deepEqual(rows, [{ open: 0, mixed: 0 }]);
  assert.deepEqual(under.warnings, []);
});

test("50 simultaneous dispatches on two dispatchers against a throttle of 7: exactly 7 are let through", async (t) => {
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
  // While the other dispatcher counts outstanding deliveries, a delivery waits for a moment.
  assert.ok(under.sent.deliveries.length <= 7);
  const rows = await under.pool.sql`select cardinality(times) as times from throttles`;
  assert.deepEqual(rows, [{ times: 7 }]);
});

test("a dispatch for the same user waits for one in progress, and sees its result", async (t) => {
  const under = await timedUnderTest(t);
  await under.timed("comment", { digest: { windowSeconds: HOUR } });
  await under.timed("ping", { throttle: { count: 1, seconds: HOUR } });
  for (const eventType of ["comment", "ping"]) {
    const [one = "", two = ""] = await under.events(TENANT, { eventType }, { eventType });
    const first = await under.transaction();
    await first.dispatch([one]);
    const second = under.dispatchOn(0, [two]);
    await Promise.race([second, untilBlocked(under.pool)]);
    await first.end("commit");
    await second;
  }
  assert.deepEqual(new Set((await under.items()).map((item) => item.digest_id)).size, 1);
  assert.equal((await under.items()).length, 2);
  assert.equal((await under.deliveries()).length, 2);
});

test("an event that would join a digest during its release waits, and opens another", async (t) => {
  const under = await timedUnderTest(t);
  await under.timed("comment", { digest: { windowSeconds: HOUR } });
  for (const end of ["commit", "rollback"] as const) {
    const { delivery } = await under.dispatch({ eventType: "comment" });
    await under.makeDue(1);
    const release = await under.transaction();
    const stamp = "update deliveries set released_at = clock_timestamp() where id = $1";
    await release.query(stamp, [delivery.id]);
    const [id = ""] = await under.events(TENANT, { eventType: "comment" });
    const joins = under.dispatchOn(0, [id]);
    await Promise.race([joins, untilBlocked(under.pool)]);
    await release.query(stamp, [delivery.id]);
    await release.end(end);
    await joins;
    const [item] = await under.items(`event_id = '${id}'`);
    assert.equal(item?.digest_id === delivery.event_id, end === "rollback", end);
    const rows = await under.pool.sql`select g.opened_at >= d.released_at as later
      from digests g, deliveries d
      where g.id = ${item?.digest_id} and d.id = ${delivery.id} and d.released_at is not null`;
    assert.deepEqual(rows, end === "commit" ? [{ later: true }] : [], "opened once the other left");
    await under.makeDue(10);
    await under.release();
  }
});

test("a release skips a digest that an event is joining, and finds the event in it next time", async (t) => {
  const under = await timedUnderTest(t);
  await under.timed("comment", { digest: { windowSeconds: HOUR } });
  const { delivery } = await under.dispatch({ eventType: "comment" });
  await under.makeDue(1);
  const [id = ""] = await under.events(TENANT, { eventType: "comment" });
  const join = await under.transaction();
  await join.dispatch([id]);
  assert.deepEqual((await under.release()).released, []);
  await join.end("commit");
  const { released } = await under.release();
  assertEach(released, (one) => one.id, [delivery.id]);
  const [claim] = await under.claim([delivery.id]);
  assert.equal(claim?.becomes === "sending" && claim.delivery.digest?.count, 2);
});

test("a repeated dispatch adds nothing, whether to a digest, throttled or alone", async (t) => {
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
  assertEach(await under.items(), (item) => item.state, ["alone", "in", "in"]);
  await Promise.all([
    under.dispatchOn(0, ids),
    under.dispatchOn(1, ids),
    under.dispatchOn(1, [ids[1]!]),
  ]);
  assert.deepEqual(await state(), before);
});

test("dispatchers, claims, releases, cancels and deletions never deadlock", async (t) => {
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
      cancelEvents(db, TENANT, [...others, ...old].filter((_, at) => at % 7 === 0).toReversed()),
      deleteEvents(db, old.filter((_, at) => at % 5 === round % 5).toReversed(), { spare: true }),
    ]);
  }
  assert.deepEqual(under.warnings, []);
});
