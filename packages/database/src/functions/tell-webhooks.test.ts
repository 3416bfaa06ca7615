import assert from "node:assert/strict";
import { test } from "node:test";
import { DELIVERY_STATUSES, DELIVERY_TRANSITIONS } from "@belfry/contracts/delivery";
import { WEBHOOK_TYPES } from "@belfry/contracts/webhook-payload";
import { assertEach } from "@belfry/testing/assert-each";
import { connectedDatabase } from "@belfry/testing/database";
import { aDelivery, anEvent } from "@belfry/testing/rows";
import { uuidv7 } from "uuidv7";
import { webhooksUnderTest } from "../../test/webhooks-under-test.ts";
import { changeNotification, markAllNotificationsRead } from "../notifications.ts";
import { setPreferences } from "../preferences.ts";

/** A delivery is on its way, or a person has put it away: nothing that a tenant is told of. */
const NOT_TOLD = ["queued", "sending", "waiting", "discarded"];
const types: readonly string[] = WEBHOOK_TYPES;

test("every status is told of, or is one of those that are not", () => {
  for (const status of DELIVERY_STATUSES) {
    assert.equal(types.includes(`delivery.${status}`), !NOT_TOLD.includes(status), status);
  }
});

test("of every move to where a delivery has ended or been sent whoever wants it is told once, and nobody else", async (t) => {
  const { pool, delivery, told, forget } = await webhooksUnderTest(t);
  for (const [from, targets] of Object.entries(DELIVERY_TRANSITIONS)) {
    for (const to of targets) {
      const { id, eventId } = await delivery({ status: from });
      await delivery({ status: from, tenant: "plain" });
      await pool.sql`update deliveries set status = ${to}
        where status = ${from} and channel = 'EMAIL'`;
      const type = `delivery.${to}`;
      const wanted = NOT_TOLD.includes(to) ? [] : to === "failed" ? ["all", "failures"] : ["all"];
      const found = await told();
      assert.deepEqual(
        found.map((one) => `${one.webhook} ${one.type} ${one.status}`),
        wanted.map((name) => `${name} ${type} queued`),
        `${from} > ${to}`,
      );
      for (const { data, user } of found) {
        const { occurredAt, ...rest } = data;
        assert.match(String(occurredAt), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        assert.equal(user, "ann");
        assert.deepEqual(rest, {
          ...{ deliveryId: id, id: eventId, eventId: `ref ${eventId}` },
          ...{ eventType: "order.confirmed", channel: "EMAIL", status: to, reason: null },
        });
      }
      await forget();
      await pool.query("delete from deliveries");
    }
  }
});

test("a row that says the same status again, and one that a message of a webhook moves to, tell nothing", async (t) => {
  const { pool, delivery, told } = await webhooksUnderTest(t);
  const { id } = await delivery({ status: "accepted" });
  await pool.sql`update deliveries set status = 'accepted', reason = 'x' where id = ${id}`;
  assert.deepEqual(await told(), []);
  await pool.sql`update deliveries set status = 'delivered' where id = ${id}`;
  await pool.query("update deliveries set status = 'accepted' where channel = 'WEBHOOK'");
  assert.deepEqual(
    (await told()).map(({ type, status }) => [type, status]),
    [["delivery.delivered", "accepted"]],
  );
});

test("what is written as ended is told of; a move that is rolled back leaves no message", async (t) => {
  const { pool, delivery, told } = await webhooksUnderTest(t);
  const { id, eventId } = await delivery();
  const client = await pool.connect();
  await client.query("begin");
  await client.query("update deliveries set status = 'failed' where id = $1", [id]);
  await client.query("rollback");
  client.release();
  assert.deepEqual(await told(), []);
  assert.deepEqual((await pool.query("select from deliveries where channel = 'WEBHOOK'")).rows, []);
  const ended = { status: "expired", settled_at: new Date() } as const;
  const reason = "it would expire before quiet hours end";
  await aDelivery(pool, { ...ended, event_id: eventId, channel: "SMS", reason });
  assert.deepEqual(
    (await told()).map(({ type, data }) => [type, data.reason]),
    [["delivery.expired", reason]],
  );
});

test("what is told to a paused endpoint is held for it from the beginning", async (t) => {
  const { pool, delivery, webhooks } = await webhooksUnderTest(t);
  await pool.sql`update webhooks set paused_until = '2100-01-01Z' where id = ${webhooks.get("all")}`;
  const { id } = await delivery({ status: "sending" });
  await pool.sql`update deliveries set status = 'failed' where id = ${id}`;
  const rows = await pool.sql`select d.due_at is null as "noTime", d.held_for as "heldFor",
      d.released_at, d.template_version_id, d.recipient
    from webhook_messages m join deliveries d on d.id = m.id order by m.webhook_id = ${webhooks.get("all")}`;
  const plain = { released_at: null, template_version_id: null, recipient: null };
  assert.deepEqual(rows, [
    { noTime: false, heldFor: null, ...plain },
    { noTime: true, heldFor: webhooks.get("all"), ...plain },
  ]);
});

test("of a digest the events are told, a hundred by id and all by number; of one that was read or cancelled those", async (t) => {
  const { pool, told, forget } = await webhooksUnderTest(t);
  const digest = uuidv7();
  const events = Array.from({ length: 130 }, () => uuidv7()).sort();
  await pool.sql`insert into events (id, tenant_id, event_type, user_id, trace_id, accepted_at,
      reference)
    select id, 'acme', 'reply', 'ann', 't', now(), case when n % 2 = 0 then 'ref ' || n end
    from unnest(${events}::uuid[]) with ordinality u (id, n)`;
  await pool.sql`insert into digests (id, tenant_id, event_type, channel, user_id, locale, key,
      opened_at, window_ends_at)
    values (${digest}, 'acme', 'reply', 'EMAIL', 'ann', '', '', now(), now())`;
  await pool.sql`insert into digest_items (digest_id, event_id, added_at, state)
    select ${digest}, id, now(),
      case n when 1 then 'alone' when 2 then 'read' when 3 then 'cancelled' else 'in' end
    from unnest(${events}::uuid[]) with ordinality u (id, n)`;
  const id = await aDelivery(pool, { event_id: digest });
  await pool.sql`update deliveries set status = 'accepted' where id = ${id}`;
  const [message, ...others] = await told();
  assert.deepEqual(others, []);
  const { occurredAt: _, ...data } = message!.data;
  assert.equal(message!.user, "ann");
  assert.deepEqual(data, {
    ...{ deliveryId: id, digestId: digest, count: 127, eventType: "reply", channel: "EMAIL" },
    ...{ status: "accepted", reason: null, ids: events.slice(3, 103) },
    eventIds: events.slice(3, 103).map((event, at) => (at % 2 === 0 ? `ref ${at + 4}` : event)),
  });

  await forget();
  await pool.query("update digest_items set state = 'read' where state = 'in'");
  await pool.sql`update deliveries set status = 'delivered' where id = ${id}`;
  const ended = (await told()).map(({ data }) => [data.count, (data.ids as string[])[0]]);
  assert.deepEqual(ended, [[129, events[1]]]);
});

test("an item that is read is told of once, one by one and all at once", async (t) => {
  const { pool, db, told, forget } = await webhooksUnderTest(t);
  const owner = { tenantId: "acme", userId: "ann" };
  const ids = Array.from({ length: 3 }, () => uuidv7()).sort();
  for (const tenant of ["acme", "plain"]) {
    await pool.sql`insert into notifications (id, tenant_id, user_id, event_type, title, body,
        channel_name, channel_offset, created_at)
      select id, ${tenant}, 'ann', 'reply', 'secret', 'secret', 'personal', n, now()
      from unnest(${tenant === "acme" ? ids : [uuidv7()]}::uuid[]) with ordinality u (id, n)`;
  }
  // Its event has had its time; of the others there is one.
  await anEvent(pool, { id: ids[1]!, event_type: "reply", reference: "mine" });
  const read = { ...owner, notificationId: ids[0]! };
  assert.equal(await changeNotification(db, read, { read: true }), "changed");
  assert.equal(await changeNotification(db, read, { read: true }), "already");
  const messages = (from: { data: Record<string, unknown> }[]) =>
    from
      .map(({ data: { occurredAt: _, ...data } }) => data)
      .sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1));
  const of = (id: string | undefined, eventId = id) => ({
    ...{ id, eventId, eventType: "reply", channel: "PUSH" },
  });
  assert.deepEqual(messages(await told()), [of(ids[0])]);
  await forget();
  assert.equal(await markAllNotificationsRead(db, owner), 2);
  assert.equal(await markAllNotificationsRead(db, owner), 0);
  assert.equal(await markAllNotificationsRead(db, { ...owner, tenantId: "plain" }), 1);
  const found = await told();
  assert.deepEqual(messages(found), [of(ids[1], "mine"), of(ids[2])]);
  assert.deepEqual(
    new Set(found.map(({ type, user }) => `${type} ${user}`)),
    new Set(["notification.read ann"]),
  );
});

