import assert from "node:assert/strict";
import { test } from "node:test";
import { eraseUser } from "@belfry/administration/erasure/erase-user";
import { openErasure } from "@belfry/administration/erasure/erasures";
import { tablesWith } from "@belfry/administration/test/person";
import { aRecipient } from "@belfry/testing/rows";
import { broadcastsUnderTest, NEWS } from "../test/broadcasts-under-test.ts";

const SOMEBODY = { personId: null, person: "a test", address: "" };

test("every member of the topics gets one event, in both of its topics or not; excepted users get none", async (t) => {
  const under = await broadcastsUnderTest(t);
  const users = await under.members(450);
  await under.members(30, "beta");
  const made = await under.broadcast({
    topics: ["news", "beta"],
    exceptUserIds: [users[7]!, "nobody"],
  });
  assert.equal(made.state, "running");
  assert.equal(made.total, 480);
  await under.moveAll();
  const wanted = users.filter((_, at) => at !== 7);
  assert.deepEqual(await under.usersOfEvents(), wanted);
  assert.equal(under.sent.pushes.length, 449);
  const shown = await under.show(made.id);
  assert.deepEqual([shown.total, shown.expanded, shown.state], [449, 449, "running"]);
  assert.deepEqual(under.warnings, []);
});

test("a list of users is expanded without its doubles; what has ended is done, and counted right", async (t) => {
  const under = await broadcastsUnderTest(t, { providers: [] });
  const made = await under.broadcast({ userIds: ["b", "a", "b", "c"], exceptUserIds: ["c"] });
  assert.equal(made.total, 2);
  await under.moveOn();
  await under.countNow();
  await under.moveOn();
  const shown = await under.show(made.id);
  assert.equal(shown.state, "done");
  // No provider takes EMAIL, so it was skipped for each user.
  assert.deepEqual(shown.byStatus, { published: 2, skipped: 2 });
  const { rowCount } = await under.pool.query("select from broadcast_people");
  assert.equal(rowCount, 0);
});

test("the variables are stored once; dispatching and claiming read them", async (t) => {
  const under = await broadcastsUnderTest(t);
  await under.members(3);
  await under.broadcast({ variables: { title: "News", name: "Ada", story: "x".repeat(60_000) } });
  await under.moveOn();
  assert.equal(under.sent.pushes[0]!.body, "Hello Ada");
  const rows = await under.pool.sql`select max(length(variables)) as longest from events`;
  assert.ok(rows[0].longest < 100);
  const { released } = await under.release();
  const [claimed] = await under.claim([released[0]!.id]);
  assert.ok(claimed?.becomes === "sending");
  const { variables } = claimed.delivery;
  assert.equal(JSON.parse(variables!).story.length, 60_000);
});

test("after an erasure a broadcast names nobody as the place that it has reached, and loses nobody", async (t) => {
  const under = await broadcastsUnderTest(t);
  const users = await under.members(250);
  const made = await under.broadcast();
  under.setDispatching(false);
  await under.moveOn();
  const reached = async () =>
    (await under.pool.query("select reached from broadcasts")).rows[0].reached;
  const last = users[199]!;
  assert.equal(await reached(), last);
  const erase = (userId: string) =>
    eraseUser(
      under.db,
      { tenantId: "acme", userId },
      { actor: SOMEBODY, disconnect: async () => undefined },
    );
  await erase(last);
  assert.deepEqual(await tablesWith(under.pool, last), []);
  assert.equal(await reached(), users[198], "the one before");
  await under.dispatch(under.published);
  under.setDispatching(true);
  await under.moveAll();
  assert.deepEqual(await under.usersOfEvents(), users.toSpliced(199, 1));
  // An ended broadcast keeps nobody.
  await under.pool.query("update broadcasts set state = 'done', ended_at = now(), next_at = null");
  await erase(users[249]!);
  assert.equal(await reached(), "");
  assert.equal((await under.show(made.id)).state, "done");
});

test("a member who joins behind the place that is reached is left out, one before it gets the event", async (t) => {
  const under = await broadcastsUnderTest(t);
  await under.members(250);
  await under.broadcast();
  under.setDispatching(false);
  await under.moveOn();
  await under.pool.query(
    `insert into topic_members values ('acme', 'news', 'user-0000001x'), ('acme', 'news', 'user-0000249x')`,
  );
  await under.pool.query("delete from topic_members where user_id = 'user-0000250'");
  await under.pool.query("update broadcasts set next_at = now()");
  await under.moveOn();
  assert.equal((await under.usersOfEvents()).length, 200, "the next chunk waits for the first");
  await under.dispatch(under.published);
  under.setDispatching(true);
  await under.moveAll();
  const users = await under.usersOfEvents();
  assert.ok(users.includes("user-0000249x"));
  assert.ok(!users.includes("user-0000001x"));
  assert.ok(!users.includes("user-0000250"));
});

