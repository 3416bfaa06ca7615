import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { assertHas } from "@belfry/testing/assert-has";
import { eventually } from "@belfry/testing/eventually";
import { createHandClock } from "@belfry/testing/hand-clock";
import { listen } from "@belfry/testing/listen";
import { startMailServer } from "../test/mail-server.ts";
import {
  createFixture,
  EMAIL_TEMPLATE,
  type Fixture,
  message,
  PHONE,
  SMS_TEMPLATE,
  TO,
} from "../test/sending-fixture.ts";
import { createShop } from "../test/shop.ts";
import { startVendor, status } from "../test/vendor.ts";

const DONE = { kind: "done" };

test("an email is rendered and sent once, and its acceptance is stored", async (t) => {
  const fixture = await createFixture(t);
  const vendor = await startVendor(t);
  const tenant = await fixture.tenant();
  const provider = await fixture.sendgrid(tenant, vendor.url);
  const id = await fixture.delivery(tenant, await fixture.template(tenant));
  assert.deepEqual(await fixture.sender().handle(message(tenant, [id])), [DONE]);

  assert.equal(vendor.calls.length, 1);
  const { body } = vendor.calls[0]!;
  assert.equal(body.subject, "Hello Ann");
  assert.equal(body.personalizations[0].to[0].email, TO);
  const row = await fixture.row(id);
  assert.equal(row.status, "accepted");
  assert.match(row.message_id, /^vendor-/);
  assertHas(row, { reason: null, provider_id: provider, attempts: 1 });
  assert.ok(row.settled_at);
  assert.deepEqual([row.due_at, row.released_at, row.claimed_until], [null, null, null]);
  const [attempt, ...others] = await fixture.attempts(id);
  assert.equal(others.length, 0);
  assertHas(attempt, { class: "accepted", provider_kind: "sendgrid", vendor_status: "202" });
  assert.equal(attempt.message_id, row.message_id);
  assert.ok(attempt.started_at <= attempt.ended_at);
  assert.equal(attempt.next_at, null);
});

test("a number whose owner told the vendor STOP is suppressed, and the next message causes no call", async (t) => {
  const fixture = await createFixture(t);
  let calls = 0;
  const server = createServer((request, response) => {
    calls += 1;
    request.resume();
    response.writeHead(400).end(JSON.stringify({ code: 21610, message: "unsubscribed" }));
  });
  const port = await listen(t, server);
  const tenant = await fixture.tenant();
  const settings = { accountSid: `AC${"0a".repeat(16)}`, authToken: "a-token", sender: "Shop" };
  const baseUrl = `http://127.0.0.1:${port}`;
  await fixture.provider(tenant, "SMS", "twilio", { ...settings, baseUrl });
  const version = await fixture.template(tenant, SMS_TEMPLATE);
  const send = async () => {
    const id = await fixture.delivery(tenant, version, {
      channel: "SMS",
      variables: '{"code":"123456"}',
    });
    await fixture.sender({ channel: "SMS" }).handle(message(tenant, [id]));
    const { status, reason } = await fixture.row(id);
    return `${status}: ${reason}`;
  };
  assert.equal(await send(), "failed: Twilio refused the message (21610)");
  const rows = await fixture.pool.sql`select channel, address, reason, source from suppressions`;
  assert.deepEqual(rows, [
    { channel: "SMS", address: PHONE, reason: "opted out", source: "twilio" },
  ]);
  assert.equal(await send(), "skipped: address suppressed (opted out)");
  assert.equal(calls, 1);
});

