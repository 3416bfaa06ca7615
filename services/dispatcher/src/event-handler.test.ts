import assert from "node:assert/strict";
import { test } from "node:test";
import { isProviderChannel, USUAL_CHANNELS } from "@belfry/contracts/channels";
import { PLATFORM } from "@belfry/contracts/identifiers";
import { REASONS } from "@belfry/contracts/reasons";
import { refuseEvents } from "@belfry/database/functions/accept-events";
import { createKeyedSerialQueue } from "@belfry/service/keyed-serial-queue";
import type { MessageHandler } from "@belfry/service/message-batch";
import { assertEach } from "@belfry/testing/assert-each";
import { assertHas } from "@belfry/testing/assert-has";
import { untilBlocked } from "@belfry/testing/until-blocked";
import { uuidv7 } from "uuidv7";
import { dispatcherUnderTest, eventsMessage } from "../test/dispatcher-under-test.ts";
import { createEventHandler } from "./event-handler.ts";
import { createNotedErasure, noteSensitiveEvents } from "./sensitive-events.ts";

const DONE = { kind: "done" };

async function setUp(t: Parameters<typeof dispatcherUnderTest>[0], inFlightPerTenant?: number) {
  const under = await dispatcherUnderTest(t, inFlightPerTenant);
  const handler = createEventHandler(under.deps);
  const handle = async (
    ids: readonly string[],
    deliveryCount = 1,
    by: MessageHandler = handler,
  ) => {
    const signal = new AbortController().signal;
    return await by([eventsMessage(ids, deliveryCount)], { log: under.log, signal });
  };
  return { ...under, acme: await under.tenant(), handler, handle };
}

/** With templates on every channel. */
async function withOrders(...given: Parameters<typeof setUp>) {
  const under = await setUp(...given);
  await under.templates(under.acme, "order.confirmed");
  return under;
}

/** The reason on each channel for which `templates` makes one. */
const each = (reason: string) =>
  Object.fromEntries(USUAL_CHANNELS.map((channel) => [channel, reason]));

test("an event becomes a delivery on each channel with a sender, and a push with the first offset of its channel", async (t) => {
  const { acme, templates, events, handle, deliveries, sent, outcome, pool } = await setUp(t);
  await templates(acme, "order.confirmed", undefined, {
    target: "orders",
    expiresAfterSeconds: 60,
  });
  const [id = ""] = await events(acme, {});
  assert.deepEqual(await handle([id]), [DONE]);

  const rows = await deliveries();
  assert.deepEqual(
    rows.map((row) => [row.event_id, row.tenant_id, row.channel, row.status]).sort(),
    USUAL_CHANNELS.filter(isProviderChannel)
      .map((channel) => [id, acme, channel, "queued"])
      .sort(),
  );
  for (const row of rows) {
    assert.ok(row.released_at !== null && row.due_at !== null);
    assert.ok(row.expires_at > row.created_at);
  }
  assert.deepEqual(
    sent.deliveries.map((delivery) => delivery.id).sort(),
    rows.map((row) => row.id),
  );
  assert.equal(sent.deliveries[0]?.traceId, "trace-1");
  const [push] = sent.pushes;
  assert.ok(push !== undefined);
  assert.deepEqual(
    [push.channelName, push.offset, push.title, push.body, push.eventId, push.traceId],
    ["orders", 1, "Order", "Hello Ada", id, "trace-1"],
  );
  const history = await pool.query("select * from notifications");
  assertHas(history.rows[0], { id, created_at: push.createdAt });
  const event = await outcome(id);
  assert.ok(event.dispatched_at !== null);
  assert.equal(event.outcome, null);
  assert.equal((await pool.query("select 1 from undispatched_events")).rowCount, 0);
});

