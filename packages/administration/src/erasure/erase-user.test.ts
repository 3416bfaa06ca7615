import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { encodeQueueMessage } from "@belfry/contracts/streams";
import type { Database, Pool } from "@belfry/database/connection";
import { storeDevice } from "@belfry/database/functions/devices";
import { dispatchEvents } from "@belfry/database/functions/dispatch-events";
import { storeInbound } from "@belfry/database/inbound";
import { changePreferencesOfUser } from "@belfry/database/preferences";
import { parseSecretKeys } from "@belfry/database/secrets";
import { assertEach } from "@belfry/testing/assert-each";
import { assertHas } from "@belfry/testing/assert-has";
import type { Cleanup } from "@belfry/testing/cleanup";
import { untilBlocked } from "@belfry/testing/until-blocked";
import { actsIn, programIn } from "../../test/acts.ts";
import { tenantDatabase } from "../../test/database.ts";
import { ADA, BOB, chatOf, storeEvent, storeOutbox, tablesWith } from "../../test/person.ts";
import { audited } from "../audited.ts";
import { insertSuppressions, suppressedForm } from "../events/suppression-rows.ts";
import { addSuppressions } from "../events/suppressions.ts";
import { InvalidInput, NotFound } from "../input-error.ts";
import { createTenant } from "../tenants/tenants.ts";
import { setPreference } from "../users/preferences.ts";
import { changeMembers } from "../users/topics.ts";
import { putUser, saveUsers } from "../users/users.ts";
import { erasedUser, eraseUser } from "./erase-user.ts";
import { eraseUserNow } from "./erasures.ts";

const ACTOR = { personId: null, person: "command line (root)", address: "host" };
const DEPS = { actor: ACTOR, disconnect: async () => undefined };
const KEYS = parseSecretKeys(`t1:${Buffer.alloc(32, 1).toString("base64")}`);
const NEEDLES = Object.values(ADA);

async function world(t: Cleanup) {
  const { pool, db, tenantId } = await tenantDatabase(t);
  return { db, pool, tenantId, ada: { tenantId, userId: ADA.userId } };
}

async function withEvent(t: Cleanup) {
  const under = await world(t);
  await storeEvent(under.db, under.tenantId, ADA);
  return under;
}

test("nothing of an erased person is left in any table, except where the report says so", async (t) => {
  const { db, pool, tenantId, ada } = await world(t);
  const sent = await storeEvent(db, tenantId, ADA);
  await storeEvent(db, tenantId, ADA, { status: "waiting" });
  const open = await storeEvent(db, tenantId, ADA, { dispatched: false });
  const other = await storeEvent(db, tenantId, BOB);
  const [email = "", sms = ""] = sent.deliveries;
  await setAside(db, { [email]: ADA, [sms]: ADA });
  const shared = await setAside(db, { [open.id]: ADA, [other.id]: BOB });
  const undecodable = await setAside(db, undefined);
  await insertSuppressions(db, {
    tenantId,
    channel: "EMAIL",
    addresses: [suppressedForm(ADA.email)],
    reason: "by hand",
    source: null,
  });
  for (const { userId, email, phone } of [ADA, BOB]) {
    await saveUsers(db, tenantId, [{ userId, email, phone, chat: chatOf({ userId }) }]);
    const changes = [{ category: "*", channel: "SMS", enabled: false } as const];
    await changePreferencesOfUser(db, { tenantId, userId }, "api", changes);
    await programIn(db, tenantId)(changeMembers, { key: "news", add: [userId] });
    const target = { kind: "fcm", token: `token of ${userId}` } as const;
    const device = { tenantId, userId, deviceId: `phone of ${userId}`, target, name: null };
    await storeDevice(db, KEYS, device);
    const origin = { tenantId, providerKind: "twilio", channels: ["SMS"] } as const;
    const text = { vendorId: userId, sender: phone, recipient: "", text: "please call me" };
    await storeInbound(db, origin, text);
  }
  await pool.sql`insert into audit_log (id, person, address, tenant_id, action, target)
    values (gen_random_uuid(), 'Olga', '::1', ${tenantId}, 'suppression.add', ${`EMAIL ${ADA.email}`})`;
  for (const needle of NEEDLES) {
    assert.ok((await tablesWith(pool, needle)).length >= 2, `${needle} was there`);
  }
  const bobBefore = await tablesWith(pool, BOB.userId);

  const report = await eraseUser(db, ada, DEPS);
  assert.deepEqual(report.deleted, {
    events: 3,
    undispatchedEvents: 1,
    deliveries: 4,
    attempts: 4,
    receipts: 4,
    outbox: 4,
    notifications: 2,
    realtimeChannels: 1,
    deadMessages: 1,
    suppressions: 0,
    inboundMessages: 1,
    recipients: 1,
    preferences: 1,
    topics: 1,
    devices: 1,
    digests: 0,
    throttles: 0,
    webhookMessages: 0,
  });
  assert.equal(report.unsent, 2);
  const counted = report.kept.filter(({ count }) => count !== undefined);
  assertEach(counted, ({ where, count }) => [where, count], [
    ["suppressions", 1],
    ["audit_log", 1],
  ]);
  const left = new Set(
    (await Promise.all(NEEDLES.map((needle) => tablesWith(pool, needle)))).flat(),
  );
  assert.deepEqual([...left].sort(), ["audit_log", "suppressions"]);
  assert.deepEqual(await tablesWith(pool, ADA.userId), []);

  assert.deepEqual(await tablesWith(pool, BOB.userId), bobBefore);
  const messages = await db.selectFrom("dead_messages").select(["id", "data"]).execute();
  assert.deepEqual(
    messages.map(({ id, data }) => [id, data.includes(open.id), data.includes(other.id)]).sort(),
    [
      [shared, false, true],
      [undecodable, false, false],
    ].sort(),
  );
});

