import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventOutcome } from "@belfry/contracts/delivery";
import type { Database } from "@belfry/database/connection";
import { assertHas } from "@belfry/testing/assert-has";
import { aDelivery, aNotification, anAttempt, anEvent } from "@belfry/testing/rows";
import { uuidv7 } from "uuidv7";
import { tenantDatabase } from "../../test/database.ts";
import { NotFound } from "../input-error.ts";
import { createTenant } from "../tenants/tenants.ts";
import { readEvent } from "./event-report.ts";

const SECOND = 1000;
const START = Date.parse("2026-03-01T10:00:00.000Z");
const at = (seconds: number) => new Date(START + seconds * SECOND);

test("an accepted event that nobody has dispatched says so", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const id = await storeEvent(db, tenantId, {});
  await db
    .insertInto("undispatched_events")
    .values({ event_id: id, published_at: at(1) })
    .execute();
  const report = await readEvent(db, id);
  assert.equal(report.status, "accepted");
  assert.equal(report.eventId, id, "Belfry's id replaces a reference that was not given");
  assert.deepEqual(report.channels, {});
  assert.deepEqual(words(report), [
    "0 - accepted",
    "1 - published to the dispatcher; not dispatched yet",
  ]);
});

test("the timeline tells in words why a channel was skipped, each attempt, and whether the push was read", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const id = await storeEvent(db, tenantId, {
    dispatched_at: at(1),
    outcome: {
      skipped: { SMS: "no recipientPhone" },
      missing: { PUSH: ["name"] },
      warnings: { PUSH: ["cannot read at as a date: inserted unchanged"] },
    },
  });
  const deliveryId = await aDelivery(db, {
    event_id: id,
    tenant_id: tenantId,
    status: "accepted",
    missing: ["code"],
    warnings: ["links left out: href {{ url }} (empty)"],
    created_at: at(1),
    settled_at: at(9),
  });
  const attempt = { delivery_id: deliveryId, provider_kind: "sendgrid" };
  await anAttempt(db, {
    ...attempt,
    started_at: at(2),
    ended_at: at(3),
    class: "transient",
    reason: "the provider answered 500",
    vendor_status: "500",
    next_at: at(8),
  });
  await anAttempt(db, {
    ...attempt,
    number: 2,
    started_at: at(8),
    ended_at: at(9),
    class: "accepted",
    vendor_status: "202",
  });
  await aNotification(db, {
    id,
    tenant_id: tenantId,
    user_id: "u1",
    title: "SECRET TITLE",
    body: "SECRET BODY",
    channel_name: "orders",
    created_at: at(1),
    read_at: at(20),
  });

  const report = await readEvent(db, id);
  assert.deepEqual(words(report), [
    "0 - accepted",
    "1 - dispatched",
    "1 SMS skipped: no recipientPhone",
    "1 PUSH warning: no value for name: rendered as empty",
    "1 PUSH cannot read at as a date: inserted unchanged",
    "1 EMAIL queued",
    "1 PUSH stored in the inbox and published to orders#u1",
    "2 EMAIL warning: no value for code: rendered as empty",
    "2 EMAIL links left out: href {{ url }} (empty)",
    "3 EMAIL attempt 1 by sendgrid: failed for now (500): the provider answered 500",
    "9 EMAIL attempt 2 by sendgrid: accepted (202)",
    "20 PUSH marked as read",
  ]);
  const { EMAIL, SMS, PUSH } = report.channels;
  assert.deepEqual(
    [EMAIL?.status, EMAIL?.missing, EMAIL?.delivery?.attempts.length],
    ["accepted", ["code"], 2],
  );
  assert.deepEqual([SMS?.status, SMS?.reason], ["skipped", "no recipientPhone"]);
  assert.deepEqual([PUSH?.status, PUSH?.notification?.read], ["published", true]);
  const text = JSON.stringify(report);
  assert.ok(!text.includes("SECRET"), "neither variables nor content are in it");
});

test("the timeline tells of each device what it got, by its name, also once its sender has died", async (t) => {
  const { db, pool, tenantId } = await tenantDatabase(t);
  const id = await storeEvent(db, tenantId, { dispatched_at: at(1) });
  const delivery = await aDelivery(db, {
    event_id: id,
    tenant_id: tenantId,
    channel: "DEVICE",
    status: "unknown",
    created_at: at(1),
    settled_at: at(9),
  });
  await pool.sql`insert into devices (id, tenant_id, user_id, device_id, kind, token, token_hash, name)
    values (gen_random_uuid(), ${tenantId}, 'u1', 'a', 'webpush', '', 'a', 'Firefox'),
      (gen_random_uuid(), ${tenantId}, 'another', 'b', 'fcm', '', 'b', 'Not theirs')`;
  await pool.sql`insert into device_sends (delivery_id, device_id, kind, state, reason, vendor_status, tried_at)
    values (${delivery}, 'a', 'webpush', 'accepted', null, '201', ${at(2)}),
      (${delivery}, 'b', 'fcm', 'gone', 'FCM refused the message', 'UNREGISTERED', ${at(3)}),
      (${delivery}, 'c', 'apns', 'sending', null, null, ${at(4)}),
      (${delivery}, 'd', 'apns', 'skipped', '#device-gone', null, ${at(5)})`;
  const told = words(await readEvent(db, id)).filter((one) => one.includes(" device "));
  assert.deepEqual(told, [
    "2 DEVICE device Firefox, webpush: accepted (201)",
    "3 DEVICE device b, fcm: unknown to its vendor, so the device was deleted (UNREGISTERED): FCM refused the message",
    "4 DEVICE device c, apns: sent without an answer",
    "5 DEVICE device d, apns: skipped: the device was removed, or belongs to another user now",
  ]);
});