test("two replicas expand one broadcast, each user once", async (t) => {
  const under = await broadcastsUnderTest(t);
  const users = await under.members(1100);
  const { id } = await under.broadcast();
  await under.moveAll([under.loopWith(), under.loopWith(), under.loopWith()]);
  assert.deepEqual(await under.usersOfEvents(), users);
  assert.equal((await under.show(id)).expanded, 1100);
});

test("the tenant's other deliveries leave first, and half a second of a broadcast's is outstanding", async (t) => {
  const under = await broadcastsUnderTest(t, { maxPerSecond: 10 });
  await under.members(35);
  await under.broadcast();
  for (let round = 0; round < 3; round += 1) {
    await under.pool.query(
      "update deliveries set due_at = now() + interval '1 hour' where released_at is null",
    );
    await under.pool.query("update broadcasts set next_at = now()");
    await under.moveOn();
  }
  await under.pool.query(
    "update deliveries set due_at = now() - interval '1 hour' where released_at is null",
  );
  assert.equal(under.sent.deliveries.length, 0, "none leaves before its turn");
  const first = (await under.release()).released;
  assert.equal(first.length, 5);
  assert.equal((await under.release()).released.length, 0, "no room for more of the broadcast");

  await under.templates(under.tenantId, "code.sent", ["EMAIL"]);
  const code = async (userId: string) => {
    const ids = await under.events(under.tenantId, { eventType: "code.sent", userId });
    await under.dispatch(ids);
    return ids[0]!;
  };
  await code("user-1");
  assert.equal(under.sent.deliveries.splice(0).length, 1, "a code leaves at once all the same");
  // Somebody else's lock: the codes rest.
  const client = await under.pool.connect();
  await client.query("begin");
  await client.query("select pg_advisory_xact_lock(release_lock('EMAIL', 'acme'))");
  const codes = [await code("user-2"), await code("user-3")];
  await client.query("rollback");
  client.release();
  await under.claim(first.map(({ id }) => id));
  await under.accept(first.slice(0, 2).map(({ id }) => id));
  const { released, capped } = await under.release();
  const rows = await under.pool.sql`select d.id from deliveries d where d.event_id = any (${codes})
    order by d.id`;
  assert.equal(released.length, 4);
  for (const { id } of rows) assert.ok(released.some((one) => one.id === id));
  assert.deepEqual(capped, ["acme"]);
  await under.pool.query(
    "update deliveries set status = 'accepted', released_at = null where released_at is not null",
  );
  await under.pool.query(
    `insert into provider_sends select id, now() + interval '700 milliseconds' from providers where channel = 'EMAIL'`,
  );
  assert.equal((await under.release()).released.length, 0, "calls are reserved for longer");
});

test("a paused broadcast expands and releases nothing, and goes on where it stopped", async (t) => {
  const under = await broadcastsUnderTest(t);
  const users = await under.members(300);
  const { id } = await under.broadcast();
  under.setDispatching(false);
  await under.moveOn();
  assert.equal((await under.pause(id)).state, "paused");
  await under.dispatch(under.published);
  under.setDispatching(true);
  assert.deepEqual((await under.release()).released, []);
  await under.moveOn();
  assert.equal((await under.show(id)).expanded, 200);
  assert.equal((await under.resume(id)).state, "running");
  const { released } = await under.release();
  assert.equal(released.length, 100);
  await under.accept(released.map((one) => one.id));
  await under.moveAll();
  assert.deepEqual(await under.usersOfEvents(), users);
});

test("no provider, no template, a sensitive one, an inactive tenant: it pauses and says why", async (t) => {
  const under = await broadcastsUnderTest(t);
  await under.members(2);
  await under.pool.query("delete from templates where channel = 'PUSH'");
  const { id } = await under.broadcast();
  const pausedFor = async (change: string, back: string) => {
    await under.pool.query(change);
    await under.moveOn();
    const { state, reason } = await under.show(id);
    await under.pool.query(back);
    await under.resume(id);
    return [state, reason];
  };
  assert.deepEqual(
    await pausedFor("update providers set active = false", "update providers set active = true"),
    ["paused", "no active provider"],
  );
  assert.deepEqual(
    await pausedFor(
      "update templates set sensitive = true",
      "update templates set sensitive = false",
    ),
    ["paused", "a template of its event type is sensitive"],
  );
  assert.deepEqual(
    await pausedFor("update templates set active = false", "update templates set active = true"),
    ["paused", "no active template"],
  );
  assert.deepEqual(
    await pausedFor("update tenants set active = false", "update tenants set active = true"),
    ["paused", "tenant inactive"],
  );
  await under.moveOn();
  assert.equal((await under.show(id)).expanded, 2);
});

