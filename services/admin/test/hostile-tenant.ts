import { randomUUID } from "node:crypto";
import { insertAuditEntry } from "@belfry/administration/audited";
import { invite } from "@belfry/administration/people/invitations";
import { insertPerson, putMembership } from "@belfry/administration/people/person-rows";
import { beginSession } from "@belfry/administration/people/sessions";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { actsIn, putActiveProvider } from "@belfry/administration/test/acts";
import { putTemplate } from "@belfry/administration/test/templates";
import { storeCategory } from "@belfry/administration/users/categories";
import { startImport } from "@belfry/administration/users/imports";
import { changeMembers } from "@belfry/administration/users/topics";
import { storeUsers } from "@belfry/administration/users/user-rows";
import { storeOutboxMessage } from "@belfry/database/outbox";
import { SCRIPT } from "@belfry/testing/hostile";
import { aDelivery, aNotification, anAttempt, anEvent } from "@belfry/testing/rows";
import type { AdminUnderTest } from "./start-admin.ts";
import { storeBroadcast } from "./store-broadcasts.ts";
import { storeWaiting } from "./store-waiting.ts";
import { disableWebhook, storeMessage, storeWebhook } from "./store-webhooks.ts";

/**
 * For tests: a tenant that has the script in every field that it, its users or its vendors can fill, past
 * the checks of administration where these would refuse it.
 */
/** The ids of a tenant's things. */
export async function hostileTenant(admin: AdminUnderTest) {
  const { db, pool, keys } = admin;
  const { id } = await createTenant(db, { name: SCRIPT });
  const eventId = randomUUID();
  const push = {
    ...({ tenantId: id, eventType: SCRIPT, channel: "PUSH", createdBy: SCRIPT } as const),
    sampleVariables: JSON.stringify({ [SCRIPT]: SCRIPT }),
  };
  const content = "<script>alert(1)</script>";
  await putTemplate(db, { ...push, title: "older", content: SCRIPT.replace("{{x}}", "") });
  const template = await putTemplate(db, { ...push, title: content, content });
  const mail = { ...push, channel: "EMAIL", subject: SCRIPT, content: "<p>Hello</p>" } as const;
  await putTemplate(db, mail);
  const { id: source } = await createTenant(db, { name: SCRIPT });
  await putTemplate(db, { ...push, tenantId: source, title: content, content: `${content}!` });
  await pool.query(
    "update tenants set family = $1, environment = $1 || id, promotes_from = case id when $2 then $3 end where id in ($2, $3)",
    [SCRIPT, id, source],
  );
  const sandbox = { tenantId: id, channel: "EMAIL", kind: "sandbox", settings: {} } as const;
  const { id: providerId } = await putActiveProvider(db, { ...sandbox, name: SCRIPT }, { keys });
  await pool.query("update providers set masked_settings = $1", [{ [SCRIPT]: SCRIPT }]);
  await pool.query(
    `insert into provider_circuits (provider_id, class, reason, failures, opened_at, open_until)
     values ($1, 'credentials', $2, 1, now(), now() + interval '1 hour')`,
    [providerId, SCRIPT],
  );
  await storeEvent(admin, id, eventId);
  const digestId = await storeDigest(admin, id, eventId);
  const text = { eventId, to: SCRIPT, subject: SCRIPT, html: SCRIPT, text: SCRIPT, segments: null };
  const messageId = await storeOutboxMessage(db, {
    ...{ deliveryId: eventId, tenantId: id, channel: "EMAIL", ...text },
  });
  await pool.query(
    `insert into suppressions (tenant_id, channel, address, reason, source)
     values ($1, 'EMAIL', $2, 'bounced', $2)`,
    [id, SCRIPT],
  );
  await storePreferences(admin, id);
  const importId = await storeImport(admin, id);
  await pool.query("update outbox set headers = $1", [{ [SCRIPT]: SCRIPT }]);
  const personId = await insertPerson(db, {
    ...{ name: SCRIPT, email: SCRIPT.toLowerCase(), password: "none", operator: true },
  });
  await putMembership(db, { personId, tenantId: id, role: "owner" });
  for (const tenantId of [id, null]) {
    const role = tenantId === null ? "operator" : "owner";
    const email = "invited@example.com";
    await invite(db, { tenantId, role, email, invitedBy: personId, byOperator: true });
  }
  await pool.query("update invitations set email = $1", [SCRIPT.toLowerCase()]);
  await insertAuditEntry(db, {
    ...{ personId, person: SCRIPT, address: SCRIPT, tenantId: id, action: SCRIPT, target: SCRIPT },
    ...{ before: { [SCRIPT]: SCRIPT }, after: { [SCRIPT]: `${SCRIPT}2` } },
  });
  await pool.query(
    "insert into platform_keys (id, sha256, prefix, name) values (gen_random_uuid(), '', $1, $1)",
    [SCRIPT],
  );
  await storeWaiting(pool, id, { scheduled: 1, held: 3, text: SCRIPT });
  const broadcastId = await storeBroadcast(pool, id, {
    ...{ state: "paused", reason: SCRIPT, eventType: SCRIPT, topics: [SCRIPT], users: [SCRIPT] },
    counts: { [SCRIPT]: 1 },
  });
  const resting = await pool.query("select event_id as id from scheduled_events");
  return {
    ...{ id, eventId, digestId, messageId, templateId: template.id, providerId, personId },
    importId,
    broadcastId,
    /** An event that rests. */
    restingId: resting.rows[0].id as string,
    // An endpoint, and what it was told of the event.
    ...(await storeEndpoints(admin, id, eventId)),
  };
}

