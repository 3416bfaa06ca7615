import assert from "node:assert/strict";
import { test } from "node:test";
import { startRecordingServer } from "@belfry/testing/recording-server";
import { createWebhookFixture, createWebhookPair, DONE, message } from "../test/webhook-fixture.ts";

const disabling = `select person, action, target, tenant_id, after from audit_log where action = 'webhook.disable'`;

test("410 ends the message and disables the endpoint, told once, however many say so to two replicas", async (t) => {
  const fixture = await createWebhookFixture(t);
  const server = await startRecordingServer(t);
  server.answer = { status: 410 };
  const endpoint = await fixture.endpoint(await fixture.tenant(), `${server.url}/hook?key=s3cret`);
  const ids = await fixture.told(endpoint, 8);
  const replicas = [fixture.sender(), fixture.sender()];
  await Promise.all(
    ids.map((id, at) => replicas[at % 2]!(message(endpoint.tenantId, [id])).then(assert.ok)),
  );
  for (const id of ids) {
    const { status, reason, settled_at } = await fixture.row(id);
    assert.ok(settled_at);
    assert.ok(
      `${status}: ${reason}` === "failed: it answered 410 Gone" ||
        `${status}: ${reason}` === "skipped: the endpoint is disabled",
      `${status}: ${reason}`,
    );
  }
  assert.equal((await fixture.row(ids[0]!)).status, "failed");
  const { active, disabled_reason } = await fixture.webhook(endpoint);
  assert.deepEqual([active, disabled_reason], [false, "it answered 410 Gone"]);
  const { rows } = await fixture.pool.query(disabling);
  assert.deepEqual(rows, [
    {
      person: "Belfry",
      action: "webhook.disable",
      target: `${server.url}/hook?…`,
      tenant_id: endpoint.tenantId,
      after: { active: false, disabledReason: "it answered 410 Gone" },
    },
  ]);
  assert.equal(fixture.logged.filter(({ msg }) => msg === "an endpoint was disabled").length, 1);
  // A later message is not sent.
  const before = server.requests.length;
  const [later] = await fixture.told(endpoint);
  await replicas[0]!(message(endpoint.tenantId, [later!]));
  const row = await fixture.row(later!);
  assert.deepEqual([row.status, row.reason], ["skipped", "the endpoint is disabled"]);
  assert.equal(server.requests.length, before);
});

test("five days of nothing but failures disable an endpoint; one success in between does not let it", async (t) => {
  const { fixture, server, endpoint, handle } = await createWebhookPair(t);
  const tryOne = async (status: number) => {
    server.answer = { status };
    await handle(message(endpoint.tenantId, await fixture.told(endpoint)));
    return await fixture.webhook(endpoint);
  };
  const since = (age: string) =>
    fixture.pool.query(`update webhooks set failing_since = now() - interval '${age}'`);
  await tryOne(500);
  await since("4 days 23 hours");
  assert.equal((await tryOne(500)).active, true);
  await since("5 days 1 second");
  assert.deepEqual([(await tryOne(200)).failing_since, (await tryOne(500)).active], [null, true]);
  await since("5 days 1 second");
  const { active, disabled_reason } = await tryOne(500);
  assert.deepEqual(
    [active, disabled_reason],
    [false, "nothing has reached it for five days: it answered 500"],
  );
  assert.equal((await fixture.pool.query(disabling)).rowCount, 1);
});

test("after ten failures in a row it is paused; then one message probes it, and its success ends the pause", async (t) => {
  const { fixture, server, endpoint, handle } = await createWebhookPair(t);
  server.answer = { status: 500 };
  const tellOne = async () => {
    const [id] = await fixture.told(endpoint);
    assert.deepEqual(await handle(message(endpoint.tenantId, [id!])), [DONE]);
    return id!;
  };
  for (let count = 0; count < 10; count += 1) await tellOne();
  assert.equal(server.requests.length, 10);
  const paused = await fixture.webhook(endpoint);
  assert.ok(paused.paused_until > new Date());
  const waiting = await tellOne();
  assert.equal(server.requests.length, 10);
  const row = await fixture.row(waiting);
  assert.deepEqual([row.status, row.attempts, row.held_for], ["queued", 0, endpoint.id]);

  // Its time has come: of many messages one is posted, by whichever replica.
  await fixture.pool.query("update webhooks set paused_until = now()");
  const letGo = Promise.withResolvers<void>();
  server.answer = { status: 200, after: letGo.promise };
  const ids = await fixture.told(endpoint, 6);
  const other = fixture.sender();
  const handled = Promise.all(
    ids.map((id, at) => (at % 2 === 0 ? handle : other)(message(endpoint.tenantId, [id]))),
  );
  await server.received(11);
  // All but the probe are held while it is under way.
  for (;;) {
    const rows = await fixture.pool.sql`select count(*)::int as resting from deliveries
      where id = any (${ids}) and released_at is null`;
    if (rows[0].resting === 5) break;
  }
  assert.equal(server.requests.length, 11);
  letGo.resolve();
  await handled;
  const mended = await fixture.webhook(endpoint);
  assert.deepEqual([mended.paused_until, mended.failures, mended.failing_since], [null, 0, null]);
  await tellOne();
  assert.equal(server.requests.length, 12);
});
