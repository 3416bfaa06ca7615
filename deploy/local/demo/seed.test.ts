import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { actsIn } from "@belfry/administration/test/acts";
import { deleteWebhook, listWebhooks } from "@belfry/administration/webhooks/webhooks";
import { connectedDatabase } from "@belfry/testing/database";
import { seedSampleTenant, seedWebhook } from "./seed.ts";

test("the demo page's endpoint is made once, keeps its secret, moves with the port, and is made anew when it is gone", async (t) => {
  const { db } = await connectedDatabase(t);
  const { id: tenantId } = await createTenant(db, { name: "Demo" });
  const run = actsIn(db, tenantId);
  const secretsKeys = `k1:${randomBytes(32).toString("base64")}`;
  const seed = (port: number) =>
    seedWebhook(db, { tenantId, demoUrl: `http://127.0.0.1:${port}`, secretsKeys });
  const urls = async () => (await run(listWebhooks, {})).map(({ url }) => url);

  const secret = await seed(3003);
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.equal(await seed(3003), secret);
  assert.deepEqual(await urls(), ["http://127.0.0.1:3003/demo/webhooks"]);

  assert.equal(await seed(4003), secret);
  assert.deepEqual(await urls(), ["http://127.0.0.1:4003/demo/webhooks"]);

  const [webhook] = await run(listWebhooks, {});
  await run(deleteWebhook, { webhookId: webhook!.id });
  assert.notEqual(await seed(4003), secret);
  assert.deepEqual(await urls(), ["http://127.0.0.1:4003/demo/webhooks"]);
});

test("the sample tenant has a month of events with what became of them, is made once, and is the same at the same moment", async (t) => {
  const now = new Date("2026-11-20T10:30:00Z");
  const seed = async () => {
    const { url: databaseUrl, pool } = await connectedDatabase(t);
    const secretsKeys = `k1:${randomBytes(32).toString("base64")}`;
    const options = { databaseUrl, secretsKeys, say: () => undefined };
    const id = await seedSampleTenant(pool, options, now);
    assert.equal(await seedSampleTenant(pool, options, now), id);
    const all = async (query: string) => (await pool.query(query, [id])).rows;
    return {
      days: await all(`select accepted_at::date::text as day, count(*)::integer as events
        from events where tenant_id = $1 group by 1 order by 1`),
      ends: await all(`select channel, status, attempts, count(*)::integer as deliveries
        from deliveries where tenant_id = $1 group by 1, 2, 3 order by 1, 2, 3`),
      faults: await all(`select
        (select count(*)::integer from undispatched_events) as undispatched,
        (select count(*)::integer from deliveries where tenant_id = $1 and (template_version_id is null
           or provider_id is null or status = 'failed' and reason is null)) as incomplete,
        (select count(*)::integer from deliveries d where tenant_id = $1 and attempts <>
           (select count(*) from attempts a where a.delivery_id = d.id)) as "lacksAttempts",
        (select count(*)::integer from (select max(channel_offset) - count(*) as gap from notifications
           where tenant_id = $1 group by user_id, channel_name) g where gap <> 0) as gaps,
        (select count(*)::integer from realtime_channels c where tenant_id = $1 and top_offset <>
           (select max(channel_offset) from notifications n where n.tenant_id = $1
              and n.user_id = c.user_id and n.channel_name = c.channel_name)) as "wrongTops"`),
    };
  };
  const [month, again] = [await seed(), await seed()];
  assert.deepEqual(again, month);
  assert.equal(month.days.length, 30);
  assert.equal(month.days.at(-1).day, "2026-11-20");
  assert.ok(month.days.reduce((sum, { events }) => sum + events, 0) > 1000);
  const statuses = [...new Set(month.ends.map(({ channel, status }) => `${channel} ${status}`))];
  assert.deepEqual(statuses, [
    "EMAIL accepted",
    "EMAIL bounced",
    "EMAIL delivered",
    "EMAIL failed",
    "SMS accepted",
    "SMS delivered",
    "SMS failed",
  ]);
  const none = { undispatched: 0, incomplete: 0, lacksAttempts: 0, gaps: 0, wrongTops: 0 };
  assert.deepEqual(month.faults, [none]);
});