test("every channel without a delivery records its reason on the event", async (t) => {
  const { tenant, templates, events, handle, outcome, deliveries } = await setUp(t);
  const acme = await tenant({ deliveryChannels: ["EMAIL", "SMS"], providers: ["EMAIL"] });
  await templates(acme, "order.confirmed");
  const [id = ""] = await events(acme, { email: null });
  await handle([id]);
  assert.deepEqual((await outcome(id)).outcome, {
    skipped: {
      ...each("channel not allowed"),
      EMAIL: "no recipientEmail",
      SMS: "no active provider",
    },
  });
  assert.equal((await deliveries()).length, 0);
});

test("a global type uses only the platform's templates; other types never use them", async (t) => {
  const { pool, tenant, events, handle, sent, templates } = await setUp(t);
  await pool.query("delete from templates");
  const [acme, other] = [await tenant(), await tenant()];
  await templates(PLATFORM, "global.info", ["PUSH"], { target: "global_system" });
  await templates(other, "order.confirmed", ["PUSH"]);
  const ids = await events(acme, { eventType: "global.info" }, { eventType: "order.confirmed" });
  await handle(ids);
  assert.deepEqual(
    sent.pushes.map((push) => [push.eventId, push.tenantId, push.channelName]),
    [[ids[0], acme, "global_system"]],
  );
});

test("an event that is handled twice creates nothing, and publishes again only what may not have left", async (t) => {
  const { acme, events, handle, deliveries, sent, pool } = await withOrders(t);
  const ids = await events(acme, {}, { userId: "user-2" });
  await handle(ids);
  const first = { deliveries: [...sent.deliveries], pushes: [...sent.pushes] };
  const rows = await deliveries();
  await pool.sql`update deliveries set status = 'sending' where id = ${rows[0].id}`;
  sent.deliveries.length = 0;
  sent.pushes.length = 0;

  assert.deepEqual(await handle(ids), [DONE]);
  assert.equal((await deliveries()).length, rows.length);
  const byEvent = (a: { eventId: string }, b: { eventId: string }) =>
    a.eventId < b.eventId ? -1 : 1;
  assert.deepEqual(sent.pushes.toSorted(byEvent), first.pushes.toSorted(byEvent));
  assert.deepEqual(
    sent.deliveries.map((delivery) => delivery.id).sort(),
    rows.slice(1).map((row) => row.id),
    "a delivery that a sender has taken is not published again",
  );
});

test("a push has the links of its template, alone and in a batch, and the same when it is published again", async (t) => {
  const { acme, templates, events, handle, sent, pool } = await setUp(t);
  const actions = [{ label: "Track {{name}}", url: "https://t.example/{{name}}" }];
  await templates(acme, "order.sent", ["PUSH"], { links: { url: "/orders/{{name}}", actions } });
  await templates(acme, "order.confirmed", ["PUSH"]);
  const linked = { eventType: "order.sent" };
  const alone = await events(acme, { ...linked, userId: "u0" });
  const among = await events(acme, { userId: "u1" }, { ...linked, userId: "u2" }, {}, linked);
  await handle(alone);
  await handle(among);
  const leads = [
    "/orders/Ada",
    JSON.stringify([{ label: "Track Ada", url: "https://t.example/Ada" }]),
  ];
  const isLinked = new Set([alone[0], among[1], among[3]]);
  const expected = [...alone, ...among].map((id) => [
    id,
    ...(isLinked.has(id) ? leads : [null, null]),
  ]);
  const stored = async () => {
    const rows = await pool.sql`select id, url, actions from notifications order by id`;
    return rows.map(({ id, url, actions }) => [id, url, actions]);
  };
  const published = () =>
    sent.pushes
      .map(({ eventId, url, actions }) => [eventId, url ?? null, actions ?? null])
      .toSorted(([a], [b]) => (a! < b! ? -1 : 1));
  assert.deepEqual(await stored(), expected);
  assert.deepEqual(published(), expected);
  sent.pushes.length = 0;
  await handle([...alone, ...among]);
  assert.deepEqual(published(), expected);
  assert.deepEqual(await stored(), expected);
});

