import type { AdminUnderTest } from "@belfry/admin/test/start-admin";
import { storeBroadcast, storeTopic } from "@belfry/admin/test/store-broadcasts";
import { storeWaiting } from "@belfry/admin/test/store-waiting";
import { disableWebhook, storeMessage, storeWebhook } from "@belfry/admin/test/store-webhooks";
import { audited } from "@belfry/administration/audited";
import { openErasure } from "@belfry/administration/erasure/erasures";
import { insertSuppressions } from "@belfry/administration/events/suppression-rows";
import { invite } from "@belfry/administration/people/invitations";
import { insertPerson, putMembership } from "@belfry/administration/people/person-rows";
import { setEnvironment } from "@belfry/administration/templates/environments";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { actsIn, putActiveProvider } from "@belfry/administration/test/acts";
import { putTemplate } from "@belfry/administration/test/templates";
import { assignCategory, putCategory } from "@belfry/administration/users/categories";
import { startImport } from "@belfry/administration/users/imports";
import { changeMembers } from "@belfry/administration/users/topics";
import { saveUsers } from "@belfry/administration/users/users";
import type { Database, Pool } from "@belfry/database/connection";
import { storeInbound } from "@belfry/database/inbound";
import { storeOutboxMessage } from "@belfry/database/outbox";
import { changePreferencesOfUser } from "@belfry/database/preferences";
import { SAMPLES, storeDay } from "./sample-day.ts";

const MAIL = `<mjml>
  <mj-body background-color="#f3f1ea">
    <mj-section background-color="#ffffff" padding="36px 28px">
      <mj-column>
        <mj-text font-size="13px" color="#1f5c4d" font-weight="600">NORTHWIND BOOKS</mj-text>
        <mj-text font-size="24px" font-weight="600" line-height="1.3">Thank you, {{ name }}</mj-text>
        <mj-text font-size="16px" line-height="1.6" color="#444444">
          We have your order {{ order }}. It leaves our shelves {{ delivery }}.
        </mj-text>
        <mj-divider border-width="1px" border-color="#e4e1d9" />
        <mj-text font-size="16px">Total: <strong>{{ total }}</strong></mj-text>
        <mj-button background-color="#1f5c4d" border-radius="8px" href="https://books.example.com/orders">
          See your order
        </mj-button>
      </mj-column>
    </mj-section>
  </mj-body>
</mjml>
`;