test("an SMS is sent through the tenant's SMS provider, which is asked for receipts", async (t) => {
  const fixture = await createFixture(t);
  const vendor = await startVendor(t);
  const tenant = await fixture.tenant();
  const account = { apiKey: "abcdef", apiSecret: "a-secret", signatureSecret: "a-secret" };
  const settings = { ...account, sender: "Shop", baseUrl: vendor.url };
  await fixture.provider(tenant, "SMS", "vonage", settings);
  const version = await fixture.template(tenant, SMS_TEMPLATE);
  const id = await fixture.delivery(tenant, version, {
    channel: "SMS",
    variables: '{"code":"123456"}',
  });
  const sender = fixture.sender({ channel: "SMS", publicUrl: "https://mail.example.com" });
  assert.deepEqual(await sender.handle(message(tenant, [id], "SMS")), [DONE]);
  const address = `https://mail.example.com/webhooks/vonage/${tenant}`;
  assert.equal(vendor.calls[0]!.body.webhook_url, address);
  assert.equal(vendor.calls[0]!.body.text, "Code 123456");
  assert.equal(vendor.calls[0]!.body.to, PHONE.slice(1));
  assert.equal((await fixture.row(id)).status, "accepted");
});

test("the sandbox keeps a message in the outbox", async (t) => {
  const fixture = await createFixture(t);
  const tenant = await fixture.tenant();
  await fixture.provider(tenant, "EMAIL", "sandbox", {});
  const id = await fixture.delivery(tenant, await fixture.template(tenant));
  await fixture.sender().handle(message(tenant, [id]));
  const rows = await fixture.pool.sql`select * from outbox`;
  assert.equal(rows.length, 1);
  assertHas(rows[0], { delivery_id: id, subject: "Hello Ann" });
  assert.equal((await fixture.row(id)).message_id, rows[0].id);
});

test("a message that the vendor refuses for good fails with its reason and is not retried", async (t) => {
  const { fixture, tenant, version } = await createShop(
    t,
    status(400, {}, '{"errors":[{"message":"bad address"}]}'),
  );
  const id = await fixture.delivery(tenant, version);
  await fixture.sender().handle(message(tenant, [id]));
  const row = await fixture.row(id);
  assert.equal(row.status, "failed");
  assert.match(row.reason, /refused the message/);
  assert.deepEqual([row.due_at, row.released_at], [null, null]);
  const [attempt] = await fixture.attempts(id);
  assert.equal(attempt.class, "permanent");
  assert.match(attempt.vendor_answer, /bad address/);
});

test("a vendor's outage is retried by the schedule with ±20 %, then ends as failed", async (t) => {
  const { fixture, vendor, tenant, version } = await createShop(t, status(503));
  const id = await fixture.delivery(tenant, version);
  const draws = [0, 0.999_999, 0.5, 0.25, 0.75, 0.1, 0.9];
  const bounds = [4, 36, 120, 540, 1980, 6048, 25_056];
  const sender = fixture.sender({ random: () => draws.shift()! });
  for (const [retry, seconds] of bounds.entries()) {
    await closeCircuits(fixture, sender);
    await sender.handle(message(tenant, [id]));
    const row = await fixture.row(id);
    assertHas(row, { status: "waiting", retries: retry + 1, released_at: null });
    const attempt = (await fixture.attempts(id))[retry];
    assert.equal(attempt.class, "transient");
    assert.ok(Math.abs(attempt.next_in_ms - seconds * 1000) < 50, `${attempt.next_in_ms}`);
    await fixture.release(id);
  }
  await closeCircuits(fixture, sender);
  await sender.handle(message(tenant, [id]));
  const row = await fixture.row(id);
  assert.equal(row.status, "failed");
  assert.match(row.reason, /^retries exhausted: SendGrid could not take/);
  assert.equal(row.due_at, null);
  assert.equal(vendor.calls.length, 8);
});

test("a 429 waits as long as the vendor says and does not count as a retry", async (t) => {
  const { fixture, tenant, version } = await createShop(t, status(429, { "retry-after": "17" }));
  const id = await fixture.delivery(tenant, version);
  await fixture.sender().handle(message(tenant, [id]));
  const row = await fixture.row(id);
  assertHas(row, { status: "waiting", retries: 0 });
  assert.equal((await fixture.attempts(id))[0].class, "throttled");
  const { next_in_ms } = (await fixture.attempts(id))[0];
  assert.ok(Math.abs(next_in_ms - 17_000) < 50, `${next_in_ms}`);
});

