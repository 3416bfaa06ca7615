import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { insertSuppressions } from "@belfry/administration/events/suppression-rows";
import { putActiveProvider } from "@belfry/administration/test/acts";
import { putTemplate } from "@belfry/administration/test/templates";
import { storedReason } from "@belfry/contracts/reasons";
import { anEvent } from "@belfry/testing/rows";
import type { AdminUnderTest } from "../../test/start-admin.ts";
import { startTenant } from "../../test/start-tenant.ts";

const TO = "ada+news@example.com";
const SECRET_ANSWER = "550 5.1.1 your code is 123456";

interface Given {
  eventType?: string;
  status?: string;
  reason?: string | null;
  outcome?: object;
  attempt?: { kind: string; class: string; reason: string; status?: string; answer?: string };
  receipt?: { kind: string; status: string; reason: string };
}

/** An event to Ada with an email, where it has an attempt or a status. */
async function storeEvent(
  { pool }: AdminUnderTest,
  { tenantId, providerId }: { tenantId: string; providerId: string },
  given: Given,
): Promise<string> {
  const { eventType = "order.confirmed", attempt, receipt } = given;
  const id = await anEvent(pool, {
    tenant_id: tenantId,
    event_type: eventType,
    user_id: "ada",
    recipient_email: TO,
    variables: '{"order":"A-1","<b>":[1,{"total":12.50}],"leaves":"2026-03-01T10:00:00Z"}',
    outcome: JSON.stringify(given.outcome ?? {}),
  });
  if (given.status === undefined) return id;
  const delivery = randomUUID();
  await pool.query(
    `insert into deliveries (id, event_id, tenant_id, channel, status, reason, recipient, template_version_id,
       attempts, settled_at)
     select $1, $2, $3, 'EMAIL', $4, $5, $6, current_version_id, 1, now()
     from template_variants v join templates t on t.id = v.template_id
     where t.tenant_id = $3 and t.event_type = $7`,
    [delivery, id, tenantId, given.status, given.reason ?? null, TO, eventType],
  );
  if (attempt !== undefined) {
    await pool.query(
      `insert into attempts (delivery_id, number, provider_id, provider_kind, started_at, ended_at, class, reason,
         vendor_status, vendor_answer)
       values ($1, 1, $2, $3, now(), now(), $4, $5, $6, $7)`,
      [
        ...[delivery, providerId, attempt.kind, attempt.class, attempt.reason],
        ...[attempt.status ?? null, attempt.answer ?? null],
      ],
    );
  }
  if (receipt !== undefined) {
    await pool.query(
      `insert into receipts (tenant_id, provider_kind, vendor_event, delivery_id, kind, reason, vendor_status)
       values ($1, 'sendgrid', gen_random_uuid(), $2, $3, $4, $5)`,
      [tenantId, delivery, receipt.kind, receipt.reason, receipt.status],
    );
  }
  return id;
}

