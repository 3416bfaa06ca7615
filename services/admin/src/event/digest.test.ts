import assert from "node:assert/strict";
import { test } from "node:test";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { putTemplate } from "@belfry/administration/test/templates";
import { anEvent } from "@belfry/testing/rows";
import { uuidv7 } from "uuidv7";
import { startAdmin } from "../../test/start-admin.ts";

test("a message of several events has a page: what is in it, how it looks, and it is sent now", async (t) => {
  const admin = await startAdmin(t);
  const { db, pool } = admin;
  const operator = await admin.operator();
  const { id: tenantId } = await createTenant(db, { name: "Acme" });
  const eventType = "comment.posted";
  const content = "{{$count}}: {% for c in $items %}{{c.by}};{% endfor %}";
  const saved = await putTemplate(db, { tenantId, eventType, channel: "SMS", content });
  const [digestId, deliveryId] = [uuidv7(), uuidv7()];
  await pool.query(
    `insert into digests (id, tenant_id, event_type, channel, user_id, recipient, locale, key, opened_at, window_ends_at)
     values ($1, $2, $3, 'SMS', 'ann', '+12025550123', '', '<b>key', now(), now() + interval '1 hour')`,
    [digestId, tenantId, eventType],
  );
  const ids: string[] = [];
  for (const by of ["<b>Bob", "Cid"]) {
    const of = { tenant_id: tenantId, event_type: eventType };
    const id = await anEvent(pool, { ...of, variables: JSON.stringify({ by }) });
    ids.push(id);
    await pool.query("insert into digest_items values ($1, $2, now())", [digestId, id]);
  }
  await pool.query(
    `insert into deliveries (id, event_id, tenant_id, channel, template_version_id, due_at, reason)
     select $1, $2, $3, 'SMS', current_version_id, now() + interval '1 hour', coded_reason('gathered', '18:00')
     from template_variants where template_id = $4`,
    [deliveryId, digestId, tenantId, saved.id],
  );

  const path = `/tenants/${tenantId}/digests/${digestId}`;
  const html = await operator.text(path);
  assert.match(html, /digest of 2 events/);
  assert.match(html, /<p class="bubble">2: &lt;b&gt;Bob;Cid;<\/p>/);
  assert.match(html, /<dd>&lt;b&gt;key<\/dd>/);
  assert.match(html, /gathered until 18:00/);
  for (const id of ids) assert.ok(html.includes(`/activity/${id}"`), "each event is named");

  const story = await operator.text(`/tenants/${tenantId}/activity/${ids[0]}`);
  assert.ok(story.includes(`href="${path}"`), "an event leads to its message");
  assert.match(story, /in a digest with 1 other event/);
  const led = await operator.get(`/tenants/${tenantId}/activity/${digestId}`);
  assert.equal(led.headers.get("location"), path, "what names the message leads to it");

  assert.equal((await operator.post(`${path}/release`, {})).status, 303);
  const { rows } = await pool.query("select due_at <= now() as due from deliveries");
  assert.equal(rows[0].due, true);
  const audit = await pool.query(
    "select action, target from audit_log where action = 'digest.release'",
  );
  assert.deepEqual(audit.rows, [{ action: "digest.release", target: digestId }]);

  await pool.query("update deliveries set released_at = now()");
  const late = await operator.post(`${path}/release`, {});
  assert.equal(late.status, 422);
  assert.match(await late.text(), /cannot be released: it is on its way/);

  const { id: otherId } = await createTenant(db, { name: "Other" });
  assert.equal((await operator.get(`/tenants/${otherId}/digests/${digestId}`)).status, 404);
});