test("it stops at its part of the daily cap, goes on after midnight, and leaves the rest to codes", async (t) => {
  const under = await broadcastsUnderTest(t);
  await under.members(150);
  await under.pool.query("update tenants set daily_cap = 100");
  const { id } = await under.broadcast();
  await under.moveOn();
  const paused = await under.show(id);
  assert.deepEqual([paused.state, paused.expanded], ["paused", 90]);
  assert.match(paused.reason!, /goes on tomorrow/);
  const midnight = new Date(paused.resumesAt!);
  assert.equal(midnight.getTime() % 86_400_000, 0);
  const setups = Array.from({ length: 11 }, (_, at) => ({ userId: `code-${at}` }));
  await under.events(under.tenantId, ...setups);
  const rows = await under.pool.sql`select count(*)::int as codes from events
    where broadcast_id is null`;
  assert.equal(rows[0].codes, 10);
  await under.moveOn();
  assert.equal((await under.show(id)).expanded, 90);
  // The rest look goes by the database's clock: the row is due now, the day is the next one.
  await under.pool.query("update broadcasts set next_at = now()");
  under.setMoment(new Date(midnight.getTime() + 1000));
  await under.moveOn();
  assert.equal((await under.show(id)).expanded, 150);
});

test("from the answer of a cancel on nothing is dispatched, released or claimed; the counts add up", async (t) => {
  const under = await broadcastsUnderTest(t);
  await under.members(600);
  const { id } = await under.broadcast();
  under.setDispatching(false);
  await under.moveOn();
  await under.dispatch(under.published.slice(0, 150));
  const { released } = await under.release();
  const claimed = await under.claim(released.slice(0, 20).map((one) => one.id));
  assert.ok(claimed.every(({ becomes }) => becomes === "sending"));
  await under.accept(released.slice(0, 10).map((one) => one.id));
  assert.equal((await under.cancel(id)).state, "cancelling");
  await under.dispatch(under.published);
  const { rowCount } = await under.pool.query("select from notifications");
  assert.equal(rowCount, 150, "nothing more is dispatched");
  const later = await under.claim(released.slice(20).map((one) => one.id));
  assert.ok(later.every(({ becomes }) => becomes === "skipped"));
  under.setDispatching(true);
  await under.moveOn();
  // Ten are still in a call: their tries fail, and there is no other.
  await under.accept(released.slice(10, 20).map((one) => one.id));
  await under.countNow();
  await under.moveOn();
  const ended = await under.show(id);
  assert.equal(ended.state, "cancelled");
  // Each of the 150 has a notification: something has reached those users.
  assert.deepEqual([ended.expanded, ended.cancelled, ended.tooLate], [200, 50, 150]);
  assert.deepEqual(await under.deliveries("status in ('queued', 'waiting', 'sending')"), []);
});

test("a cancel before the first chunk ends it at once; a second one says the same; of one that is done it is too late", async (t) => {
  const under = await broadcastsUnderTest(t, { providers: [] });
  await under.members(1);
  const soon = new Date(Date.now() + 60_000).toISOString();
  const { id, state } = await under.broadcast({ sendAt: soon });
  assert.equal(state, "scheduled");
  const { cancelled, tooLate, ...ended } = await under.cancel(id);
  assert.deepEqual([ended.state, cancelled, tooLate], ["cancelled", 0, 0]);
  assert.equal((await under.cancel(id)).state, "cancelled");
  const done = await under.broadcast();
  await under.moveOn();
  await under.countNow();
  await under.moveOn();
  await assert.rejects(under.cancel(done.id), { message: "the broadcast is done" });
  assert.deepEqual(await under.usersOfEvents(), ["user-0000001"]);
});

test("the same key makes one broadcast", async (t) => {
  const under = await broadcastsUnderTest(t);
  await under.members(1);
  const request = { idempotencyKey: "news-1" } as never;
  const made = await Promise.all([1, 2, 3, 4].map(() => under.broadcast(request)));
  assert.equal(new Set(made.map(({ id }) => id)).size, 1);
});