test("an event's page answers why it did not arrive, for every role: a sentence, the vendor's words, the values, and links", async (t) => {
  const { admin, tenantId, base } = await startTenant(t);
  const of = { tenantId, role: "owner" } as const;
  const owner = await admin.person({ email: "olive@example.com", name: "Olive", of });
  const viewer = await admin.person({
    ...{ email: "vera@example.com", name: "Vera", of: { tenantId, role: "viewer" } },
  });
  const template = { tenantId, channel: "EMAIL", subject: "Order {{ order }}" } as const;
  const html = { ...template, content: "<p>Order {{ order }}</p>" };
  await putTemplate(admin.db, { ...html, eventType: "order.confirmed", content: "<p>Order</p>" });
  const { id: templateId } = await putTemplate(admin.db, { ...html, eventType: "order.confirmed" });
  await putTemplate(admin.db, { ...html, eventType: "code", sensitive: true });
  const { id: providerId } = await putActiveProvider(
    admin.db,
    { tenantId, channel: "EMAIL", kind: "sandbox", settings: {} },
    { keys: admin.keys },
  );
  await insertSuppressions(admin.db, {
    tenantId,
    channel: "EMAIL",
    addresses: [TO],
    reason: "by hand",
    source: null,
  });
  const store = (given: Given) => storeEvent(admin, { tenantId, providerId }, given);
  const page = async (id: string, browser = owner) =>
    (await browser.text(`${base}/activity/${id}`)).replaceAll(/\s+/g, " ");
  const badgeOf = (shown: string) =>
    /<h1>[^<]*<\/h1> <span id="outcome" class="badge (\w+)">([^<]+)</.exec(shown)?.slice(1);
  /** Asserts that a name on the page links to an address. */
  const leadsTo = async (shown: string, address: string, browser = owner) => {
    const escaped = address.replaceAll("&", "&amp;");
    assert.ok(shown.includes(`href="${escaped}"`), address);
    assert.equal((await browser.get(address)).status, 200, address);
  };
  const refused = {
    ...{ status: "failed", reason: "the mail server answered 550 to RCPT TO" },
    attempt: {
      ...{ kind: "smtp", class: "permanent", reason: "the mail server answered 550 to RCPT TO" },
      ...{ status: "550", answer: "550 5.1.1 <b>no such user</b>" },
    },
  };

  const failed = await store(refused);
  const shown = await page(failed);
  const sentence = "Not delivered: the mail server says that this address does not exist.";
  const words = "550 5.1.1 &lt;b&gt;no such user&lt;/b&gt;";
  assert.ok(shown.indexOf(sentence) > 0);
  assert.ok(shown.indexOf(words) > shown.indexOf(sentence));
  assert.deepEqual(badgeOf(shown), ["bad", "not delivered"]);
  assert.match(shown, /<h2>Email as rendered, not sent<\/h2>/);
  assert.match(shown, /<dt>order<\/dt><dd class="value">A-1</);
  assert.match(shown, /<dt>&lt;b&gt;<\/dt><dd class="value">\[1,{&quot;total&quot;:12.50}\]</);
  assert.match(
    shown,
    /<dt>leaves<\/dt><dd class="value"><time datetime="2026-03-01T10:00:00.000Z"/,
  );
  await leadsTo(shown, `${base}/providers/${providerId}`);
  const letters = `${base}/dead-letters?channel=EMAIL&class=permanent&provider=smtp`;
  await leadsTo(shown, letters);
  await leadsTo(shown, `${base}/templates/${templateId}/versions?version=2`);
  await leadsTo(shown, `${base}/users?user=ada`);
  const seen = await page(failed, viewer);
  assert.ok(seen.includes(sentence) && seen.includes(words));
  assert.ok(!seen.includes(`/providers/${providerId}`));
  await leadsTo(seen, letters, viewer);

  const skipped = {
    EMAIL: storedReason("address-suppressed", { reason: "bounced" }),
    PUSH: storedReason("no-template"),
  };
  const nothing = await page(await store({ outcome: { skipped } }));
  assert.deepEqual(badgeOf(nothing), ["quiet", "nothing sent"]);
  assert.match(nothing, /Not sent: the address is suppressed: an earlier message/);
  await leadsTo(nothing, `${base}/suppressions?${new URLSearchParams({ search: TO })}`);

  const inList = async () => await owner.text(`${base}/activity`);
  assert.match(await inList(), /<span class="badge bad">Email skipped</);

  const attempt = { kind: "sendgrid", class: "accepted", reason: "SendGrid accepted the message" };
  const ofSms = (reason: string) => ({
    status: "accepted",
    attempt,
    outcome: { skipped: { SMS: reason } },
  });
  const partly = await page(
    await store(ofSms(storedReason("address-suppressed", { reason: "bounced" }))),
  );
  assert.deepEqual(badgeOf(partly), ["bad", "partly sent"]);
  assert.match(await inList(), /<span class="badge bad">SMS skipped</);
  const unwanted = await page(
    await store(ofSms(storedReason("no-address", { field: "recipientPhone" }))),
  );
  assert.deepEqual(badgeOf(unwanted), ["good", "sent"]);
  const taken = await page(await store({ status: "accepted", attempt }));
  assert.deepEqual(badgeOf(taken), ["good", "sent"]);
  assert.match(taken, /Sent: accepted by SendGrid, which has not reported delivery yet\./);
  assert.match(taken, /<h2>Email as sent<\/h2>/);
  const receipt = { kind: "bounced", status: "5.2.2", reason: "552 over quota" };
  const bounced = await page(
    await store({ status: "bounced", reason: receipt.reason, attempt, receipt }),
  );
  assert.deepEqual(badgeOf(bounced), ["bad", "not delivered"]);
  assert.match(bounced, /Not delivered: the mail server says that the mailbox is full\./);
  assert.match(bounced, /<blockquote class="said small">552 over quota</);
  assert.match(bounced, /<h2>Email as sent<\/h2>/);
  const kept = await page(
    await store({ status: "accepted", attempt: { ...attempt, kind: "sandbox" } }),
  );
  assert.match(kept, /Caught by the sandbox: see the sandbox messages\. It was not really sent\./);
  await leadsTo(kept, `${base}/outbox`);
  const waiting = await page(await store({ status: "queued" }));
  assert.deepEqual(badgeOf(waiting), ["busy", "under way"]);
  assert.match(waiting, /<h2>Email as rendered, not sent yet<\/h2>/);

  const secret = await page(
    await store({
      ...refused,
      ...{ eventType: "code", attempt: { ...refused.attempt, answer: SECRET_ANSWER } },
    }),
  );
  assert.ok(secret.includes(sentence));
  assert.ok(!secret.includes("123456") && !secret.includes("A-1"));
  assert.match(
    secret,
    /A template of this event type is sensitive: its variables are never shown\./,
  );
  assert.match(secret, /The answer is not shown/);
});
