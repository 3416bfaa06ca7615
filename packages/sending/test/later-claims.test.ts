import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { reasonWords } from "@belfry/contracts/reasons";
import { noteUse } from "@belfry/database/configuration-version";
import { setPreferences } from "@belfry/database/preferences";
import { assertHas } from "@belfry/testing/assert-has";
import { anAttempt, aRecipient } from "@belfry/testing/rows";
import { type Fixture, message, SMS_TEMPLATE } from "./sending-fixture.ts";
import { createShop } from "./shop.ts";
import { deliveryOf } from "./vendor.ts";

async function setUp(t: TestContext) {
  const shop = await createShop(t);
  const { fixture, tenant, version } = shop;
  const { pool, db } = fixture;
  const sender = fixture.sender();
  return {
    ...shop,
    pool,
    /** A delivery of ann's event, which was accepted so long ago. */
    async delivery(seconds: number, more: Parameters<Fixture["delivery"]>[2] = {}) {
      const id = await fixture.delivery(tenant, version, more);
      await pool.sql`update events set accepted_at = now() - ${seconds} * interval '1 second'
        where id = (select event_id from deliveries where id = ${id})`;
      return id;
    },
    async send(id: string) {
      await sender.handle(message(tenant, [id]));
      const rows = await pool.sql`select *, reason_in_words(reason) as reason from deliveries
        where id = ${id}`;
      return rows[0];
    },
    off: () =>
      setPreferences(db, { tenantId: tenant, userId: "ann" }, "unsubscribe link", [
        { category: "offers", channel: "EMAIL", enabled: false },
      ]),
    async category(required = false) {
      await pool.sql`insert into categories (tenant_id, key, label, description, required)
        values (${tenant}, 'offers', '{"": "Offers"}', '{}', ${required})`;
      await pool.sql`insert into event_type_categories
        values (${tenant}, 'order.confirmed', 'offers')`;
      await noteUse(db, tenant, "uses_preferences");
    },
    /** Quiet hours of ann that last for so many more minutes; returns their end. */
    async quiet(minutes: number, who: "ann" | "tenant" = "ann") {
      const rows = await pool.sql`select clock_timestamp() as now`;
      const minute = Math.floor(rows[0].now.getTime() / 60_000) * 60_000;
      const at = (after: number) => new Date(minute + after * 60_000).toISOString().slice(11, 16);
      const hours = { quiet_from: at(-60), quiet_to: at(minutes) };
      if (who === "tenant") {
        await db.updateTable("tenants").set(hours).where("id", "=", tenant).execute();
      } else {
        await aRecipient(pool, { tenant_id: tenant, ...hours });
        await noteUse(db, tenant, "uses_recipients");
      }
      return new Date(minute + minutes * 60_000);
    },
  };
}

test("a message that waited for more than a minute is not sent once its user has turned it off", async (t) => {
  const { vendor, delivery, send, off, category, pool, tenant } = await setUp(t);
  await category();
  await off();
  const row = await send(await delivery(61));
  assert.equal(row.status, "skipped");
  assert.match(
    row.reason,
    /^turned off by the user for Offers on EMAIL, \d+ \w+ 20\d\d, unsubscribe link$/,
  );
  assert.equal(vendor.calls.length, 0);
  await pool.sql`update categories set required = true where tenant_id = ${tenant}`;
  assert.equal((await send(await delivery(61))).status, "accepted", "required");
});

test("no email of a queue of young ones is sent once its user has turned the category off", async (t) => {
  const { vendor, delivery, off, category, pool, tenant, fixture } = await setUp(t);
  await category();
  const queue = await Promise.all(Array.from({ length: 300 }, () => delivery(0)));
  const sender = fixture.sender();
  await sender.handle(message(tenant, queue.slice(0, 100)));
  assert.equal(vendor.calls.length, 100);
  await off();
  for (const from of [100, 200])
    await sender.handle(message(tenant, queue.slice(from, from + 100)));
  assert.equal(vendor.calls.length, 100);
  const rows = await pool.sql`select status, count(*)::integer as count
    from deliveries group by status order by status`;
  assert.deepEqual(rows, [
    { status: "accepted", count: 100 },
    { status: "skipped", count: 200 },
  ]);
});