test("what endpoints were or are to be told of the person goes, though its event has gone before", async (t) => {
  const { db, pool, tenantId, ada } = await withEvent(t);
  for (const { userId } of [ADA, BOB]) {
    await pool.sql`with m as (
        insert into webhook_messages (id, webhook_id, tenant_id, type, event_id, user_id, payload)
        select gen_random_uuid(), gen_random_uuid(), ${tenantId}, 'delivery.accepted', gen_random_uuid(),
          ${userId}, '{}'
        from generate_series(1, 1005) returning id),
      d as (
        insert into deliveries (id, event_id, tenant_id, channel, status)
        select id, id, ${tenantId}, 'WEBHOOK', 'sending' from m)
      insert into attempts (delivery_id, number, provider_kind, started_at) select id, 1, 'webhook', now()
      from m`;
  }
  const count = async (from: string) => {
    const { rows } = await pool.query<{ n: number }>(`select count(*)::integer as n from ${from}`);
    return rows[0]!.n;
  };
  const dry = await eraseUser(db, { ...ada, dryRun: true }, DEPS);
  assert.equal(dry.deleted.webhookMessages, 1005);
  assert.equal(await count("webhook_messages"), 2010);
  const report = await eraseUser(db, ada, DEPS);
  assertHas(report.deleted, { webhookMessages: 1005, deliveries: dry.deleted.deliveries });
  assert.equal(await count("webhook_messages where user_id = 'ada'"), 0);
  assert.equal(await count("webhook_messages"), 1005);
  assert.equal(await count("deliveries where channel = 'WEBHOOK'"), 1005);
  assert.equal(await count("attempts where provider_kind = 'webhook'"), 1005);
});

test("the suppressions of the person's addresses go only when that is asked for", async (t) => {
  const { db, pool, tenantId, ada } = await withEvent(t);
  const ofDirectory = "slack:U0HOME";
  await saveUsers(db, tenantId, [{ userId: ADA.userId, chat: ofDirectory }]);
  for (const [channel, address] of [
    ["EMAIL", ADA.email],
    ["SMS", ADA.phone],
    ["CHAT", chatOf(ADA)],
    ["CHAT", ofDirectory],
    ["EMAIL", BOB.email],
  ] as const) {
    await insertSuppressions(db, {
      tenantId,
      channel,
      addresses: [suppressedForm(address)],
      reason: "by hand",
      source: null,
    });
  }
  const report = await eraseUser(db, { ...ada, suppressions: true }, DEPS);
  assert.equal(report.deleted.suppressions, 4);
  assert.deepEqual(
    report.kept.filter(({ count }) => count !== undefined),
    [],
  );
  for (const needle of NEEDLES) assert.deepEqual(await tablesWith(pool, needle), []);
  assert.deepEqual(await tablesWith(pool, BOB.email), ["suppressions"]);
});