/** A topic, and an import with a fault. */
async function storeImport({ db, pool }: AdminUnderTest, tenantId: string): Promise<string> {
  const run = actsIn(db, tenantId);
  await run(changeMembers, { key: "news", add: [SCRIPT] });
  const { id } = await run(startImport, { kind: "members", topic: "news", file: "a\n" });
  const faults = [{ line: 1, field: SCRIPT, message: SCRIPT }];
  await pool.query("update imports set person = $2, faults = $3, left_out = 2 where id = $1", [
    ...[id, SCRIPT, JSON.stringify(faults)],
  ]);
  return id;
}

/** An endpoint that answers what it likes, and one that was disabled because of what it answered. */
async function storeEndpoints(admin: AdminUnderTest, tenantId: string, eventId: string) {
  const { id: webhookId } = await storeWebhook(admin, tenantId, { description: SCRIPT });
  const webhookMessageId = await storeMessage(
    admin,
    { tenantId, webhookId },
    { status: "failed", tries: [null, 500], answer: SCRIPT, reason: SCRIPT, type: SCRIPT, eventId },
  );
  const { rows } = await admin.pool.query(
    "update webhooks set url = $2 where id = $1 returning url",
    [webhookId, `https://hooks.example.com/${SCRIPT}`],
  );
  const other = await storeWebhook(admin, tenantId, { url: "https://gone.example.com" });
  await disableWebhook(admin, other.id, SCRIPT);
  await admin.pool.query("update webhooks set url = $2 where id = $1", [
    ...[other.id, `${rows[0].url}/gone`],
  ]);
  await admin.pool.query("update webhook_messages set payload = $2 where id = $1", [
    ...[webhookMessageId, SCRIPT],
  ]);
  return { webhookId, webhookMessageId };
}