/** A tenant with a day's data, for screenshots and for tests of every page. */
export async function sampleTenant(admin: AdminUnderTest) {
  const { db, pool, keys } = admin;
  const { id } = await createTenant(db, { name: "Northwind Books" });
  const put = (input: Omit<Parameters<typeof putTemplate>[1], "tenantId">) =>
    putTemplate(db, {
      ...{ ...input, tenantId: id, sampleVariables: SAMPLES },
      createdBy: "olive@books.example.com",
    });
  const order = { eventType: "order.confirmed" };
  const parcel = { eventType: "parcel.arriving" };
  const mail = { ...order, channel: "EMAIL", subject: "Your order {{ order }}" } as const;
  await put({ ...mail, content: MAIL.replace("Total", "Sum") });
  const email = await put({ ...mail, content: MAIL });
  const confirmed = "Northwind: order {{ order }} is confirmed, it leaves {{ delivery }}.";
  const sms = await put({ ...order, channel: "SMS", content: confirmed });
  const push = await put({
    ...{ ...order, channel: "PUSH", title: "Order {{ order }} confirmed" },
    content: "It leaves our shelves {{ delivery }}.",
  });
  await put({ ...parcel, channel: "SMS", content: "Your parcel arrives {{ delivery }}." });
  const arrives = "It arrives {{ delivery }}.";
  await put({ ...parcel, channel: "PUSH", title: "Your parcel", content: arrives, active: false });
  const code = { channel: "SMS", content: "{{ code }} is your code.", sensitive: true } as const;
  await put({ eventType: "sign-in.code", ...code });
  const { id: staging } = await createTenant(db, { name: "Northwind Books, staging" });
  const newer = { tenantId: staging, eventType: "parcel.arriving", channel: "SMS" } as const;
  await putTemplate(db, { ...newer, content: "Your parcel arrives {{ delivery }}. Be at home." });
  const family = { family: "books" };
  await actsIn(db, staging)(setEnvironment, { ...family, environment: "staging" });
  const production = { ...family, environment: "production", promotesFrom: staging };
  await actsIn(db, id)(setEnvironment, production);
  for (const channel of ["EMAIL", "SMS"] as const) {
    await putActiveProvider(db, { tenantId: id, channel, kind: "sandbox", settings: {} }, { keys });
  }
  const from = { from: "orders@books.example.com", fromName: "Northwind" };
  const settings = { apiKey: "SG.0123456789abcdef", ...from };
  const account = { tenantId: id, channel: "EMAIL", kind: "sendgrid", settings } as const;
  const sendgrid = await putActiveProvider(db, { ...account, maxPerSecond: 50 }, { keys });
  await db
    .updateTable("api_keys")
    .set({ last_used_at: new Date() })
    .where("tenant_id", "=", id)
    .execute();
  const { rows: versions } = await pool.query(
    `select channel, current_version_id as id from templates join template_variants on template_id = id
     where tenant_id = $1 and event_type = 'order.confirmed'`,
    [id],
  );
  const versionOf = (channel: string): string => versions.find((row) => row.channel === channel).id;
  const { eventId, failedEventId } = await storeDay(db, id, sendgrid.id, {
    ...{ EMAIL: versionOf("EMAIL"), SMS: versionOf("SMS") },
  });
  const outboxId = await storeOutboxMessage(db, {
    ...{ deliveryId: eventId, tenantId: id, eventId, channel: "EMAIL", to: "ada@example.com" },
    subject: "Your order A-1001",
    html: "<body style='font-family:sans-serif'><h1>Thank you, Ada</h1><p>We have your order A-1001.</p></body>",
    text: "Thank you, Ada. We have your order A-1001.",
    segments: null,
    headers: {
      "List-Unsubscribe": `<https://belfry.example.com/u/${"x".repeat(200)}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      "List-Id": "<offers.northwind.example.com>",
    },
  });
  await storeOutboxMessage(db, {
    ...{ deliveryId: failedEventId, tenantId: id, eventId, channel: "SMS", to: "+12025550123" },
    ...{ subject: null, html: null, text: "Northwind: order A-1001 is confirmed.", segments: 1 },
  });
  const addresses = ["gone@example.com", "left@example.org"];
  const bounced = { addresses, reason: "bounced", source: "sendgrid" } as const;
  await insertSuppressions(db, { tenantId: id, channel: "EMAIL", ...bounced });
  await storePreferences(db, id);
  await storePeople(db, id);
  const templates = { EMAIL: email.id, SMS: sms.id, PUSH: push.id };
  // An erasure request for a user.
  const { id: erasureId } = await openErasure(db, { tenantId: id, userId: "gone" });
  const waiting = { scheduled: 3, digests: 2, held: 3 };
  await storeWaiting(pool, id, { ...waiting, text: "parcel.arriving", user: "ada" });
  const broadcastId = await storeBroadcasts(pool, id, eventId);
  // A scheduled event and an open digest.
  const { rows } = await pool.query<{ restingId: string; digestId: string }>(
    `select (select min(event_id::text) from scheduled_events where tenant_id = $1) as "restingId",
            (select min(id::text) from digests where tenant_id = $1) as "digestId"`,
    [id],
  );
  return {
    ...{ id, templates, providerId: sendgrid.id, eventId, failedEventId, outboxId, broadcastId },
    // One endpoint has a failed message; another is disabled.
    ...{ ...rows[0]!, erasureId, ...(await storeEndpoints(admin, id, eventId)) },
    importId: await storeImports(admin, id),
  };
}

export type SampleTenant = Awaited<ReturnType<typeof sampleTenant>>;

/** One that runs, with this event, and some that do not; and a topic. */
async function storeBroadcasts(pool: Pool, tenantId: string, eventId: string): Promise<string> {
  const order = { eventType: "order.confirmed", topics: ["book-news", "offers"] };
  await storeTopic(pool, tenantId, "book-news", ["ada", "grace", "linus"]);
  await storeBroadcast(pool, tenantId, { ...order, state: "scheduled", topics: null });
  const capped = { state: "paused", reason: "#broadcast-daily-cap" } as const;
  const resumesAt = new Date(Date.now() + 5 * 60 * 60_000);
  await storeBroadcast(pool, tenantId, { ...order, ...capped, resumesAt });
  const ended = { state: "cancelled", counts: { cancelled: 1, accepted: 2 } } as const;
  await storeBroadcast(pool, tenantId, { ...order, ...ended });
  const counts = { accepted: 310, delivered: 420, queued: 180, skipped: 90, published: 640 };
  const id = await storeBroadcast(pool, tenantId, { ...order, counts });
  await pool.query("update broadcasts set expanded = 640 where id = $1", [id]);
  await pool.query("update broadcast_chunks set event_ids = $2 where broadcast_id = $1", [
    ...[id, [eventId]],
  ]);
  return id;
}

/** Two webhook endpoints: one that received messages and one that no longer exists. */
async function storeEndpoints(admin: AdminUnderTest, tenantId: string, eventId: string) {
  const { id: webhookId } = await storeWebhook(admin, tenantId, {
    url: "https://shop.books.example.com/hooks/belfry?source=orders",
    types: ["delivery.delivered", "delivery.bounced", "delivery.failed"],
    description: "The shop: shows in the order what became of its mails",
  });
  const of = { tenantId, webhookId };
  const html = "<html><body><h1>500 Internal Server Error</h1><p>nginx</p></body></html>";
  await storeMessage(admin, of, { status: "accepted", tries: [204], eventId });
  const webhookMessageId = await storeMessage(admin, of, {
    ...{ type: "delivery.bounced", status: "failed", tries: [null, 500, 503], answer: html },
    ...{ reason: '#retries-exhausted {"why":"it answered 503 Service Unavailable"}', eventId },
  });
  await storeMessage(admin, of, {
    ...{ type: "delivery.failed", status: "waiting", tries: [500], answer: html },
    reason: "it answered 500 Internal Server Error",
  });
  await storeMessage(admin, of, { type: "webhook.test", status: "queued" });
  const old = await storeWebhook(admin, tenantId, { url: "https://old.books.example.com/hooks" });
  await disableWebhook(admin, old.id);
  return { webhookId, webhookMessageId };
}

/** An import that has ended with bad lines, and one that is being uploaded. */
async function storeImports({ db, pool }: AdminUnderTest, tenantId: string): Promise<string> {
  const run = actsIn(db, tenantId);
  const file = "userId,email,lcoale\nada,ada@example.com,de\nbob,nobody,\n";
  const { id } = await run(startImport, { kind: "users", file });
  const faults = [{ line: 3, field: "email", message: "must be an email address" }];
  await pool.query(
    `update imports set state = 'done', processed = 2, added = 1, left_out = 1, faults = $2, person = 'Ann <ann@example.com>',
            started_at = now(), ended_at = now() where id = $1`,
    [id, JSON.stringify(faults)],
  );
  await run(startImport, { kind: "members", topic: "news", file: "userId\ngrace\n", more: true });
  return id;
}

/** Categories, one user with preferences, and an inbound text message. */
async function storePreferences(db: Database, tenantId: string): Promise<void> {
  const label = { "": "Offers", de: "Angebote" };
  const description = { "": "Twice a month", de: "Zweimal im Monat" };
  const run = actsIn(db, tenantId);
  await run(putCategory, { key: "offers", label, description });
  await run(assignCategory, { eventType: "sale.began", category: "offers" });
  const news = { key: "news", label: { "": "News" } };
  await run(putCategory, { ...news, defaultOn: false, position: 1 });
  const security = { key: "security", label: { "": "Security" } };
  await run(putCategory, { ...security, required: true, position: 2 });
  await run(changeMembers, { key: "news", add: ["ada", "bob", "grace"] });
  await saveUsers(db, tenantId, [
    {
      ...{ userId: "ada", email: "left@example.org", phone: "+12025550123", locale: "de-AT" },
      ...{ timezone: "Europe/Vienna", quietHours: { from: "22:00", to: "06:00" } },
    },
  ]);
  const changes = [
    { category: "offers", channel: "EMAIL", enabled: false },
    { category: "news", channel: "*", enabled: true },
  ] as const;
  const owner = { tenantId, userId: "ada" };
  await changePreferencesOfUser(db, owner, "preference page", changes);
  const origin = { tenantId, providerKind: "twilio", channels: ["SMS"] } as const;
  await storeInbound(db, origin, {
    ...{ vendorId: "SM1", sender: "+12025550123", recipient: "+12025550100" },
    text: "When does my order leave?",
  });
}

/** Members, an invitation, and audit log entries of their changes. */
async function storePeople(db: Database, tenantId: string): Promise<void> {
  const people = [
    { name: "Olive Owner", email: "olive@books.example.com", role: "owner" },
    { name: "Edgar Editor", email: "edgar@books.example.com", role: "editor" },
    { name: "Vera Viewer", email: "vera@books.example.com", role: "viewer" },
  ] as const;
  for (const { name, email, role } of people) {
    const personId = await insertPerson(db, { name, email, password: "none", operator: false });
    await putMembership(db, { personId, tenantId, role });
  }
  const email = "otto@books.example.com";
  await invite(db, { tenantId, role: "editor", email, invitedBy: null, byOperator: true });
  const olive = "Olive Owner <olive@books.example.com>";
  const actor = { personId: null, person: olive, address: "192.0.2.7" };
  const changes = [
    { action: "key.rotate", target: "bf_Zx12…", after: { othersEndAfterHours: 24 } },
    { action: "member.invite", target: email, after: { email, role: "editor" } },
    {
      action: "provider.update",
      target: "EMAIL sendgrid",
      before: { settings: { apiKey: "•••• cdef", from: "hello@books.example.com" } },
      after: {
        settings: { apiKey: "•••• cdef", from: "orders@books.example.com", fromName: "Northwind" },
        maxPerSecond: 50,
      },
    },
    { action: "template.deactivate", target: "parcel.arriving PUSH" },
    { action: "suppression.remove", target: "EMAIL back@example.com", after: { removed: 1 } },
  ];
  for (const change of changes) {
    await audited(
      db,
      actor,
      async () => undefined,
      () => ({ tenantId, ...change }),
    );
  }
}