test("an event is found by the tenant's own eventId: the newest, with the others named, in any tenant or one", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const other = await createTenant(db, { name: "Other" });
  const first = await storeEvent(db, tenantId, { reference: "1001" });
  const second = await storeEvent(db, tenantId, { reference: "1001" });
  const elsewhere = await storeEvent(db, other.id, { reference: "1001" });
  const report = await readEvent(db, "1001");
  assertHas(report, { id: elsewhere, eventId: "1001", othersWithThisEventId: [second, first] });
  assert.equal((await readEvent(db, "1001", tenantId)).id, second);
  await assert.rejects(readEvent(db, elsewhere, tenantId), NotFound);
  await assert.rejects(readEvent(db, "1002"), NotFound);
  await assert.rejects(readEvent(db, "a\u0000b"), NotFound);
});

interface EventFields {
  envelope?: string;
  reference?: string;
  dispatched_at?: Date;
  outcome?: EventOutcome;
}

test("a cancel during a try is pending until that try ends, by itself and in a digest", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const stored = () => storeEvent(db, tenantId, { dispatched_at: at(1) });
  const [id, other, digestId] = [await stored(), await stored(), uuidv7()];
  const asked = { event_id: id, cancel_asked_at: at(3) };
  const delivery = { tenant_id: tenantId, created_at: at(1) };
  const sending = { ...delivery, status: "sending", cancel_asked_at: at(3) } as const;
  await aDelivery(db, { ...sending, event_id: id, channel: "SMS" });
  await aDelivery(db, { ...sending, event_id: digestId });
  const gathered = { digest_id: digestId, added_at: at(1) };
  await db
    .insertInto("digest_items")
    .values([
      { ...gathered, ...asked },
      { ...gathered, event_id: other, cancel_asked_at: null },
    ])
    .execute();
  await db
    .insertInto("digests")
    .values({
      ...{ id: digestId, tenant_id: tenantId, event_type: "x", channel: "EMAIL", user_id: "u1" },
      ...{ locale: "", key: "", opened_at: at(1), window_ends_at: at(2), closed_at: at(2) },
    })
    .execute();
  const report = await readEvent(db, id);
  assert.equal(report.cancelPending, true);
  const cancel = "cancel requested: if the current attempt fails, there is no other";
  assert.deepEqual(
    words(report).filter((line) => line.includes("cancel")),
    [`3 EMAIL ${cancel}`, `3 SMS ${cancel}`],
  );
  assert.equal((await readEvent(db, other)).cancelPending, false, "of the others of the digest");
  await db.updateTable("deliveries").set({ status: "accepted" }).execute();
  assert.equal((await readEvent(db, id)).cancelPending, false);
});

test("what a trigger said of its mail is in the report, and receipts about copies are told apart", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const envelope = { fromName: "Ann", cc: ["c@example.com"] };
  const bare = await storeEvent(db, tenantId, {});
  assert.ok(!("email" in (await readEvent(db, bare))), "as ever, where it said nothing");
  const id = await storeEvent(db, tenantId, {
    dispatched_at: at(1),
    envelope: JSON.stringify(envelope),
  });
  const times = { created_at: at(1), settled_at: at(9) };
  const bounced = { ...times, tenant_id: tenantId, status: "bounced" } as const;
  const deliveryId = await aDelivery(db, { ...bounced, event_id: id });
  const receipt = { tenant_id: tenantId, provider_kind: "ses", delivery_id: deliveryId };
  await db
    .insertInto("receipts")
    .values([
      {
        ...{ ...receipt, vendor_event: "1", kind: "bounced", received_at: at(2) },
        ...{ address: "c@example.com", reason: "550 no such user" },
      },
      { ...receipt, vendor_event: "2", kind: "complained", received_at: at(3), address: "" },
    ])
    .execute();
  const report = await readEvent(db, id);
  assert.deepEqual(report.email, envelope);
  assert.deepEqual(words(report).slice(3), [
    "2 EMAIL receipt of ses about the copy for c@example.com: bounced: 550 no such user",
    "3 EMAIL receipt of ses about one of its addresses, which it does not name: the recipient complained",
    "9 EMAIL bounced",
  ]);
});

async function storeEvent(db: Database, tenantId: string, fields: EventFields): Promise<string> {
  const { outcome, ...rest } = fields;
  return await anEvent(db, {
    tenant_id: tenantId,
    user_id: "u1",
    variables: '{"code":"SECRET CODE"}',
    accepted_at: at(0),
    dispatched_at: null,
    ...rest,
    outcome: outcome && JSON.stringify(outcome),
  });
}

function words(report: Awaited<ReturnType<typeof readEvent>>): string[] {
  return report.timeline.map(
    ({ at, channel, what }) => `${(Date.parse(at) - START) / SECOND} ${channel ?? "-"} ${what}`,
  );
}