/** A message of the event, of which everything can be written by somebody. */
async function storeDigest({ pool }: AdminUnderTest, id: string, eventId: string): Promise<string> {
  const digestId = randomUUID();
  await pool.query(
    `insert into digests (id, tenant_id, event_type, channel, user_id, recipient, locale, key, opened_at, window_ends_at)
     values ($1, $2, $3, 'SMS', $3, $3, $3, $3, now(), now() + interval '1 hour')`,
    [digestId, id, SCRIPT],
  );
  await pool.query("insert into digest_items values ($1, $2, now())", [digestId, eventId]);
  const due = { channel: "SMS", due_at: new Date(Date.now() + 3_600_000) } as const;
  const of = { event_id: digestId, tenant_id: id };
  await aDelivery(pool, { ...due, ...of, recipient: SCRIPT, reason: SCRIPT });
  return digestId;
}

/** A user who has been named, what there is to choose from, and what was answered. */
async function storePreferences({ db, pool }: AdminUnderTest, id: string): Promise<void> {
  const texts = { "": SCRIPT, de: SCRIPT };
  await storeCategory(db, id, {
    ...{ key: "offers", label: texts, description: texts },
    ...{ required: false, defaultOn: true, position: 0 },
  });
  await pool.query(
    "insert into event_type_categories (tenant_id, event_type, category) values ($1, $2, 'offers')",
    [id, SCRIPT],
  );
  const user = {
    userId: SCRIPT,
    email: SCRIPT,
    phone: SCRIPT,
    chat: SCRIPT,
    locale: SCRIPT,
    timezone: SCRIPT,
  };
  const another = { ...user, userId: `${SCRIPT}, another` };
  const attributes = JSON.stringify({ [SCRIPT]: SCRIPT });
  const quiet = { quietFrom: null, quietTo: null, attributes };
  await storeUsers(db, id, [
    { ...user, ...quiet },
    { ...another, ...quiet },
  ]);
  await pool.query(
    `insert into preferences (tenant_id, user_id, category, channel, enabled, source)
     values ($1, $2, 'offers', 'EMAIL', false, 'api')`,
    [id, SCRIPT],
  );
  await pool.query(
    `insert into inbound_messages (id, tenant_id, provider_kind, vendor_id, sender, recipient, text)
     values ($1, $2, $3, 'v', $3, $3, $3)`,
    [randomUUID(), id, SCRIPT],
  );
}

/** An event with all that its user and its vendor may have said. */
async function storeEvent({ db }: AdminUnderTest, id: string, eventId: string): Promise<void> {
  const now = new Date();
  const of = { id: eventId, tenant_id: id };
  await anEvent(db, {
    ...of,
    event_type: SCRIPT,
    user_id: SCRIPT,
    reference: SCRIPT,
    recipient_email: SCRIPT,
    envelope: JSON.stringify({ fromName: SCRIPT, replyTo: SCRIPT, cc: [SCRIPT], bcc: [SCRIPT] }),
    recipient_phone: SCRIPT,
    variables: null,
    trace_id: SCRIPT,
    outcome: JSON.stringify({
      skipped: { EMAIL: SCRIPT },
      waits: { SMS: SCRIPT },
      missing: { PUSH: [SCRIPT] },
    }),
  });
  await aDelivery(db, {
    ...of,
    event_id: eventId,
    channel: "SMS",
    status: "failed",
    reason: SCRIPT,
    template_version_id: "999999",
    attempts: 1,
    settled_at: now,
  });
  await anAttempt(db, {
    delivery_id: eventId,
    provider_kind: SCRIPT,
    started_at: now,
    ended_at: now,
    class: "permanent",
    reason: SCRIPT,
    vendor_status: SCRIPT,
    vendor_answer: SCRIPT,
  });
  const text = { event_type: SCRIPT, title: SCRIPT, body: SCRIPT };
  await aNotification(db, { ...of, ...text, user_id: SCRIPT });
}

/** A session of the person's from a browser that says what it likes. */
export async function hostileSession({ db }: AdminUnderTest, email: string): Promise<void> {
  const person = await db
    .selectFrom("people")
    .select("id")
    .where("email", "=", email)
    .executeTakeFirstOrThrow();
  await beginSession(db, person.id, { address: SCRIPT, userAgent: SCRIPT });
}