test("if a dispatcher is killed between commit and publish, the redelivered message publishes everything", async (t) => {
  const { acme, events, handle, deliveries, sent, deps } = await withOrders(t);
  const ids = await events(acme, {}, {}, {});
  const dying = createEventHandler({
    ...deps,
    dispatchPublisher: {
      publishDeliveries: () => Promise.reject(new Error("killed")),
      publishPushes: () => Promise.reject(new Error("killed")),
    },
  });
  await assert.rejects(handle(ids, 1, dying), /killed/);
  assert.equal(sent.pushes.length, 0);

  assert.deepEqual(await handle(ids, 2), [DONE]);
  assert.deepEqual(
    sent.deliveries.map((delivery) => delivery.id).sort(),
    (await deliveries()).map((row) => row.id),
  );
  assert.deepEqual(sent.pushes.map((push) => push.offset).sort(), [1, 2, 3]);
});

test("two replicas at the same time give each channel contiguous offsets, and dispatch each event once", async (t) => {
  const { tenant, templates, events, handle, sent, pool, deliveries, deps, warnings } = await setUp(
    t,
    1000,
  );
  const other = createEventHandler({ ...deps, userQueue: createKeyedSerialQueue() });
  const acme = await tenant();
  await templates(acme, "order.confirmed");
  const ids: string[] = [];
  for (let batch = 0; batch < 4; batch += 1) {
    const setups = Array.from({ length: 50 }, (_, at) => ({ userId: `user-${at % 7}` }));
    ids.push(...(await events(acme, ...setups)));
  }
  const half = ids.length / 2;
  // Both get the same 100 in the middle.
  await Promise.all([
    handle(ids.slice(0, half + 50)),
    handle(ids.slice(half - 50).reverse(), 1, other),
    handle(ids),
  ]);
  const rows = await pool.sql`select user_id,
      array_agg(channel_offset::int order by channel_offset) as offsets,
           array_agg(channel_offset::int order by created_at, id) as by_time
    from notifications group by 1 order by 1`;
  assert.equal(rows.length, 7);
  for (const { user_id, offsets, by_time } of rows) {
    assert.deepEqual(
      offsets,
      Array.from(offsets, (_, at) => at + 1),
      user_id,
    );
    assert.deepEqual(by_time, offsets, "time and offset grow together");
  }
  assert.equal((await deliveries()).length, ids.length * 2);
  assert.equal(new Set(sent.pushes.map((push) => push.eventId)).size, ids.length);
  assert.deepEqual(warnings, [], "nothing collided");
});

/** Accepted one after another, as for a tenant that waits for each answer. */
async function inSequence(
  { acme, templates, events }: Awaited<ReturnType<typeof setUp>>,
  count: number,
) {
  await templates(acme, "order.confirmed", ["PUSH"]);
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) ids.push(...(await events(acme, {})));
  return ids;
}

test("an event dispatches earlier ones of its user first, wherever they wait, and keeps its time of acceptance", async (t) => {
  const under = await setUp(t);
  const { handle, sent, pool } = under;
  const ids = await inSequence(under, 4);
  assert.deepEqual(await handle([ids[2]!]), [DONE]);
  assert.deepEqual(await handle([ids[0]!, ids[3]!]), [DONE]);
  const rows = await pool.sql`select n.id, n.channel_offset::int as n from notifications n
    join events e on e.id = n.id and e.accepted_at = n.created_at order by n.created_at`;
  assert.deepEqual(
    rows,
    ids.map((id, at) => ({ id, n: at + 1 })),
  );
  const offsets = new Map(sent.pushes.map((push) => [push.eventId, push.offset]));
  assertEach(ids, (id) => offsets.get(id), [1, 2, 3, 4]);
});