test("the timeline shows a preference before a suppression, and a suppressed address blocks required messages", async (t) => {
  const { delivery, send, off, category, pool, tenant } = await setUp(t);
  await category();
  await pool.sql`insert into suppressions (tenant_id, channel, address, reason)
    values (${tenant}, 'EMAIL', 'ann@example.com', 'bounced')`;
  assert.equal((await send(await delivery(61))).reason, "address suppressed (bounced)");
  await off();
  assert.match((await send(await delivery(61))).reason, /^turned off by the user/);
  await pool.sql`update categories set required = true where tenant_id = ${tenant}`;
  assert.equal((await send(await delivery(61))).reason, "address suppressed (bounced)");
});

async function restsUntilTheEnd(t: TestContext, who: "ann" | "tenant") {
  const { vendor, delivery, send, quiet, category, fixture, pool } = await setUp(t);
  const end = await quiet(30, who);
  const queued = await send(await delivery(61));
  assertHas(queued, { status: "queued", released_at: null, attempts: 0, due_at: end });
  assert.match(reasonWords(queued.reason), /^quiet hours until \d\d:\d\d, \d+ \w+ 20\d\d \(UTC\)$/);

  const retried = await delivery(61);
  await pool.sql`update deliveries set status = 'sending' where id = ${retried}`;
  await pool.sql`update deliveries set status = 'waiting', retries = 2 where id = ${retried}`;
  const again = await send(retried);
  assert.deepEqual([again.status, again.retries, again.due_at], ["waiting", 2, end]);

  const left = await delivery(61);
  await pool.sql`update deliveries set status = 'sending', attempts = 1,
    claimed_until = now() - interval '1 second' where id = ${left}`;
  await anAttempt(pool, { delivery_id: left });
  const died = await send(left);
  assertHas(died, { status: "waiting", retries: 1, claimed_until: null, due_at: end });
  assert.equal((await fixture.attempts(left))[0].class, "ambiguous");
  assert.equal(vendor.calls.length, 0);

  const brief = await send(await delivery(61, { expiresInMs: 600_000 }));
  assert.deepEqual([brief.status, brief.due_at], ["expired", null]);
  assert.match(brief.reason, /^it would expire before quiet hours end at /);
  const lasting = await send(await delivery(61, { expiresInMs: 3_600_000 }));
  assert.deepEqual([lasting.status, lasting.due_at], ["queued", end]);

  const fresh = await delivery(0);
  assert.equal((await send(fresh)).status, "accepted", "it was not quiet when it was dispatched");
  await category(true);
  const required = await delivery(61);
  assert.equal((await send(required)).status, "accepted", "required");
  assert.deepEqual(vendor.calls.map(deliveryOf), [fresh, required]);
}

test("a message that reaches quiet hours while it waits is delayed until their end", (t) =>
  restsUntilTheEnd(t, "ann"));

test("the tenant's quiet hours delay a message of a user without a directory entry in the same way", (t) =>
  restsUntilTheEnd(t, "tenant"));

test("dates are written in the user's zone", async (t) => {
  const { fixture, pool, tenant } = await setUp(t);
  await fixture.provider(tenant, "SMS", "sandbox", {});
  const text = '{{at | date: "short", "short"}}';
  const version = await fixture.template(tenant, { ...SMS_TEMPLATE, text });
  const variables = '{"at":"2026-03-28T23:30:00Z"}';
  const id = await fixture.delivery(tenant, version, { channel: "SMS", variables });
  await pool.sql`update tenants set timezone = 'UTC', uses_recipients = true where id = ${tenant}`;
  await aRecipient(pool, { tenant_id: tenant, timezone: "Asia/Kolkata" });
  await fixture.sender({ channel: "SMS" }).handle(message(tenant, [id], "SMS"));
  const rows = await pool.sql`select text from outbox where delivery_id = ${id}`;
  assert.equal(rows[0]?.text.replace(/\s/g, " "), "3/29/26, 5:00 AM");
});
