import assert from "node:assert/strict";
import { hash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { decodeQueueMessage, eventsStream } from "@belfry/contracts/streams";
import {
  type AcceptResult,
  acceptEvents,
  type EventToAccept,
  refuseEvents,
} from "@belfry/database/functions/accept-events";
import { createLogger } from "@belfry/service/logger";
import { connectNats } from "@belfry/service/nats";
import { createPublisher, type Publisher, PublishFault } from "@belfry/service/publish";
import { ensureStreams } from "@belfry/service/streams";
import { connectedDatabase } from "@belfry/testing/database";
import { testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { jetstreamManager } from "@nats-io/jetstream";
import { type Acceptor, type AcceptorDeps, createAcceptor } from "./accept.ts";

const log = createLogger({ service: "test", level: "silent" });
const HOUR_MS = 3_600_000;

async function setUp(t: test.TestContext) {
  const { pool } = await connectedDatabase(t);
  await pool.query("insert into tenants (id, name, per_minute) values ('a', 'A', 10000)");
  await pool.query("insert into tenant_limits (tenant_id) values ('a')");
  const prefix = testPrefix(t);
  const nats = await connectNats({ url: testNatsUrl(), name: "test", log });
  t.after(() => nats.close());
  const streams = [eventsStream(prefix)];
  await ensureStreams(nats.nc, streams, { log });
  const publisher = createPublisher({ nats, streams, log });
  const acceptor = (over: Partial<AcceptorDeps> = {}): Acceptor =>
    createAcceptor({
      pool,
      publisher,
      prefix,
      expressPerMinute: 1000,
      log,
      ...over,
    });
  /** Message ids, subjects and event ids in the stream, in order. */
  const stored = async () => {
    const manager = await jetstreamManager(nats.nc, { checkAPI: false });
    const { state } = await manager.streams.info(streams[0]!.name);
    const messages: { messageId: string; subject: string; ids: string[] }[] = [];
    for (let seq = state.first_seq; state.messages > 0 && seq <= state.last_seq; seq += 1) {
      const message = await manager.streams.getMessage(streams[0]!.name, { seq });
      messages.push({
        messageId: message!.header.get("Nats-Msg-Id"),
        subject: message!.subject.slice(prefix.length + 1),
        ids: decodeQueueMessage(message!.data)!.items.map((item) => item.id),
      });
    }
    return messages;
  };
  const emptyStream = async () => {
    const manager = await jetstreamManager(nats.nc, { checkAPI: false });
    await manager.streams.purge(streams[0]!.name);
  };
  return { pool, prefix, publisher, acceptor, stored, emptyStream };
}

function event(key: string = randomUUID(), variables: string | null = null): EventToAccept {
  return {
    tenantId: "a",
    dedupKey: hash("sha256", key),
    id: randomUUID(),
    eventType: "t",
    userId: "u",
    reference: null,
    recipientEmail: null,
    recipientPhone: null,
    options: null,
    variables,
    traceId: "trace",
  };
}

const broken: Publisher = {
  publishIds: () => Promise.reject(new PublishFault("timeout", "no acknowledgement")),
};

test("simultaneous events share few database calls, and one message per batch", async (t) => {
  const { acceptor, pool, stored } = await setUp(t);
  const sizes: number[] = [];
  let inFlight = 0;
  let most = 0;
  const { accept } = acceptor({
    async acceptEvents(_, batch) {
      sizes.push(batch.length);
      inFlight += 1;
      most = Math.max(most, inFlight);
      try {
        return await acceptEvents(pool, batch);
      } finally {
        inFlight -= 1;
      }
    },
  });
  const results = await Promise.all(Array.from({ length: 450 }, () => accept(event())));
  assert.ok(results.every((result) => result.outcome === "accepted"));
  assert.equal(sizes.length, 3);
  assert.ok(sizes.every((size) => size <= 200));
  assert.equal(most, 2);
  const messages = await stored();
  assert.equal(messages.length, 3);
  assert.equal(new Set(messages.flatMap(({ ids }) => ids)).size, 450);
});

test("the events of one request are accepted in one call, in their order", async (t) => {
  const { acceptor, pool } = await setUp(t);
  const calls: EventToAccept[][] = [];
  const { accept } = acceptor({
    acceptEvents(_, batch) {
      calls.push([...batch]);
      return acceptEvents(pool, batch);
    },
  });
  const traceOf = (at: number) => (at >= 150 && at < 250 ? "request" : `lone ${at}`);
  const events = Array.from({ length: 400 }, (_, at) => ({ ...event(), traceId: traceOf(at) }));
  await Promise.all(events.map((one) => accept(one)));
  const [call, ...others] = calls.filter((batch) => batch.some((one) => events[150] === one));
  assert.deepEqual(others, []);
  const together = call!.filter(({ traceId }) => traceId === "request");
  assert.deepEqual(together, events.slice(150, 250));
});

test("events of several tenants are accepted in any order", async (t) => {
  const { pool, acceptor } = await setUp(t);
  await pool.query("insert into tenants (id, name, per_minute) values ('b', 'B', 10000)");
  await pool.query("insert into tenant_limits (tenant_id) values ('b')");
  const { accept } = acceptor();
  const events = ["b", "a", "b", "a"].map((tenantId) => ({ ...event(), tenantId }));
  const results = await Promise.all(events.map((one) => accept(one)));
  assert.deepEqual(
    results.map(({ outcome }) => outcome),
    events.map(() => "accepted"),
  );
});

test("a lone event's message has the event's id as its message id", async (t) => {
  const { acceptor, stored } = await setUp(t);
  const { eventId } = await acceptor().accept(event());
  assert.deepEqual(await stored(), [
    { messageId: eventId, subject: "events.express", ids: [eventId] },
  ]);
});

test("a tenant above its recent share goes to the bulk lane", async (t) => {
  const { acceptor, stored } = await setUp(t);
  const { accept } = acceptor({ expressPerMinute: 1 });
  await accept(event());
  await accept(event());
  assert.deepEqual(
    (await stored()).map(({ subject }) => subject),
    ["events.express", "events.bulk"],
  );
});

test("an event that is not published is refused, and its retry is processed with the new body", async (t) => {
  const { acceptor, pool, stored } = await setUp(t);
  await assert.rejects(acceptor({ publisher: broken }).accept(event("k", '{"n":1}')), PublishFault);
  const refused = await pool.query("select id, refused_at from events");
  assert.notEqual(refused.rows[0].refused_at, null);
  const retry = await acceptor().accept(event("k", '{"n":2}'));
  assert.equal(retry.outcome, "reopened");
  assert.equal(retry.eventId, refused.rows[0].id);
  const { rows } = await pool.query("select variables, refused_at from events");
  assert.deepEqual(rows, [{ variables: '{"n":2}', refused_at: null }]);
  assert.deepEqual(
    (await stored()).map(({ ids }) => ids),
    [[retry.eventId]],
  );
});

test("a retry after a 500 is published even if the first copy was stored late and dropped", async (t) => {
  const { acceptor, publisher, stored, emptyStream } = await setUp(t);
  const unheard: Publisher = {
    async publishIds(...args) {
      await publisher.publishIds(...args);
      throw new PublishFault("timeout", "no acknowledgement");
    },
  };
  await assert.rejects(acceptor({ publisher: unheard }).accept(event("k")), PublishFault);
  // The dispatcher found the event refused.
  await emptyStream();
  const retry = await acceptor().accept(event("k"));
  assert.equal(retry.outcome, "reopened");
  assert.deepEqual(
    (await stored()).map(({ ids }) => ids),
    [[retry.eventId]],
  );
});

test("a duplicate of an undispatched event publishes the same id itself", async (t) => {
  const { acceptor, pool, stored } = await setUp(t);
  // The replica that claimed it died before it published.
  const [first] = await acceptEvents(pool, [event("k")]);
  assert.equal((await acceptor().accept(event("k"))).outcome, "replayed");
  assert.deepEqual(await stored(), [
    { messageId: first?.eventId, subject: "events.express", ids: [first?.eventId] },
  ]);
});

test("simultaneous requests for one event share its message and its refusal", async (t) => {
  const { acceptor, stored } = await setUp(t);
  const ask = (accept: Acceptor["accept"]) => {
    const [one, other] = [event("one"), event("other")];
    // Adjacent once all are sorted by their keys.
    return Promise.allSettled(
      [one, other, { ...event("one") }, { ...one }].map((it) => accept(it)),
    );
  };
  const failed = await ask(acceptor({ publisher: broken }).accept);
  assert.deepEqual(
    failed.map(({ status }) => status),
    Array(4).fill("rejected"),
  );
  const answered = await ask(acceptor().accept);
  const values = answered.map((it) => (it.status === "fulfilled" ? it.value : assert.fail()));
  assert.deepEqual(
    values.map(({ outcome }) => outcome === "replayed"),
    [false, false, true, true],
  );
  const [first, second] = values.map(({ eventId }) => eventId);
  assert.deepEqual([values[2]?.eventId, values[3]?.eventId], [first, first]);
  const [message, ...more] = await stored();
  assert.deepEqual([message?.ids.toSorted(), more], [[first, second].toSorted(), []]);
});

test("a first request whose publication fails is a 200 if its replay was answered 200 meanwhile", async (t) => {
  const { acceptor, pool } = await setUp(t);
  let fail = () => {};
  const slow: Publisher = {
    publishIds: () =>
      new Promise((_, reject) => {
        fail = () => reject(new PublishFault("timeout", "no acknowledgement"));
      }),
  };
  const first = acceptor({ publisher: slow }).accept(event("k"));
  // The claim of the first request is in the database before the replay arrives.
  while ((await pool.query("select 1 from events")).rowCount === 0);
  assert.equal((await acceptor().accept(event("k"))).outcome, "replayed");
  fail();
  assert.equal((await first).outcome, "accepted");
  const { rows } = await pool.query("select refused_at from events");
  assert.deepEqual(rows, [{ refused_at: null }]);
});

test("a replay whose first request is refused meanwhile does not get a 200", async (t) => {
  const { acceptor, pool, publisher } = await setUp(t);
  const [first] = await acceptEvents(pool, [event("k")]);
  const racing: Publisher = {
    async publishIds(...args) {
      await refuseEvents(pool, [first!.eventId!]);
      return await publisher.publishIds(...args);
    },
  };
  await assert.rejects(acceptor({ publisher: racing }).accept(event("k")), /refused meanwhile/);
});

test("an event that was dispatched before it could be refused is a 200", async (t) => {
  const { acceptor, pool } = await setUp(t);
  const dispatched: Publisher = {
    async publishIds() {
      await pool.query("delete from undispatched_events");
      await pool.query("update events set dispatched_at = now()");
      throw new PublishFault("timeout", "the acknowledgement was lost");
    },
  };
  assert.equal((await acceptor({ publisher: dispatched }).accept(event())).outcome, "accepted");
});

test("the answer does not wait for a database that hangs, and an event that it commits later is refused", async (t) => {
  const { acceptor, pool, stored } = await setUp(t);
  let go = () => {};
  const hanging = new Promise<void>((resolve) => {
    go = resolve;
  });
  let finished: AcceptResult[] | undefined;
  const slow = acceptor({
    answerWithinMs: 50,
    async acceptEvents(_, batch) {
      await hanging;
      finished = await acceptEvents(pool, batch);
      return finished;
    },
  });
  await assert.rejects(slow.accept(event()), /in time/);
  go();
  await slow.idle();
  assert.equal(finished?.[0]?.outcome, "accepted");
  const { rows } = await pool.query("select refused_at is not null as refused from events");
  assert.deepEqual(rows, [{ refused: true }]);
  assert.deepEqual(await stored(), []);
});

/** A clock that `timeOut` moves forward by an hour, as if the newest wait of an hour were over. */
function timeouts(t: test.TestContext) {
  const { mock } = t.mock.method(globalThis, "setTimeout");
  let nowMs = 0;
  return {
    nowMs: () => nowMs,
    timeOut() {
      nowMs += HOUR_MS;
      const set = mock.calls.findLast((call) => call.arguments[1] === HOUR_MS);
      (set!.arguments[0] as () => void)();
    },
  };
}

test("an event that is acknowledged after its client was answered 500 is refused, unless it was dispatched", async (t) => {
  const { acceptor, pool, publisher, stored } = await setUp(t);
  const { nowMs, timeOut } = timeouts(t);
  for (const isDispatched of [false, true]) {
    const answered = Promise.withResolvers<void>();
    const slow = acceptor({
      answerWithinMs: HOUR_MS,
      nowMs,
      publisher: {
        async publishIds(...args) {
          const receipt = await publisher.publishIds(...args);
          timeOut();
          await answered.promise;
          if (isDispatched) {
            await pool.query("delete from undispatched_events");
            await pool.query("update events set dispatched_at = now() where refused_at is null");
          }
          return receipt;
        },
      },
    });
    await assert.rejects(slow.accept(event()), /in time/);
    answered.resolve();
    await slow.idle();
    const { rows } = await pool.query(
      "select refused_at is not null as refused from events order by id desc limit 1",
    );
    assert.deepEqual(rows, [{ refused: !isDispatched }]);
    await pool.query("delete from events");
  }
  assert.equal((await stored()).length, 2);
});

test("a replay whose client no longer waits does not keep the first request's event", async (t) => {
  const { acceptor, pool, publisher } = await setUp(t);
  const [first] = await acceptEvents(pool, [event("k")]);
  const answered = Promise.withResolvers<void>();
  const { nowMs, timeOut } = timeouts(t);
  const slow = acceptor({
    answerWithinMs: HOUR_MS,
    nowMs,
    publisher: {
      async publishIds(...args) {
        const receipt = await publisher.publishIds(...args);
        timeOut();
        await answered.promise;
        return receipt;
      },
    },
  });
  await assert.rejects(slow.accept(event("k")), /in time/);
  answered.resolve();
  await slow.idle();
  // Its own request, which fails meanwhile, refuses it.
  assert.deepEqual([...(await refuseEvents(pool, [first!.eventId!]))], [first!.eventId]);
});

test("an acknowledgement that has arrived is read before the deadline is judged", async (t) => {
  const { acceptor } = await setUp(t);
  const { nowMs, timeOut } = timeouts(t);
  const { near, far } = await socketPair(t);
  const busy = acceptor({
    answerWithinMs: HOUR_MS,
    nowMs,
    publisher: {
      async publishIds() {
        // It is in the socket, unread, when the timer fires.
        setImmediate(() => {
          far.write("acknowledged");
          timeOut();
        });
        await once(near, "data");
        return { duplicate: false, streamSequence: 1 };
      },
    },
  });
  assert.equal((await busy.accept(event())).outcome, "accepted");
});

async function socketPair(t: test.TestContext): Promise<{ near: Socket; far: Socket }> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const near = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [far] = (await once(server, "connection")) as [Socket];
  t.after(() => {
    near.destroy();
    far.destroy();
    server.close();
  });
  return { near, far };
}

test("a fault of the database fails the whole batch at once; a fault of the data only its own event", async (t) => {
  const { acceptor, pool } = await setUp(t);
  let calls = 0;
  const down = acceptor({
    acceptEvents() {
      calls += 1;
      return Promise.reject(Object.assign(new Error("shutdown"), { code: "57P01" }));
    },
  });
  const results = await Promise.allSettled([down.accept(event()), down.accept(event())]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ["rejected", "rejected"],
  );
  assert.equal(calls, 1);
  const { accept } = acceptor();
  const poisoned = { ...event(), id: "no uuid" };
  const mixed = await Promise.allSettled([accept(event()), accept(poisoned), accept(event())]);
  assert.deepEqual(
    mixed.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled"],
  );
  assert.equal((await pool.query("select count(*)::integer as n from events")).rows[0].n, 2);
});

const resting = (key: string, sendAt = new Date(Date.now() + HOUR_MS).toISOString()) => ({
  ...event(key),
  options: { sendAt },
});

test("a scheduled event is accepted by the commit alone; a replay of it publishes nothing, with NATS or without", async (t) => {
  const { pool, acceptor, stored } = await setUp(t);
  const [one, other] = [acceptor({ publisher: broken }), acceptor()];
  const first = await one.accept(resting("k"));
  assert.equal(first.outcome, "scheduled");
  for (const replica of [other, one, other]) {
    const again = await replica.accept(resting("k"));
    assert.equal(again.outcome, "replayed");
    assert.equal(again.eventId, first.eventId);
  }
  // Together with others, and in one batch.
  const batch = await Promise.all([
    other.accept(resting("twice")),
    other.accept(resting("twice")),
    other.accept(event("plain")),
  ]);
  assert.deepEqual(batch.map(({ outcome }) => outcome).sort(), [
    "accepted",
    "replayed",
    "scheduled",
  ]);
  const plain = batch.find(({ outcome }) => outcome === "accepted")!;
  assert.deepEqual(
    (await stored()).map(({ ids }) => ids),
    [[plain.eventId]],
  );
  const { rows } = await pool.query(
    `select (select count(*) from scheduled_events)::integer as resting,
            (select array_agg(event_id) from undispatched_events) as waiting`,
  );
  assert.deepEqual(rows, [{ resting: 2, waiting: [plain.eventId] }]);
});

test("a past time means now: the event is published", async (t) => {
  const { acceptor, stored } = await setUp(t);
  const { accept } = acceptor();
  const past = await accept(resting("past", new Date(Date.now() - HOUR_MS).toISOString()));
  const zero = await accept({ ...event("zero"), options: { delaySeconds: 0 } });
  assert.deepEqual([past.outcome, zero.outcome], ["accepted", "accepted"]);
  assert.deepEqual(
    (await stored()).flatMap(({ ids }) => ids),
    [past.eventId, zero.eventId],
  );
});

test("a scheduled event whose client was answered 500 is refused, unless a replay was answered", async (t) => {
  const { pool, acceptor } = await setUp(t);
  const commit = Promise.withResolvers<void>();
  const late = acceptor({
    answerWithinMs: 1,
    async acceptEvents(_, batch) {
      const results = await acceptEvents(pool, batch);
      await commit.promise;
      return results;
    },
  });
  const inVain = resting("in vain");
  const answered = resting("answered");
  const told = Promise.all([
    assert.rejects(late.accept(inVain), /in time/),
    assert.rejects(late.accept(answered), /in time/),
  ]);
  await told;
  // Both are stored by now, or will be: the test asks until they are.
  let replay = await acceptor().accept(resting("answered"));
  assert.equal(replay.outcome === "replayed" || replay.outcome === "scheduled", true);
  replay = await acceptor().accept(resting("answered"));
  assert.equal(replay.outcome, "replayed");
  commit.resolve();
  await late.idle();
  const { rows } = await pool.query("select event_id from scheduled_events");
  assert.deepEqual(rows, [{ event_id: replay.eventId }]);
  const { rows: refused } = await pool.query("select id from events where refused_at is not null");
  assert.deepEqual(refused, [{ id: inVain.id }]);
  // The daily cap has its slot back, and the same key is a new acceptance.
  const { rows: slots } = await pool.query("select day_total from tenant_limits");
  assert.equal(slots[0].day_total, 1);
  assert.equal((await acceptor().accept(resting("in vain"))).outcome, "scheduled");
});