test("an event waits for an earlier one that another replica is dispatching, and does not dispatch it again", async (t) => {
  const under = await setUp(t);
  const { handle, sent, pool } = under;
  const [first = "", second = ""] = await inSequence(under, 2);
  const other = await pool.connect();
  await other.query("begin");
  await other.query("delete from undispatched_events where event_id = $1", [first]);
  const handling = handle([second]);
  await untilBlocked(pool);
  assert.equal(sent.pushes.length, 0);
  await other.query("commit");
  other.release();
  assert.deepEqual(await handling, [DONE]);
  assertEach(sent.pushes, (push) => push.eventId, [second]);
});

test("an earlier event that cannot be dispatched does not delay later ones", async (t) => {
  const under = await setUp(t);
  const { handle, outcome, pool } = under;
  const [poisoned = "", second = "", third = ""] = await inSequence(under, 3);
  await pool.sql`update events set variables = '{broken' where id = ${poisoned}`;
  assert.deepEqual(await handle([third]), [DONE]);
  assert.deepEqual(await handle([poisoned]), [
    { kind: "retry", delayMs: 2000, reason: "poisoned" },
  ]);
  const rows = await pool.sql`select id from notifications order by channel_offset`;
  assertEach(rows, (row) => row.id, [second, third]);
  assert.equal((await outcome(poisoned)).dispatched_at, null);
});

test("an event behind a long queue of its user is deferred, and its neighbours are not", async (t) => {
  const under = await setUp(t);
  const { acme, templates, events, handle, outcome, pool } = under;
  await templates(acme, "order.confirmed", ["PUSH"]);
  for (let batch = 0; batch < 5; batch += 1) {
    await events(acme, ...Array.from({ length: 200 }, () => ({})));
  }
  const [last = "", neighbour = ""] = await events(acme, {}, { userId: "user-2" });
  const [outcomeOfFirst] = await handle([last, neighbour]);
  assert.equal(outcomeOfFirst?.kind, "retry");
  assert.ok((await outcome(neighbour)).dispatched_at !== null);
  assert.equal((await outcome(last)).dispatched_at, null);
  const before = await pool.query("select 1 from undispatched_events");
  assert.ok(Number(before.rowCount) < 1001, "part of the queue went");
  assert.deepEqual(await handle([last, neighbour], 2), [DONE]);
  const rows =
    await pool.sql`select channel_offset::int as n from notifications where id = ${last}`;
  assert.deepEqual(rows, [{ n: 1001 }]);
});

test("a message that may have ended a process is handled alone", async (t) => {
  const under = await setUp(t);
  const { handler, log, sent } = under;
  const [, second = ""] = await inSequence(under, 2);
  const suspect = { ...eventsMessage([second], 12), unfinishedTries: 1 };
  assert.deepEqual(await handler([suspect], { log, signal: t.signal }), [DONE]);
  assertEach(sent.pushes, (push) => push.eventId, [second]);
});

test("a poisoned event among 99 good ones fails alone, and ends as failed with its last attempt", async (t) => {
  const { acme, events, handle, outcome, sent, pool } = await withOrders(t, 1000);
  const ids = await events(acme, ...Array.from({ length: 100 }, () => ({})));
  const poisoned = ids[42] ?? "";
  await pool.sql`update events set variables = '{broken' where id = ${poisoned}`;

  assert.deepEqual(await handle(ids), [{ kind: "retry", delayMs: 2000, reason: "poisoned" }]);
  assert.equal(sent.pushes.length, 99);
  assert.equal((await outcome(poisoned)).dispatched_at, null);

  assert.equal((await handle(ids, 10))[0]?.kind, "reject");
  const event = await outcome(poisoned);
  assert.ok(event.dispatched_at !== null);
  assert.equal(event.outcome.failed.EMAIL, REASONS["dispatch-failed"]);
  assert.deepEqual(await handle(ids, 1), [DONE]);
});

test("a fault outside the event is thrown, and no event ends", async (t) => {
  const { acme, events, handle, outcome, pool } = await withOrders(t);
  const [id = ""] = await events(acme, {});
  await pool.query("alter function outstanding rename to elsewhere");
  await assert.rejects(handle([id], 10));
  assert.equal((await outcome(id)).dispatched_at, null);
  await pool.query("alter function elsewhere rename to outstanding");
  assert.deepEqual(await handle([id], 10), [DONE]);
});