test("an address that a message was sent to is the person's, though no event and no directory names it", async (t) => {
  const { db, pool, tenantId, ada } = await withEvent(t);
  const former = "former@example.com";
  await pool.sql`update deliveries set recipient = ${former} where channel = 'EMAIL'`;
  await insertSuppressions(db, {
    tenantId,
    channel: "EMAIL",
    addresses: [suppressedForm(former)],
    reason: "by hand",
    source: null,
  });
  assert.equal((await eraseUser(db, { ...ada, suppressions: true }, DEPS)).deleted.suppressions, 1);
});

test("a dry run says what would go, disconnects nobody and changes nothing", async (t) => {
  const { db, pool, tenantId, ada } = await world(t);
  await storeEvent(db, tenantId, ADA, { status: "queued" });
  await storeEvent(db, tenantId, ADA, { dispatched: false });
  await insertSuppressions(db, {
    tenantId,
    channel: "SMS",
    addresses: [suppressedForm(ADA.phone)],
    reason: "by hand",
    source: null,
  });
  await saveUsers(db, tenantId, [{ userId: ADA.userId, email: "other@example.com" }]);
  const refuse = async () => assert.fail("nobody is to be disconnected");
  const before = await Promise.all(NEEDLES.map((needle) => tablesWith(pool, needle)));
  const erasure = { ...ada, suppressions: true };
  const dry = await eraseUser(db, { ...erasure, dryRun: true }, { ...DEPS, disconnect: refuse });
  assert.deepEqual(await Promise.all(NEEDLES.map((needle) => tablesWith(pool, needle))), before);
  assert.deepEqual(await tablesWith(pool, erasedUser(ada)), []);
  const { dryRun, ...real } = await eraseUser(db, erasure, DEPS);
  assert.deepEqual({ ...dry, dryRun: false }, { ...real, dryRun });
});

test("the same user id of another tenant is another person", async (t) => {
  const { db, tenantId, ada } = await world(t);
  const other = await createTenant(db, { name: "Other" });
  await storeEvent(db, tenantId, ADA);
  await storeEvent(db, other.id, ADA);
  await eraseUser(db, ada, DEPS);
  for (const table of ["events", "deliveries", "notifications", "outbox", "receipts"] as const) {
    const rows = await db.selectFrom(table).select("tenant_id").distinct().execute();
    assert.deepEqual(rows, [{ tenant_id: other.id }], table);
  }
});

test("what a sender has in hand is waited for, and what it leaves goes too; nothing else of the event is sent", async (t) => {
  const { db, pool, tenantId, ada } = await world(t);
  const event = await storeEvent(db, tenantId, ADA, { status: "waiting", heldForMs: 60_000 });
  const [email = "", sms = ""] = event.deliveries;
  const erasing = eraseUser(db, ada, DEPS);
  const statuses = async () => (await db.selectFrom("deliveries").select("id").execute()).length;
  while ((await statuses()) > 1) await new Promise((resolve) => setTimeout(resolve, 20));
  const left = await db.selectFrom("deliveries").select("id").execute();
  assert.deepEqual(left, [{ id: email }], `${sms} waited, and is gone at once`);

  await storeOutbox(db, tenantId, ADA, event.id, email);
  await db.updateTable("deliveries").set({ status: "accepted", claimed_until: null }).execute();
  const report = await erasing;
  assert.deepEqual([report.deleted.deliveries, report.deleted.outbox], [2, 3]);
  for (const needle of NEEDLES) assert.deepEqual(await tablesWith(pool, needle), []);
});

test("a delivery that is held for too long is said, and the next run goes on", async (t) => {
  const { db, pool, tenantId, ada } = await withEvent(t);
  await storeEvent(db, tenantId, ADA, { heldForMs: 60_000 });
  const impatient = eraseUser(db, ada, { ...DEPS, heldMs: 1 });
  await assert.rejects(impatient, /senders still hold 1 deliveries.*run it again/);
  await db.updateTable("deliveries").set({ claimed_until: new Date() }).execute();
  assert.equal((await eraseUser(db, ada, DEPS)).deleted.events, 1);
  for (const needle of NEEDLES) assert.deepEqual(await tablesWith(pool, needle), []);
});

