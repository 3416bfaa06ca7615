import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import { claimDeliveries } from "@belfry/database/functions/claim-deliveries";
import { eraseSensitiveVariables } from "@belfry/database/functions/release-deliveries";
import { changeNotification, shownNotifications } from "@belfry/database/notifications";
import { anEvent, aRecipient } from "@belfry/testing/rows";
import { tenantDatabase } from "../../test/database.ts";
import { deleteTemplate, putTemplate } from "../../test/templates.ts";
import { usedSensitiveTemplate } from "./event-facts.ts";
import { readEvent } from "./event-report.ts";
import { sentContent } from "./sent-content.ts";

const SECOND_MS = 1000;

async function setUp(t: TestContext) {
  const { pool, db, tenantId } = await tenantDatabase(t);
  const put = async (channel: "SMS" | "PUSH", sensitive: boolean, locale = "") => {
    const title = channel === "PUSH" ? "T" : undefined;
    const content = `Code {{code}} ${locale}`;
    const input = { tenantId, eventType: "code", channel, content, title, locale } as const;
    // A translation says nothing of it.
    return await putTemplate(db, { ...input, ...(locale === "" ? { sensitive } : {}) });
  };
  const of = { tenant_id: tenantId, event_type: "code", user_id: "u" };
  /** Stores an event with a delivery of the current variant, and a notification. */
  const event = async (locale = "", agoMs = 0, status = "accepted") => {
    const at = new Date(Date.now() - agoMs);
    const variables = '{"code": "123456"}';
    const eventId = await anEvent(pool, { ...of, variables, accepted_at: at });
    await pool.sql`insert into deliveries (id, event_id, tenant_id, channel, status, recipient,
        template_version_id, due_at, released_at, settled_at)
      select ${eventId}, ${eventId}, ${tenantId}, 'SMS', ${status}, '+12025550123', l.current_version_id,
        now(), now(), case ${status} when 'accepted' then now() end
      from templates t join template_variants l on l.template_id = t.id and l.locale = ${locale}
      where t.tenant_id = ${tenantId} and t.channel = 'SMS'`;
    await pool.sql`insert into notifications (id, tenant_id, user_id, event_type, title, body,
        channel_name, channel_offset, created_at)
      select ${eventId}, ${tenantId}, 'u', 'code', 'T', 'Code 123456', 'personal',
             (select count(*) + 1 from notifications), ${at}`;
    return eventId;
  };
  const shown = async (eventId: string, channel: "SMS" | "PUSH" = "SMS") =>
    (await sentContent(db, tenantId, eventId, channel)).shown;
  return { pool, db, tenantId, put, event, shown };
}

test("of a sensitive template no language's content is shown, and neither after it is no longer sensitive", async (t) => {
  const { db, tenantId, put, event, shown } = await setUp(t);
  await put("SMS", true);
  await put("PUSH", true);
  await put("SMS", true, "de");
  const then = [await event(), await event("de")];
  for (const id of then) {
    assert.deepEqual([await shown(id), await shown(id, "PUSH")], [false, false]);
  }
  await put("SMS", false);
  await put("PUSH", false);
  for (const id of then) {
    assert.deepEqual([await shown(id), await shown(id, "PUSH")], [false, false]);
  }
  assert.deepEqual(await shownNotifications(db, tenantId, then), new Set());
  const later = await event("", -60 * SECOND_MS);
  assert.deepEqual([await shown(later), await shown(later, "PUSH")], [true, true]);
  assert.deepEqual(await shownNotifications(db, tenantId, [...then, later]), new Set([later]));
  const used = (agoMs: number) =>
    usedSensitiveTemplate(db, tenantId, {
      eventType: "code",
      acceptedAt: new Date(Date.now() - agoMs),
    });
  assert.deepEqual([await used(SECOND_MS), await used(-60 * SECOND_MS)], [true, false]);
});

test("what was sent is shown with the attributes of its user as they are now", async (t) => {
  const { db, tenantId, pool, event } = await setUp(t);
  const template = { tenantId, eventType: "code", channel: "SMS", content: "{{ user.name }}" };
  await putTemplate(db, template as Parameters<typeof putTemplate>[1]);
  await aRecipient(pool, { tenant_id: tenantId, user_id: "u", attributes: '{"name":"Ann"}' });
  const sent = await sentContent(db, tenantId, await event(), "SMS");
  assert.equal(sent.shown && sent.content.kind === "text" && sent.content.text, "Ann");
});

test("what a template made that is gone is not shown: nobody knows what it was", async (t) => {
  const { db, tenantId, put, event, shown } = await setUp(t);
  await put("SMS", false);
  await put("PUSH", true);
  const id = await event();
  await deleteTemplate(db, { tenantId, eventType: "code", channel: "PUSH" });
  assert.equal(await shown(id, "PUSH"), false);
  assert.deepEqual(await shownNotifications(db, tenantId, [id]), new Set());
});

test("what its user deleted from the inbox is told as such, in the timeline, too", async (t) => {
  const { db, tenantId, put, event } = await setUp(t);
  await put("PUSH", false);
  const id = await event();
  const { userId } = await readEvent(db, id);
  const item = { tenantId, userId, notificationId: id };
  assert.equal(await changeNotification(db, item, { deleted: true }), "changed");
  assert.deepEqual(await sentContent(db, tenantId, id, "PUSH"), {
    ...{ shown: false, why: "The user deleted it from the inbox." },
  });
  const { timeline, channels } = await readEvent(db, id);
  assert.deepEqual(timeline.at(-1)?.what, "deleted from the inbox");
  assert.equal(channels.PUSH?.notification?.read, true);
});

test("what was sent before a template became sensitive is not shown from then on", async (t) => {
  const { put, event, shown } = await setUp(t);
  await put("SMS", false);
  const id = await event("", 60 * SECOND_MS);
  assert.equal(await shown(id), true);
  await put("SMS", true);
  assert.equal(await shown(id), false);
});

test("the variables of what came while a template was sensitive are erased, also when it ends later", async (t) => {
  const { pool, tenantId, put, event } = await setUp(t);
  await put("SMS", true);
  const waiting = await event("", 0, "queued");
  await put("SMS", false);
  const plain = await event("", -60 * SECOND_MS);
  const provider = { id: randomUUID(), kind: "sandbox" };
  const [claimed] = await claimDeliveries(pool, [{ id: waiting, tenantId, provider }], {
    ...{ channel: "SMS", leaseMs: SECOND_MS, maxRetries: 1 },
  });
  assert.ok(claimed?.becomes === "sending" && claimed.delivery.sensitive);
  await pool.sql`update deliveries set status = 'accepted' where id = ${waiting}`;
  await eraseSensitiveVariables(pool, [waiting, plain]);
  const rows = await pool.sql`select id from events where variables is null`;
  assert.deepEqual(rows, [{ id: waiting }]);
});