test("a failure while publishing ends no event, whatever its name", async (t) => {
  const { acme, events, handle, deps, sent } = await withOrders(t);
  const [id = ""] = await events(acme, {});
  const broken = createEventHandler({
    ...deps,
    dispatchPublisher: {
      ...deps.dispatchPublisher,
      publishPushes: () => Promise.reject(new TypeError("not a socket")),
    },
  });
  await assert.rejects(handle([id], 10, broken), TypeError);
  assert.deepEqual(await handle([id], 11), [DONE]);
  assert.equal(sent.pushes.length, 1);
});

test("a message that cannot be decoded is rejected, and its neighbours are handled", async (t) => {
  const { tenant, events, handler, log, outcome } = await setUp(t);
  const [id = ""] = await events(await tenant(), {});
  const signal = new AbortController().signal;
  const broken = { ...eventsMessage([id]), data: Buffer.from("{") };
  const notAnId = eventsMessage(["1; drop table events"]);
  const outcomes = await handler([broken, eventsMessage([id]), notAnId], { log, signal });
  assertEach(outcomes, (one) => one.kind, ["reject", "done", "reject"]);
  assert.ok((await outcome(id)).dispatched_at !== null);
});

test("a refused event and an unknown id are done without work", async (t) => {
  const { acme, events, handle, sent, outcome, pool } = await withOrders(t);
  const [id = ""] = await events(acme, {});
  await refuseEvents(pool, [id]);
  assert.deepEqual(await handle([id, "0193a000-0000-7000-8000-000000000001"]), [DONE]);
  assert.equal((await outcome(id)).dispatched_at, null);
  assert.equal(sent.deliveries.length + sent.pushes.length, 0);
});

test("a request that was replaced between reading and claiming is read again, and never sent in its old form", async (t) => {
  const { acme, events, handle, sent, pool, deps, deliveries } = await withOrders(t);
  const [id = ""] = await events(acme, {});
  const late = createEventHandler({
    ...deps,
    routing: {
      ...deps.routing,
      routingFor: async (batch) => {
        await pool.sql`update events set variables = '{"title":"New","name":"Bo"}',
          accepted_at = accepted_at + interval '1 microsecond' where id = ${id}`;
        return await deps.routing.routingFor(batch);
      },
    },
  });
  const [outcome] = await handle([id], 1, late);
  assert.equal(outcome?.kind, "retry");
  assert.equal((await deliveries()).length, 0);
  await handle([id], 2);
  assert.equal(sent.pushes[0]?.title, "New");
});

test("if another replica has dispatched part of a batch, only the rest is written", async (t) => {
  const { tenant, templates, events, handle, sent, pool, deps, deliveries, outcome, warnings } =
    await setUp(t);
  const acme = await tenant();
  await templates(acme, "order.confirmed");
  const [first = "", second = "", third = ""] = await events(acme, {}, {}, { email: null });
  let other: Promise<unknown> | undefined;
  const late = createEventHandler({
    ...deps,
    userQueue: createKeyedSerialQueue(),
    routing: {
      ...deps.routing,
      routingFor: async (batch) => {
        other ??= handle([first, second]);
        await other;
        await pool.query(
          "update events set dispatched_at = 'epoch' where dispatched_at is not null",
        );
        return await deps.routing.routingFor(batch);
      },
    },
  });
  assert.deepEqual(await handle([first, second, third], 1, late), [DONE]);
  assert.deepEqual(warnings, []);
  assert.equal((await deliveries()).length, 5);
  for (const id of [first, second]) {
    assert.equal((await outcome(id)).dispatched_at.getTime(), 0, "stamped once");
  }
  const history = await pool.query(
    "select id, channel_offset::int as n from notifications order by 2",
  );
  assertEach(history.rows, (row) => row.n, [1, 2, 3]);
  assert.equal(history.rows[2].id, third);
  assert.equal(new Set(sent.pushes.map((push) => push.offset)).size, 3);
});

