import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { createTenant, updateTenant } from "@belfry/administration/tenants/tenants";
import { putTemplate } from "@belfry/administration/test/templates";
import { channelMask } from "@belfry/contracts/channels";
import { storedReason } from "@belfry/contracts/reasons";
import { aDelivery, aNotification } from "@belfry/testing/rows";
import { uuidv7 } from "uuidv7";
import { type AdminUnderTest, startForOperator } from "../../test/start-admin.ts";

async function withTenant(admin: AdminUnderTest) {
  const { db, pool } = admin;
  const { id } = await createTenant(db, { name: "Acme" });
  /** An event with an SMS by a template of its type. */
  const event = async (more: {
    eventType?: string;
    reference?: string;
    sensitive?: boolean;
    status?: string;
    reason?: string;
    outcome?: object;
  }) => {
    const { eventType = "order.confirmed", sensitive = false, status = "accepted" } = more;
    const content = "Order {{ order }}";
    const template = { tenantId: id, eventType, channel: "SMS", content, sensitive } as const;
    const saved = await putTemplate(db, template);
    const eventId = uuidv7();
    await pool.query(
      `insert into events (id, tenant_id, event_type, user_id, reference, recipient_phone, variables,
         trace_id, accepted_at, dispatched_at, outcome)
       values ($1, $2, $3, 'ada', $4, '+12025550123', '{"order":"A-1"}', 'trace-1', now(), now(), $5)`,
      [eventId, id, eventType, more.reference ?? null, JSON.stringify(more.outcome ?? {})],
    );
    const deliveryId = randomUUID();
    await pool.query(
      `insert into deliveries (id, event_id, tenant_id, channel, status, reason, template_version_id,
         attempts, settled_at)
       select $1, $2, $3, 'SMS', $4, $5, current_version_id, 2, now() from template_variants where template_id = $6`,
      [deliveryId, eventId, id, status, more.reason ?? null, saved.id],
    );
    await pool.query(
      `insert into attempts (delivery_id, number, provider_kind, started_at, ended_at, class, reason, vendor_status)
       values ($1, 1, 'vonage', now(), now(), 'transient', 'Vonage is busy', '503'),
              ($1, 2, 'twilio', now(), now(), 'accepted', 'Twilio accepted the message', '201')`,
      [deliveryId],
    );
    return eventId;
  };
  return { id, base: `/tenants/${id}/activity`, event };
}

test("an event shows every attempt and its content as sent; of a sensitive template the content is never shown", async (t) => {
  const { admin, operator } = await startForOperator(t);
  const { base, event } = await withTenant(admin);
  const html = await operator.text(`${base}/${await event({})}`);
  assert.match(html, /attempt 1 by vonage: [^<]*\(503\): Vonage is busy/);
  assert.match(html, /attempt 2 by twilio: accepted \(201\): Twilio accepted the message/);
  assert.match(html, /<p class="bubble">Order A-1<\/p>/);
  const secret = await operator.text(
    `${base}/${await event({ eventType: "code", sensitive: true })}`,
  );
  assert.match(secret, /The template is sensitive: its content is never shown\./);
  assert.ok(!secret.includes("Order A-1"));
});

test("why something was not sent is said in a sentence", async (t) => {
  const { admin, operator } = await startForOperator(t);
  const { base, event } = await withTenant(admin);
  const skipped = {
    EMAIL: storedReason("no-address", { field: "recipientEmail" }),
    PUSH: storedReason("channel-not-allowed"),
  };
  const html = await operator.text(`${base}/${await event({ outcome: { skipped } })}`);
  assert.match(
    html,
    /Not sent: the event has no email address, and none is in the user’s profile\./,
  );
  assert.match(html, /Not sent: the operator has not allowed this channel for the tenant\./);
  const failed = await event({ status: "failed", reason: "the number does not exist" });
  const shown = await operator.text(`${base}/${failed}`);
  assert.match(shown, /Not delivered: the number does not exist\./);
});