test("what cannot be sent to many is refused", async (t) => {
  const under = await broadcastsUnderTest(t);
  await under.members(1);
  await under.templates(under.tenantId, "code.sent", ["EMAIL"], { sensitive: true });
  const refused = async (request: object, message: RegExp) =>
    await assert.rejects(under.broadcast(request as never), { message });
  await refused({ topics: ["news", "none"] }, /topics\[1\] is not the key of a topic/);
  await refused({ eventType: "code.sent" }, /eventType has a sensitive template/);
  await refused({ eventType: "unknown" }, /eventType has no active template/);
  await refused({ userIds: ["a"], topics: ["news"] }, /must have either topics or userIds/);
  await refused({ variables: { a: "x".repeat(70_000) } }, /variables must be at most 65536 bytes/);
  await refused({ sendAt: "2126-01-01T00:00:00Z" }, /sendAt must be at most 22 days ahead/);
  assert.deepEqual((await under.pool.query("select from broadcasts")).rowCount, 0);
  assert.equal(NEWS, "product.news");
});

test("a chunk whose message was lost holds the next one up for a minute, and no longer", async (t) => {
  const under = await broadcastsUnderTest(t);
  await under.members(400);
  const { id } = await under.broadcast();
  under.setDispatching(false);
  await under.moveOn();
  const rows = await under.pool.sql`select created_at as at from broadcast_chunks`;
  const at = async (seconds: number) => {
    under.setMoment(new Date(rows[0].at.getTime() + seconds * 1000));
    await under.pool.query("update broadcasts set next_at = now()");
    await under.moveOn();
    return (await under.show(id)).expanded;
  };
  assert.equal(await at(59), 200);
  assert.equal(await at(61), 400);
});

const RACES = 60;

test("a cancel races dispatchers and senders: after its answer nothing is claimed, and who got it is in tooLate", async (t) => {
  const under = await broadcastsUnderTest(t);
  const { pool } = under;
  const userIds = Array.from({ length: 12 }, (_, at) => `user-${at}`);
  for (const userId of userIds) {
    await aRecipient(pool, { user_id: userId, email: `${userId}@example.com` });
  }
  await pool.query("update tenants set uses_recipients = true");
  for (let race = 0; race < RACES; race += 1) {
    const { id } = await under.broadcast({ userIds, channels: ["EMAIL"] });
    const got = new Set<string>();
    let isAnswered = false;
    const claimSome = async () => {
      const { released } = await under.release();
      const beganAfter = isAnswered;
      const results = await under.claim(released.map((one) => one.id));
      const sending = results.flatMap((one) => (one.becomes === "sending" ? [one.delivery] : []));
      if (beganAfter) assert.equal(sending.length, 0, `race ${race}: claimed after the answer`);
      for (const { eventId } of sending) got.add(eventId);
      await under.accept(sending.map((one) => one.id));
    };
    const cancelling = async () => {
      // Each race at another moment of the others' work, which takes a few turns of the event loop a statement.
      for (let turn = 0; turn < race * 2; turn += 1) await new Promise(setImmediate);
      await under.cancel(id);
      isAnswered = true;
    };
    await Promise.all([cancelling(), under.moveOn().then(claimSome), claimSome()]);
    await claimSome();
    await under.countNow();
    await under.moveOn();
    const { state, expanded, cancelled, tooLate } = await under.show(id);
    assert.equal(state, "cancelled");
    const rows = await pool.sql`select count(*)::integer as told from events
      where broadcast_id = ${id} and cancelled_at is not null and id = any (${[...got]})`;
    assert.deepEqual([rows[0].told, tooLate, cancelled! + tooLate!], [0, got.size, expanded]);
  }
});

test("erasures race chunks: nothing is left of an erased user, and everybody else gets it once", async (t) => {
  const under = await broadcastsUnderTest(t, { maxPerSecond: 20 });
  const { db, tenantId } = under;
  const users = await under.members(120);
  await under.broadcast({ channels: ["EMAIL"] });
  await under.broadcast({ userIds: users, channels: ["EMAIL"] });
  const erased = users.filter((_, at) => at % 7 === 3);
  const disconnect = async () => undefined;
  const erasing = (async () => {
    for (const userId of erased) {
      await openErasure(db, { tenantId, userId });
      await eraseUser(db, { tenantId, userId }, { actor: SOMEBODY, disconnect });
    }
  })();
  await Promise.all([erasing, under.moveAll([under.loopWith(), under.loopWith()])]);
  await under.moveAll();
  const twice = users.filter((user) => !erased.includes(user)).flatMap((user) => [user, user]);
  assert.deepEqual(await under.usersOfEvents(), twice);
  // Their erasures are still open here: nobody works on them.
  for (const userId of erased) {
    assert.deepEqual(await tablesWith(under.pool, userId), ["erasures"]);
  }
});