test("while another replica counts a tenant's deliveries, its new ones wait", async (t) => {
  const { tenant, templates, events, handle, pool, deliveries, rests } = await setUp(t);
  const [busy, free] = [await tenant(), await tenant()];
  await templates(busy, "order.confirmed", ["EMAIL"]);
  await templates(free, "order.confirmed", ["EMAIL"]);
  const ids = [...(await events(busy, {})), ...(await events(free, {}))];
  const client = await pool.connect();
  await client.query("begin");
  await client.query("select pg_advisory_xact_lock(release_lock('EMAIL', $1))", [busy]);
  await handle(ids);
  await client.query("rollback");
  client.release();
  const resting = await deliveries("released_at is null");
  assertEach(resting, (row) => row.tenant_id, [busy]);
  assert.equal(rests(), 1);
});

test("a deactivated tenant's events end as skipped once the change is known", async (t) => {
  const { acme, events, handle, outcome, pool, deps } = await withOrders(t);
  const [first = "", second = ""] = await events(acme, {}, {});
  await handle([first]);
  await pool.sql`update tenants set active = false where id = ${acme}`;
  deps.routing.clear();
  await handle([second]);
  assert.deepEqual((await outcome(second)).outcome, {
    skipped: each("tenant inactive"),
  });
});

test("a tenant has at most its share outstanding; the rest waits in Postgres", async (t) => {
  const { tenant, templates, events, handle, deliveries, sent, rests } = await setUp(t, 10);
  const [big, small] = [await tenant(), await tenant()];
  await templates(big, "order.confirmed", ["EMAIL"]);
  await templates(small, "order.confirmed", ["EMAIL"]);
  const flood = await events(big, ...Array.from({ length: 60 }, () => ({})));
  await Promise.all([handle(flood.slice(0, 30)), handle(flood.slice(30))]);
  const [code = ""] = await events(small, {});
  await handle([code]);
  assert.equal((await deliveries(`tenant_id = '${big}' and released_at is not null`)).length, 10);
  assert.equal((await deliveries(`tenant_id = '${big}'`)).length, 60);
  assert.equal(sent.deliveries.filter((one) => one.tenantId === small).length, 1);
  assert.ok(rests() > 0);
});

test("deliveries that could not be published wait until the release loop takes them", async (t) => {
  const { acme, events, handle, deliveries, deps, sent } = await withOrders(t);
  const ids = await events(acme, {});
  const full = createEventHandler({
    ...deps,
    dispatchPublisher: { ...deps.dispatchPublisher, publishDeliveries: async (all) => [...all] },
  });
  assert.deepEqual(await handle(ids, 1, full), [DONE]);
  assert.equal((await deliveries("released_at is null")).length, 2);
  assert.equal(sent.pushes.length, 1);
});

test("variables of a one-time code are erased when nothing needs them any more", async (t) => {
  const { acme, templates, events, handle, outcome } = await setUp(t);
  await templates(acme, "otp", ["PUSH", "SMS"], { sensitive: true });
  const [pushOnly = "", withSms = ""] = await events(
    acme,
    { eventType: "otp", phone: null },
    { eventType: "otp" },
  );
  await handle([pushOnly, withSms]);
  assert.equal((await outcome(pushOnly)).variables, null);
  assert.notEqual((await outcome(withSms)).variables, null);
});

test("an event that was accepted while its template was sensitive is dispatched as sensitive", async (t) => {
  const { acme, templates, events, handle, outcome, pool } = await setUp(t);
  await templates(acme, "otp", ["PUSH"]);
  await templates(acme, "news", ["PUSH"]);
  await pool.query(
    `update templates set sensitive_until = now() + case event_type
       when 'otp' then interval '1 hour' else interval '-1 hour' end`,
  );
  const [code = "", news = ""] = await events(acme, { eventType: "otp" }, { eventType: "news" });
  await handle([code, news]);
  assert.equal((await outcome(code)).variables, null);
  assert.notEqual((await outcome(news)).variables, null);
});