test("what a user changes is told with what it says now; what changes nothing is not", async (t) => {
  const { db, told, forget } = await webhooksUnderTest(t);
  const owner = { tenantId: "acme", userId: "ann" };
  const off = { category: "*", channel: "EMAIL", enabled: false } as const;
  await setPreferences(db, owner, "unsubscribe link", [off]);
  await setPreferences(db, { ...owner, tenantId: "plain" }, "api", [off]);
  const [message, ...others] = await told();
  assert.deepEqual(others, []);
  const { occurredAt: _, ...data } = message!.data;
  assert.deepEqual([message!.type, message!.user], ["preference.changed", "ann"]);
  assert.deepEqual(data, { userId: "ann", source: "unsubscribe link", preferences: [off] });
  await forget();
  await setPreferences(db, owner, "api", [off]);
  assert.deepEqual(await told(), []);
  await setPreferences(db, owner, "api", [{ ...off, enabled: null }]);
  assertEach(await told(), (one) => one.data.preferences, [[{ ...off, enabled: null }]]);
});

test("ids that the database makes are UUIDs of version 7 of their moment, in the order of their making", async (t) => {
  const { pool } = await connectedDatabase(t);
  const rows = await pool.sql`select id, extract(epoch from clock_timestamp()) * 1000 as before
    from generate_series(1, 1000) n cross join lateral (select id_of_now() as id, n offset 0) made`;
  const ids: string[] = rows.map(({ id }) => id);
  assert.deepEqual([...new Set(ids)].toSorted(), ids.toSorted());
  const places = ids.map((id) => id.slice(0, 18));
  assert.deepEqual(places, places.toSorted());
  for (const { id, before } of rows) {
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const ms = Number.parseInt(id.replace("-", "").slice(0, 12), 16);
    assert.ok(Math.abs(ms - Number(before)) < 60_000, `${id} ${before}`);
  }
});