test("an event that comes while the person is erased is found as well", async (t) => {
  const { db, pool, tenantId, ada } = await world(t);
  await storeEvent(db, tenantId, ADA, { dispatched: false });
  // The first one that goes brings another, as a tenant's backend might.
  await pool.query(
    `create function bring() returns trigger language plpgsql as $body$
     begin
       insert into events (id, tenant_id, event_type, user_id, trace_id, accepted_at)
       values ('ffffffff-ffff-7fff-bfff-ffffffffffff', old.tenant_id, 'late', old.user_id, 't', now())
       on conflict do nothing;
       return null;
     end $body$`,
  );
  await pool.query(
    `create trigger bring after delete on events for each row
     when (old.event_type <> 'late') execute function bring()`,
  );
  assert.equal((await eraseUser(db, ada, DEPS)).deleted.events, 2);
  assert.deepEqual(await tablesWith(pool, ADA.userId), []);
});

test("a browser that registers again while the person is erased goes too", async (t) => {
  const { db, pool, ada } = await withEvent(t);
  const target = { kind: "fcm", token: "t" } as const;
  const register = () => storeDevice(db, KEYS, { ...ada, deviceId: "browser", target, name: null });
  await register();
  let isAgain = false;
  const onStep = async () => {
    if (!isAgain) await register();
    isAgain = true;
  };
  const { deleted } = await eraseUser(db, ada, { ...DEPS, onStep });
  assert.deepEqual([isAgain, deleted.devices], [true, 2]);
  assert.equal((await pool.sql`select from devices`).length, 0);
});

test("a push that is under way while the person is erased goes too, and who comes back gets every push", async (t) => {
  const { db, pool, ada } = await world(t);
  const push = async (client: Pool) => {
    const id = randomUUID();
    const { rows } = await client.query<{ accepted: string }>(
      `with u as (insert into undispatched_events values ($1, now()))
       insert into events (id, tenant_id, event_type, user_id, trace_id, accepted_at)
       values ($1, $2, 'x', $3, 't', now()) returning accepted_at::text as accepted`,
      [id, ada.tenantId, ada.userId],
    );
    const dispatch = {
      ...{ eventId: id, acceptedAtText: rows[0]!.accepted, outcome: null, deliveries: [] },
      ...{ eraseVariables: false, isSensitive: false },
      push: { ...ada, eventType: "x", title: "t", body: "b", channelName: "personal" },
    };
    return (
      await dispatchEvents(client, [dispatch], { inFlightPerTenant: 100, inTurn: false })
    ).published.get(id)?.offset;
  };
  assert.deepEqual([await push(pool), await push(pool)], [1, 2]);
  const client = await pool.connect();
  await client.query("begin");
  await push(client as unknown as Pool);
  const erasing = eraseUser(db, ada, DEPS);
  await untilBlocked(pool);
  await client.query("commit");
  client.release();
  await erasing;
  assert.deepEqual(await db.selectFrom("notifications").selectAll().execute(), []);
  for (const offset of [1, 2, 3, 4]) assert.equal(await push(pool), offset);
});

test("the audit log says who erased a user, without naming the user", async (t) => {
  const { db, tenantId, ada } = await withEvent(t);
  const { deleted } = await eraseUser(db, ada, DEPS);
  const entries = await db
    .selectFrom("audit_log")
    .select(["person", "tenant_id as tenantId", "action", "target", "after"])
    .orderBy("id")
    .execute();
  const of = { person: ACTOR.person, tenantId, target: erasedUser(ada) };
  assert.deepEqual(entries, [
    { ...of, action: "user.erase", after: { suppressions: false } },
    { ...of, action: "user.erased", after: deleted },
  ]);
  assert.notEqual(erasedUser(ada), erasedUser({ ...ada, tenantId: "other" }));
});