test("a slow but healthy mail server gets each email once: no more calls are in progress than it has connections", async (t) => {
  const fixture = await createFixture(t);
  const tenant = await fixture.tenant();
  const takes: (() => void)[] = [];
  const server = await startMailServer(t, (take) => void takes.push(take));
  await fixture.provider(tenant, "EMAIL", "smtp", server.settings);
  const version = await fixture.template(tenant);
  const ids: string[] = [];
  for (let n = 0; n < 10; n += 1) {
    ids.push(await fixture.delivery(tenant, version, { to: `ann${n}@example.com` }));
  }
  const clock = createHandClock();
  const handled = fixture.sender({ providerTimeoutMs: 1_000, clock }).handle(message(tenant, ids));
  for (let answered = 0; answered < ids.length; answered += 5) {
    await eventually(() => takes.length === 5);
    // Longer than the time for everything before it.
    clock.advance(1_200);
    for (const take of takes.splice(0)) setImmediate(take);
  }
  assert.deepEqual(await handled, [DONE]);
  assert.deepEqual(
    server.recipients.toSorted(),
    ids.map((_, n) => `ann${n}@example.com`).toSorted(),
  );
  assert.equal(server.mostConnections(), 5);
  for (const id of ids) {
    const row = await fixture.row(id);
    assert.deepEqual([row.status, row.attempts], ["accepted", 1]);
  }
});

test("a call that is cut off after the request left is retried, or ends as unknown if the template says at most once", async (t) => {
  const { fixture, tenant } = await createShop(t, (response) => void response.destroy());
  const again = await fixture.delivery(tenant, await fixture.template(tenant));
  const version = await fixture.template(tenant, EMAIL_TEMPLATE, { atMostOnce: true });
  const once = await fixture.delivery(tenant, version);
  await fixture.sender().handle(message(tenant, [again, once]));
  assert.equal((await fixture.row(again)).status, "waiting");
  assert.equal((await fixture.row(once)).status, "unknown");
  assert.equal((await fixture.attempts(once))[0].class, "ambiguous");
});

test("a mail whose first call lost its answer is sent once by a vendor that is given the delivery's id as its key", async (t) => {
  const fixture = await createFixture(t);
  const sent = new Set<string>();
  const vendor = await startVendor(t, (response, { body }) => {
    const key: string = body.headers.idempotencyKey;
    if (sent.has(key)) {
      response.writeHead(400).end('{"code":"duplicate_request","message":"already processed"}');
    } else {
      sent.add(key);
      response.destroy();
    }
  });
  const tenant = await fixture.tenant();
  const settings = { apiKey: "xkeysib-1", from: "shop@example.com", baseUrl: vendor.url };
  await fixture.provider(tenant, "EMAIL", "brevo", settings);
  const id = await fixture.delivery(tenant, await fixture.template(tenant));
  const sender = fixture.sender();
  await sender.handle(message(tenant, [id]));
  assert.equal((await fixture.row(id)).status, "waiting");
  await fixture.release(id);
  await sender.handle(message(tenant, [id]));
  assert.equal((await fixture.row(id)).status, "accepted");
  assert.equal(vendor.calls.length, 2);
  assert.deepEqual([...sent], [id]);
});