test("variables that are sensitive on one channel are erased only when the last channel has ended", async (t) => {
  const { acme, templates, events, handle, outcome, pool } = await setUp(t);
  await templates(acme, "otp", ["PUSH"], { sensitive: true });
  await templates(acme, "otp", ["EMAIL"]);
  const [id = "", refused = ""] = await events(acme, { eventType: "otp" }, { eventType: "otp" });
  await noteSensitiveEvents(pool, [refused]);
  await handle([id]);
  const erase = createNotedErasure(pool, 10);
  assert.equal(await erase(), 0);
  assert.notEqual((await outcome(id)).variables, null);
  await pool.sql`update deliveries set status = 'accepted' where event_id = ${id}`;
  assert.equal(await erase(), 1);
  assert.equal((await outcome(id)).variables, null);
  // It is not dispatched yet: its variables are still needed.
  assert.notEqual((await outcome(refused)).variables, null);
  await pool.query("delete from events");
  assert.equal(await erase(), 1);
});

test("files of a sensitive event go with its variables, once the last channel has ended, and their names with them", async (t) => {
  const { acme, templates, events, handle, pool } = await setUp(t);
  await templates(acme, "otp", ["EMAIL"], { sensitive: true });
  const [id = "", other = ""] = await events(acme, { eventType: "otp" }, { eventType: "otp" });
  const [own, shared] = [uuidv7(), uuidv7()];
  await pool.sql`insert into attachments (id, tenant_id, name, type, bytes, sha256, complete,
      named, created_at)
    select id, ${acme}, 'diagnosis.pdf', 'a/b', 1, '', true, true, now()
    from unnest(${[own, shared]}::uuid[]) f (id)`;
  await pool.sql`insert into event_attachments
    values (${id}, 1, ${own}), (${id}, 2, ${shared}), (${other}, 1, ${shared})`;
  await pool.sql`update events
    set envelope = '{"fromName": "Ann", "attachments": [{"name": "diagnosis.pdf"}]}'
    where id = any (${[id, other]})`;
  await handle([id, other]);
  const erase = createNotedErasure(pool, 10);
  assert.equal(await erase(), 0);
  await pool.sql`update deliveries set status = 'accepted' where event_id = ${id}`;
  assert.equal(await erase(), 1);
  const rows = await pool.sql`select (select json_agg(id) from attachments) as files,
    (select json_agg(event_id) from event_attachments) as links,
    (select envelope from events where id = ${id}) as envelope`;
  assert.deepEqual(rows, [{ files: [shared], links: [other], envelope: { fromName: "Ann" } }]);
});

test("variables of a one-time code are erased although its sender ended before it could, behind any number of waiting events", async (t) => {
  const { acme, templates, events, handle, outcome, pool } = await setUp(t);
  await templates(acme, "otp", ["EMAIL"], { sensitive: true });
  await templates(acme, "order.confirmed", ["EMAIL"]);
  const codes = await events(acme, ...Array.from({ length: 7 }, () => ({ eventType: "otp" })));
  const [order = ""] = await events(acme, {});
  await handle([...codes, order]);
  const noted = async () => (await pool.query("select from sensitive_events")).rowCount;
  assert.equal(await noted(), codes.length, "nothing is noted of an event that is not sensitive");
  // The state after the sender's commit; the others wait.
  const ended = [codes[3], codes[6]];
  await pool.sql`update deliveries set status = 'accepted' where event_id = any (${ended})`;
  const erase = createNotedErasure(pool, 2);
  const erased = [await erase(), await erase(), await erase()];
  assert.deepEqual(erased, [0, 1, 1]);
  for (const id of codes) {
    const { variables } = await outcome(id);
    assert.equal(variables === null, ended.includes(id), id);
  }
  assert.equal(await noted(), 5);
});