test("what people did of a person stays in the audit log, and names the erasure's hash instead of the person", async (t) => {
  const { db, pool, tenantId, ada } = await world(t);
  const olga = { personId: null, person: "Olga", address: "::1" };
  const run = actsIn(db, tenantId, { announcePreferences: () => undefined }, olga);
  const { email, phone } = ADA;
  for (const { userId } of [ADA, BOB]) {
    await run(putUser, { userId, email, phone, chat: chatOf({ userId }) });
    await run(setPreference, { userId, category: "*", channel: "SMS", enabled: false });
    await audited(
      db,
      olga,
      async () => undefined,
      () => ({ tenantId, action: "template.test", target: "x PUSH", after: { userId } }),
    );
  }
  await run(addSuppressions, { channel: "EMAIL", addresses: [ADA.email] });
  const entries = async () =>
    await db
      .selectFrom("audit_log")
      .select(["person", "action", "target", "before", "after"])
      .where("person", "=", "Olga")
      .orderBy("id")
      .execute();
  const before = await entries();
  const dry = await eraseUser(db, { ...ada, dryRun: true }, DEPS);
  assert.deepEqual(await entries(), before);

  const report = await eraseUser(db, ada, DEPS);
  // Bob has the same address: the suppression by hand and what was said of Bob name it still.
  const named = (kept: typeof report.kept) =>
    kept.find(({ where }) => where === "audit_log")?.count;
  assert.deepEqual([named(dry.kept), named(report.kept)], [2, 2]);
  const target = erasedUser(ada);
  const without = { person: "Olga", before: null, after: null };
  assert.deepEqual(await entries(), [
    { ...without, action: "user.create", target },
    { ...without, action: "user.preference", target },
    { ...without, action: "template.test", target: "x PUSH", after: { userId: target } },
    ...before.slice(3),
  ]);
  assert.deepEqual(await tablesWith(pool, ADA.userId), []);

  await eraseUser(db, { ...ada, userId: BOB.userId, suppressions: true }, DEPS);
  assert.deepEqual(await tablesWith(pool, ADA.email), []);
  assert.equal((await entries()).at(-1)?.target, "EMAIL erased address");
});

test("while the person cannot be disconnected nothing is changed", async (t) => {
  const { db, pool, ada } = await withEvent(t);
  const disconnect = async () => {
    throw new Error("NATS is not reachable");
  };
  await assert.rejects(eraseUser(db, ada, { ...DEPS, disconnect }), /NATS is not reachable/);
  assert.ok((await tablesWith(pool, ADA.userId)).includes("events"));
  assert.deepEqual(await tablesWith(pool, erasedUser(ada)), []);
});

test("a person of whom nothing is known is no error; an unknown tenant and an impossible user are", async (t) => {
  const { db, tenantId } = await world(t);
  const report = await eraseUser(db, { tenantId, userId: "nobody" }, DEPS);
  assert.ok(Object.values(report.deleted).every((rows) => rows === 0));
  await assert.rejects(eraseUser(db, { tenantId: "none", userId: "u" }, DEPS), NotFound);
  const impossible = actsIn(db, tenantId)(eraseUserNow, { userId: "a\nb" });
  await assert.rejects(impossible, InvalidInput);
});

test("a tenant's thousands of events are walked in small looks, and only the person's go", async (t) => {
  const { db, pool, tenantId, ada } = await world(t);
  await pool.sql`insert into events (id, tenant_id, event_type, user_id, trace_id, accepted_at,
      dispatched_at)
    select gen_random_uuid(), ${tenantId}, 'x', case when n % 1000 = 0 then ${ADA.userId} else 'u' || n end,
      't', now(), now()
    from generate_series(1, 25000) n`;
  assert.equal((await eraseUser(db, ada, DEPS)).deleted.events, 25);
  const { count } = await db
    .selectFrom("events")
    .select((select) => select.fn.countAll<string>().as("count"))
    .executeTakeFirstOrThrow();
  assert.equal(Number(count), 24_975);
});

/** A message that names these ids, or one that nobody can read; returns its id. */
async function setAside(db: Database, named: Record<string, typeof ADA> | undefined) {
  const id = randomUUID();
  const items = Object.entries(named ?? {}).map(([item, { userId }]) => ({
    id: item,
    traceId: `checkout/${userId}`,
  }));
  await db
    .insertInto("dead_messages")
    .values({
      ...{ id, stream: "s", subject: "s", deliveries: 11, reason: "delivered too often" },
      data: named === undefined ? Buffer.from([0, 255]) : Buffer.from(encodeQueueMessage(items)),
    })
    .execute();
  return id;
}