test("events are searched by id, one's own id, user, type, trace id, channel and state; what is unknown is said", async (t) => {
  const { admin, operator } = await startForOperator(t);
  const { base, event } = await withTenant(admin);
  const first = await event({ reference: "order-7" });
  const second = await event({ eventType: "parcel.arriving", status: "failed" });
  for (const wanted of [first, first.toUpperCase(), "order-7"]) {
    const found = await operator.get(`${base}?event=${wanted}`);
    assert.equal(found.headers.get("location"), `${base}/${first}`, wanted);
  }
  assert.match(await operator.text(`${base}?event=nothing`), /No event has the id <code>nothing</);
  const found = async (query: string) => {
    const html = await operator.text(`${base}?${query}`);
    return [first, second].map((id) => html.includes(`/activity/${id}"`));
  };
  assert.deepEqual(await found(""), [true, true]);
  assert.deepEqual(await found("user=ada"), [true, true]);
  assert.deepEqual(await found("user=bob"), [false, false]);
  assert.deepEqual(await found("type=parcel.arriving"), [false, true]);
  assert.deepEqual(await found("trace=trace-1"), [true, true]);
  assert.deepEqual(await found("channel=SMS&status=failed"), [false, true]);
  assert.deepEqual(await found("status=sent"), [true, false]);
  assert.deepEqual(await found("channel=PUSH"), [false, false]);
  assert.deepEqual(await found("to=2020-01-01T00:00"), [false, false]);
  assert.deepEqual(await found("from=2020-01-01T00:00"), [true, true]);
});

test("the list shows beside a user's id each address that a message of the event went to", async (t) => {
  const { admin, operator } = await startForOperator(t);
  const { id, base, event } = await withTenant(admin);
  const [sent, erased] = [await event({}), await event({})];
  await admin.pool.query("update deliveries set recipient = '+12025550123' where event_id = $1", [
    sent,
  ]);
  const accepted = { recipient: '"<b>"@example.com', status: "accepted" } as const;
  await aDelivery(admin.pool, { ...accepted, event_id: sent, tenant_id: id });
  const rows = (await operator.text(base)).split("<tr>");
  const addressesOf = (eventId: string) => {
    const row = rows.find((one) => one.includes(`/activity/${eventId}"`)) ?? "";
    const users = /users\?user=ada">ada<\/a>(.*?)<\/td>/s.exec(row)?.[1] ?? "none";
    return [...users.matchAll(/<span class="soft small cut">([^<]*)</g)].map(([, one]) => one);
  };
  const mail = "&quot;&lt;b&gt;&quot;@example.com";
  assert.deepEqual(addressesOf(sent), [mail, "+12025550123"]);
  assert.deepEqual(addressesOf(erased), []);
});

test("an event is sent again as a new one, which counts towards the limits; where that cannot be, it is said", async (t) => {
  const { admin, operator } = await startForOperator(t);
  const { id, base, event } = await withTenant(admin);
  const eventId = await event({});
  const path = `${base}/${eventId}/resend`;
  const unchosen = await operator.post(path);
  assert.equal(unchosen.status, 422);
  assert.match(await unchosen.text(), /Choose a channel to send it on again\./);
  const again = await operator.post(path, { channel: "SMS" });
  assert.equal(again.status, 303);
  const made = /activity\/([^?]+)/.exec(again.headers.get("location") ?? "")?.[1] ?? "";
  assert.deepEqual(admin.published, [made]);
  const stored = await admin.db
    .selectFrom("events")
    .select(["event_type", "user_id", "recipient_phone", "variables", "channels"])
    .where("id", "=", made)
    .executeTakeFirst();
  assert.deepEqual(stored, {
    ...{ event_type: "order.confirmed", user_id: "ada", recipient_phone: "+12025550123" },
    ...{ variables: '{"order":"A-1"}', channels: channelMask(["SMS"]) },
  });
  const secret = await event({ eventType: "code", sensitive: true });
  const refused = await operator.post(`${base}/${secret}/resend`, { channel: "SMS" });
  assert.equal(refused.status, 422);
  assert.match(await refused.text(), /cannot be sent again: its template is sensitive/);
  await updateTenant(admin.db, id, { perMinute: 1 });
  const limited = await operator.post(path, { channel: "SMS" });
  assert.match(await limited.text(), /must wait: the tenant&#39;s limit a minute is reached/);
  assert.equal(admin.published.length, 1);
});

test("a user's history hides what a sensitive template pushed", async (t) => {
  const { admin, operator } = await startForOperator(t);
  const { id } = await withTenant(admin);
  const push = { tenantId: id, channel: "PUSH", title: "T", content: "x" } as const;
  await putTemplate(admin.db, { ...push, eventType: "code", sensitive: true });
  await putTemplate(admin.db, { ...push, eventType: "order" });
  let offset = 0;
  for (const [eventType, title] of [
    ["code", "123 456 is your code"],
    ["order", "Your order is on its way"],
  ] as const) {
    offset += 1;
    const text = { event_type: eventType, title, body: title, channel_offset: String(offset) };
    await aNotification(admin.pool, { ...text, tenant_id: id, user_id: "ada" });
  }
  const html = await operator.text(`/tenants/${id}/users?user=ada`);
  assert.ok(html.includes("Your order is on its way"));
  assert.ok(html.includes("The template is sensitive: its content is never shown."));
  assert.ok(!html.includes("123 456"));
});
