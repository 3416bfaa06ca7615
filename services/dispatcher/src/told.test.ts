import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createDatabase } from "@belfry/database/connection";
import { changeNotification } from "@belfry/database/notifications";
import { uuidv7 } from "uuidv7";
import { TENANT, timedUnderTest } from "../test/timed-under-test.ts";
import { failDispatch } from "./event-handler.ts";

/** `acme` with an endpoint for all types and one for read notifications; `plain` with none. */
async function toldUnderTest(t: TestContext) {
  const under = await timedUnderTest(t);
  const { pool } = under;
  const plain = await under.tenant({ id: "plain" });
  await pool.sql`update tenants set uses_webhooks = true where id = ${TENANT}`;
  for (const types of [[], ["notification.read"]]) {
    await pool.query(
      `insert into webhooks (id, tenant_id, url, secret, types) values ($1::uuid, $2, 'https://example.com/' || $1::uuid::text, 's', $3)`,
      [uuidv7(), TENANT, types],
    );
  }
  return {
    ...under,
    plain,
    /** `<type> <channel>: <reason>` of each message about an event or a digest. */
    async told(id: string) {
      const rows = await pool.sql<{ payload: string }>`select payload from webhook_messages
        where event_id = ${id} order by payload`;
      return rows.map(({ payload }) => {
        const { type, data } = JSON.parse(payload);
        return `${type} ${data.channel}${data.reason == null ? "" : `: ${data.reason}`}`;
      });
    },
    async total() {
      const rows = await pool.sql<{ n: number }>`select count(*)::integer as n
        from webhook_messages`;
      return rows[0]!.n;
    },
  };
}

test("endpoints are told of channels with an active template that dispatch skips or fails, and of a notification", async (t) => {
  const under = await toldUnderTest(t);
  await under.templates(TENANT, "order", ["EMAIL", "PUSH"]);
  await under.templates(TENANT, "order", ["SMS"], { active: false });
  const { id } = await under.dispatch({ eventType: "order", email: null });
  assert.deepEqual(await under.told(id), [
    "delivery.skipped EMAIL: no recipientEmail",
    "notification.created PUSH",
  ]);
  const both = await under.dispatch({ eventType: "order" });
  assert.deepEqual(await under.told(both.id), ["notification.created PUSH"]);

  await under.templates(TENANT, "needs", ["PUSH"]);
  await under.pool.query(
    "update templates set required_variables = '{total}' where event_type = 'needs'",
  );
  const failed = await under.dispatch({ eventType: "needs" });
  const [words = "", ...others] = await under.told(failed.id);
  assert.match(words, /^delivery\.failed PUSH: .*total/);
  assert.deepEqual(others, []);
});

test("endpoints are told of a throttled message; and once of one that expires at once", async (t) => {
  const under = await toldUnderTest(t);
  await under.timed("often", { throttle: { count: 1, seconds: 60 } });
  const first = await under.dispatch({ eventType: "often" });
  assert.deepEqual(await under.told(first.id), []);
  const second = await under.dispatch({ eventType: "often" });
  const [words = "", ...others] = await under.told(second.id);
  assert.match(words, /^delivery\.skipped EMAIL: throttled until \d\d:\d\d/);
  assert.deepEqual(others, []);

  await under.timed("quiet", { expiresAfterSeconds: 60 });
  await under.pool.sql`update tenants set quiet_from = '00:00', quiet_to = '23:59:59.999999'
    where id = ${TENANT}`;
  const expired = await under.dispatch({ eventType: "quiet" });
  const told = await under.told(expired.id);
  assert.equal(told.length, 1);
  assert.match(told[0]!, /^delivery\.expired EMAIL: it would expire before quiet hours end/);
});

test("endpoints are told once per active channel of an event that cannot be dispatched", async (t) => {
  const under = await toldUnderTest(t);
  await under.templates(TENANT, "order", ["EMAIL", "PUSH"]);
  const [id = ""] = await under.events(TENANT, { eventType: "order" });
  for (let tries = 0; tries < 2; tries += 1) await failDispatch(under.pool, id);
  assert.deepEqual(await under.told(id), [
    "delivery.failed EMAIL: could not be dispatched",
    "delivery.failed PUSH: could not be dispatched",
  ]);
});

test("endpoints are told of a digest that was read before it left, with its events", async (t) => {
  const under = await toldUnderTest(t);
  await under.timed("reply", { digest: { windowSeconds: 60 }, afterUnreadSeconds: 60 }, [
    "EMAIL",
    "PUSH",
  ]);
  const { id, delivery } = await under.dispatch({ eventType: "reply" });
  assert.deepEqual(await under.told(id), ["notification.created PUSH"]);
  const db = createDatabase(under.otherPool);
  const owner = { tenantId: TENANT, userId: "user-1" };
  assert.equal(
    await changeNotification(db, { ...owner, notificationId: id }, { read: true }),
    "changed",
  );
  assert.deepEqual(await under.told(id), [
    "notification.created PUSH",
    "notification.read PUSH",
    "notification.read PUSH",
  ]);
  await under.makeDue(100);
  await under.release();
  const [claim] = await under.claim([delivery.id]);
  assert.equal(claim?.becomes, "skipped");
  assert.deepEqual(await under.told(delivery.event_id), [
    "delivery.skipped EMAIL: read in the inbox",
  ]);
  const rows = await under.pool.sql`select payload from webhook_messages
    where event_id = ${delivery.event_id}`;
  const { data } = JSON.parse(rows[0].payload);
  assert.deepEqual([data.digestId, data.count, data.ids], [delivery.event_id, 1, [id]]);
});

test("a tenant without endpoints, or whose endpoints were deleted, causes no message", async (t) => {
  const under = await toldUnderTest(t);
  await under.pool.query("update webhooks set active = false, disabled_at = now()");
  for (const tenant of [TENANT, under.plain]) {
    await under.templates(tenant, "order", ["EMAIL", "PUSH"]);
    const ids = await under.events(tenant, { eventType: "order", email: null });
    await under.dispatchOn(0, ids);
    const [failing = ""] = await under.events(tenant, { eventType: "order" });
    await failDispatch(under.pool, failing);
  }
  assert.equal(await under.total(), 0);
});