test("an expired delivery, one of an inactive tenant and one without a provider end with that reason, and nothing is sent", async (t) => {
  const fixture = await createFixture(t);
  const vendor = await startVendor(t);
  const [tenant, inactive, without] = await Promise.all([1, 2, 3].map(() => fixture.tenant()));
  await fixture.sendgrid(tenant!, vendor.url);
  await fixture.sendgrid(inactive!, vendor.url);
  await fixture.pool.sql`update tenants set active = false where id = ${inactive}`;
  const expired = await fixture.delivery(tenant!, await fixture.template(tenant!), {
    expiresInMs: -1,
  });
  const late = await fixture.delivery(inactive!, await fixture.template(inactive!));
  const lost = await fixture.delivery(without!, await fixture.template(without!));
  const outcomes = await fixture
    .sender()
    .handle(message(tenant!, [expired]), message(inactive!, [late]), message(without!, [lost]));
  assert.deepEqual(outcomes, [DONE, DONE, DONE]);
  assert.equal(vendor.calls.length, 0);
  for (const [id, status, reason] of [
    [expired, "expired", "expired before it could be sent"],
    [late, "skipped", "tenant inactive"],
    [lost, "skipped", "no active provider"],
  ] as const) {
    const row = await fixture.row(id);
    assert.deepEqual([row.status, row.reason], [status, reason]);
    assert.deepEqual([row.due_at, row.released_at, row.attempts], [null, null, 0]);
    assert.ok(row.settled_at);
    const line = fixture.logged.find((one) => one.deliveryId === id);
    assert.deepEqual([line?.msg, line?.traceId], ["delivery ended", `trace-${id}`]);
  }
});

test("a retry never outlives the delivery's expiry", async (t) => {
  const { fixture, tenant, version } = await createShop(t, status(500));
  const id = await fixture.delivery(tenant, version, { expiresInMs: 2_000 });
  await fixture.sender().handle(message(tenant, [id]));
  const row = await fixture.row(id);
  assertHas(row, { status: "waiting", due_at: row.expires_at });
});

test("a replaced provider is used once the configuration has changed", async (t) => {
  const fixture = await createFixture(t);
  const [before, after] = [await startVendor(t), await startVendor(t)];
  const tenant = await fixture.tenant();
  const provider = await fixture.sendgrid(tenant, before.url);
  const version = await fixture.template(tenant);
  const sender = fixture.sender();
  await sender.handle(message(tenant, [await fixture.delivery(tenant, version)]));
  await fixture.sendgrid(tenant, after.url);
  await fixture.pool.sql`delete from providers where id = ${provider}`;
  sender.forgetConfiguration();
  await sender.handle(message(tenant, [await fixture.delivery(tenant, version)]));
  assert.deepEqual([before.calls.length, after.calls.length], [1, 1]);
});

test("unreadable credentials delay a message, they do not lose it", async (t) => {
  const fixture = await createFixture(t);
  const tenant = await fixture.tenant();
  const provider = await fixture.provider(tenant, "EMAIL", "sandbox", {});
  await fixture.pool.sql`update providers set settings = 'broken' where id = ${provider}`;
  const id = await fixture.delivery(tenant, await fixture.template(tenant));
  await fixture.sender().handle(message(tenant, [id]));
  const row = await fixture.row(id);
  assert.equal(row.status, "waiting");
  assert.match(row.reason, /settings cannot be read/);
});

test("an attempt is logged with its ids, and without recipient, content or credentials", async (t) => {
  const { fixture, tenant, version } = await createShop(t);
  const id = await fixture.delivery(tenant, version);
  await fixture.sender().handle(message(tenant, [id]));
  const line = fixture.logged.find((one) => one.msg === "attempt")!;
  assertHas(line, { deliveryId: id, traceId: `trace-${id}` });
  assert.deepEqual([line.provider, line.class], ["sendgrid", "accepted"]);
  const all = JSON.stringify(fixture.logged);
  for (const secret of [TO, "Hello", "Ann", "SG.secret"]) assert.ok(!all.includes(secret), secret);
});

/** Checks only the schedule. */
async function closeCircuits(fixture: Fixture, sender: { refreshCircuits(): Promise<string> }) {
  await fixture.pool.query("delete from provider_circuits");
  await sender.refreshCircuits();
}
