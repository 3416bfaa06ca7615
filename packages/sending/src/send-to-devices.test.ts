import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { type TestContext, test } from "node:test";
import { createVapidKeys } from "@belfry/providers/web-push-encryption";
import { assertHas } from "@belfry/testing/assert-has";
import { createBrowser, startPushService } from "../../providers/test/push-judge.ts";
import { createFixture, message } from "../test/sending-fixture.ts";

const PUSH_TEMPLATE = {
  kind: "notification",
  title: "Order {{id}}",
  body: "Hello {{name}}",
  url: "/orders/{{id}}",
  variables: ["id", "name"],
};
const VARIABLES = '{"id":"17","name":"Ann"}';

async function withSandbox(t: Parameters<typeof createFixture>[0]) {
  const fixture = await createFixture(t);
  const tenant = await fixture.tenant();
  await fixture.provider(tenant, "DEVICE", "sandbox", {});
  const version = await fixture.template(tenant, PUSH_TEMPLATE);
  const sender = fixture.sender({ channel: "DEVICE" });
  const deliver = (more = {}) =>
    fixture.delivery(tenant, version, { channel: "DEVICE", variables: VARIABLES, ...more });
  const send = (id: string) => sender.handle(message(tenant, [id], "DEVICE"));
  return { ...fixture, tenant, deliver, send };
}

test("a delivery reaches each device of its user once, and is accepted once", async (t) => {
  const { tenant, device, deliver, send, sends, row, attempts, pool } = await withSandbox(t);
  await device(tenant, "phone");
  await device(tenant, "tablet");
  await device(tenant, "of-another", undefined, "user-2");
  const id = await deliver();
  await send(id);
  assert.deepEqual(await sends(id), { phone: "accepted", tablet: "accepted" });
  assertHas(await row(id), { status: "accepted", reason: null, provider_id: null });
  const [attempt, ...others] = await attempts(id);
  assert.equal(others.length, 0);
  assertHas(attempt, { class: "accepted", provider_kind: "devices" });
  assert.equal(attempt.reason, "2 of 2 devices accepted the message");
  const kept = await pool.sql`select subject, text from outbox`;
  assert.deepEqual(kept, new Array(2).fill({ subject: "Order 17", text: "Hello Ann" }));
  // A second message of JetStream changes nothing.
  await send(id);
  assert.equal((await pool.sql`select from outbox`).length, 2);
});

test("a device that has moved to another user or was removed since gets nothing", async (t) => {
  const { tenant, device, deliver, send, sends, row, pool } = await withSandbox(t);
  await device(tenant, "phone");
  const id = await deliver();
  await device(tenant, "same-phone", { kind: "fcm", token: "phone" }, "user-2");
  await send(id);
  assertHas(await row(id), { status: "skipped", reason: "the user has no device" });
  assert.deepEqual(await sends(id), {});
  assert.equal((await pool.sql`select from outbox`).length, 0);
});

test("a browser that did not register again in time gets nothing", async (t) => {
  const { tenant, device, deliver, send, sends, row, pool } = await withSandbox(t);
  await device(tenant, "phone");
  await device(tenant, "ended");
  await device(tenant, "ending");
  await pool.sql`update devices set ends_at = now() + case device_id when 'ended' then interval '-1 s' else interval '1 h' end
    where device_id <> 'phone'`;
  const id = await deliver();
  await send(id);
  assert.deepEqual(await sends(id), { phone: "accepted", ending: "accepted" });
  await pool.sql`update devices set ends_at = now()`;
  const later = await deliver();
  await send(later);
  assertHas(await row(later), { status: "skipped", reason: "the user has no device" });
});

/** A tenant with Web Push, whose users have browsers at a push service that answers as told. */
async function withBrowsers(
  t: TestContext,
  answer?: (response: ServerResponse, path: string) => void,
  settings: { atMostOnce?: boolean } = {},
) {
  const fixture = await createFixture(t);
  const service = await startPushService(t, {
    now: Date.now,
    ...(answer && { answer: (response, { path }) => answer(response, path) }),
  });
  const tenant = await fixture.tenant();
  const keys = createVapidKeys();
  const account = await fixture.provider(tenant, "DEVICE", "webpush", {
    subject: "mailto:ops@example.com",
    ...keys,
  });
  const version = await fixture.template(tenant, PUSH_TEMPLATE, {
    image: "https://shop.example/{{id}}.png",
    data: { order: "{{id}}" },
    collapseKey: "order-{{id}}",
    ...settings,
  });
  const browser = createBrowser();
  const add = (deviceId: string) =>
    fixture.device(tenant, deviceId, {
      kind: "webpush",
      subscription: { endpoint: `${service.url}/${deviceId}`, keys: browser.keys },
    });
  const sender = fixture.sender({ channel: "DEVICE" });
  const deliver = (more = {}) =>
    fixture.delivery(tenant, version, { channel: "DEVICE", variables: VARIABLES, ...more });
  const send = async (id: string) => {
    await fixture.release(id);
    await sender.handle(message(tenant, [id], "DEVICE"));
  };
  const paths = () => service.received.map(({ path }) => path).sort();
  return { ...fixture, service, tenant, account, browser, add, sender, deliver, send, paths };
}

test("a browser reads title, text, link, picture, values and key of the template", async (t) => {
  const { browser, add, deliver, send, service } = await withBrowsers(t);
  await add("laptop");
  const id = await deliver({ expiresInMs: 90_000 });
  await send(id);
  const [push] = service.received;
  const { id: eventId, ...content } = JSON.parse(browser.read(push!.body));
  assert.match(eventId, /^[0-9a-f-]{36}$/);
  assert.deepEqual(content, {
    title: "Order 17",
    body: "Hello Ann",
    url: "/orders/17",
    image: "https://shop.example/17.png",
    data: { order: "17" },
    tag: "order-17",
  });
  assert.equal(push!.headers.topic, "order-17");
  const ttl = Number(push!.headers.ttl);
  assert.ok(ttl > 0 && ttl <= 90, String(ttl));
});

test("only the device whose vendor failed is tried again, and the delivery is accepted when all have ended", async (t) => {
  let isDown = true;
  const { add, deliver, send, sends, row, paths } = await withBrowsers(t, (response, path) =>
    response.writeHead(path === "/tablet" && isDown ? 503 : 201).end(),
  );
  for (const name of ["laptop", "phone", "tablet"]) await add(name);
  const id = await deliver();
  await send(id);
  assert.deepEqual(await sends(id), { laptop: "accepted", phone: "accepted", tablet: "waiting" });
  const waiting = await row(id);
  assert.equal(waiting.status, "waiting");
  assert.match(waiting.reason, /^2 of 3 devices accepted it; waiting: .*503/);
  isDown = false;
  await send(id);
  assert.deepEqual(await sends(id), { laptop: "accepted", phone: "accepted", tablet: "accepted" });
  assert.equal((await row(id)).status, "accepted");
  assert.deepEqual(paths(), ["/laptop", "/phone", "/tablet", "/tablet"]);
});

test("exactly the devices that their vendor does not know are deleted, and the tenant is told", async (t) => {
  const { pool, tenant, add, deliver, send, sends, row } = await withBrowsers(t, (response, path) =>
    response.writeHead(path.startsWith("/dead") ? 410 : 201).end(),
  );
  await pool.sql`insert into webhooks (id, tenant_id, url, types, secret)
    values (gen_random_uuid(), ${tenant}, 'https://example.com/', '{device.gone}', 'x')`;
  for (const name of ["dead-1", "laptop", "dead-2"]) await add(name);
  const id = await deliver();
  await send(id);
  assert.deepEqual(await sends(id), { "dead-1": "gone", "dead-2": "gone", laptop: "accepted" });
  assert.equal((await row(id)).status, "accepted");
  const left = await pool.sql`select device_id from devices where tenant_id = ${tenant}`;
  assert.deepEqual(left, [{ device_id: "laptop" }]);
  const told = await pool.sql`select payload::json -> 'data' ->> 'deviceId' as device
    from webhook_messages where tenant_id = ${tenant} order by 1`;
  assert.deepEqual(told, [{ device: "dead-1" }, { device: "dead-2" }]);
  // Only the others are left, so nothing more is accepted.
  const next = await deliver();
  await send(next);
  assert.deepEqual(await sends(next), { laptop: "accepted" });
});

test("a refused account deletes no device and pauses its calls; devices of other kinds go on", async (t) => {
  const under = await withBrowsers(t, (response) => response.writeHead(403).end());
  const { pool, tenant, account, add, device, deliver, send, sends, row } = under;
  await under.provider(tenant, "DEVICE", "sandbox", {});
  for (const name of ["a", "b", "c"]) await add(name);
  await device(tenant, "phone");
  const id = await deliver();
  await send(id);
  assert.deepEqual(await sends(id), {
    a: "waiting",
    b: "waiting",
    c: "waiting",
    phone: "accepted",
  });
  assert.equal((await row(id)).status, "waiting");
  assert.equal((await pool.sql`select from devices where tenant_id = ${tenant}`).length, 4);
  const open = await pool.sql`select provider_id, class from provider_circuits`;
  assert.deepEqual(open, [{ provider_id: account, class: "credentials" }]);
});

test("a device that was removed between two tries gets nothing more, nor does one that came meanwhile", async (t) => {
  const under = await withBrowsers(t, (response) => response.writeHead(503).end());
  const { pool, tenant, add, device, deliver, send, sends, row, paths } = under;
  await add("laptop");
  const id = await deliver();
  await send(id);
  assert.deepEqual(paths(), ["/laptop"]);
  await add("newer");
  await send(id);
  assert.deepEqual(paths(), ["/laptop", "/laptop"]);
  await pool.sql`delete from devices where tenant_id = ${tenant}`;
  // Ids of devices are unique for each user only.
  await device(tenant, "laptop", undefined, "bob");
  await send(id);
  assert.deepEqual(await sends(id), { laptop: "skipped" });
  assertHas(await row(id), { status: "skipped", reason: "the user has no device" });
  assert.deepEqual(paths(), ["/laptop", "/laptop"]);
});

test("a device that changes while its vendor says that it is gone is deleted only if it is still that device", async (t) => {
  let duringCall = async (): Promise<unknown> => undefined;
  const under = await withBrowsers(t, (response) => {
    void duringCall().then(() => response.writeHead(410).end());
  });
  const { pool, tenant, service, browser, device, add, deliver, send, sends } = under;
  await pool.sql`insert into webhooks (id, tenant_id, url, types, secret)
    values (gen_random_uuid(), ${tenant}, 'https://example.com/', '{device.gone}', 'x')`;
  const subscription = { endpoint: `${service.url}/laptop`, keys: browser.keys };
  for (const [what, change, left, told] of [
    ["nothing", async () => undefined, [], 1],
    ["registered again", () => add("laptop"), ["ann laptop"], 0],
    [
      "moved to another user",
      () => device(tenant, "shared", { kind: "webpush", subscription }, "bob"),
      ["bob shared"],
      0,
    ],
    ["removed", () => pool.sql`delete from devices`, [], 0],
  ] as const) {
    await pool.sql`delete from devices`;
    await pool.sql`delete from webhook_messages`;
    await add("laptop");
    duringCall = change;
    const id = await deliver();
    await send(id);
    assert.deepEqual(await sends(id), { laptop: "gone" }, what);
    const rows = await pool.sql`select user_id || ' ' || device_id as device from devices`;
    assert.deepEqual(
      rows.map((row) => row.device),
      left,
      what,
    );
    assert.equal((await pool.sql`select from webhook_messages`).length, told, what);
  }
});

test("a call without an answer is made again, but never if the template says at most once", async (t) => {
  for (const atMostOnce of [false, true]) {
    const cut = (response: ServerResponse) => void response.destroy();
    const { add, deliver, send, sends, row } = await withBrowsers(t, cut, { atMostOnce });
    await add("laptop");
    const id = await deliver();
    await send(id);
    assert.deepEqual(await sends(id), { laptop: atMostOnce ? "unknown" : "waiting" });
    assert.equal((await row(id)).status, atMostOnce ? "unknown" : "waiting");
  }
});

test("a delivery whose provider is paused waits without an attempt", async (t) => {
  const under = await withBrowsers(t, (response) => response.writeHead(403).end());
  const { add, deliver, send, sends, row, attempts, paths } = under;
  for (const name of ["a", "b", "c"]) await add(name);
  await send(await deliver());
  const id = await deliver();
  await send(id);
  assert.equal(paths().length, 3, "those of the first delivery, which opened the circuit");
  assert.deepEqual(await sends(id), { a: "waiting", b: "waiting", c: "waiting" });
  const { status, reason, retries } = await row(id);
  assert.match(reason, /^waiting for the provider: /);
  assert.deepEqual([status, retries, await attempts(id)], ["waiting", 0, []]);
});

test("once its retries are used up a delivery is accepted if a device took it, else failed", async (t) => {
  const under = await withBrowsers(t, (response, path) =>
    response.writeHead(path === "/phone" ? 201 : 503).end(),
  );
  const { pool, add, deliver, send, sends, row } = under;
  await add("laptop");
  const used = async (id: string) => pool.sql`update deliveries set retries = 7 where id = ${id}`;
  const alone = await deliver();
  await used(alone);
  await send(alone);
  assert.deepEqual(await sends(alone), { laptop: "failed" });
  assert.match((await row(alone)).reason, /^no device accepted it: .*503/);
  await add("phone");
  const id = await deliver();
  await used(id);
  await send(id);
  assert.deepEqual(await sends(id), { laptop: "failed", phone: "accepted" });
  assert.equal((await row(id)).status, "accepted");
});

test("a text that does not fit is cut between characters, and the timeline says so", async (t) => {
  const { browser, add, deliver, send, service, row } = await withBrowsers(t);
  await add("laptop");
  const name = "👩‍👩‍👧".repeat(300);
  const id = await deliver({ variables: JSON.stringify({ id: "17", name }) });
  await send(id);
  const { status, warnings } = await row(id);
  assert.deepEqual(warnings, ["the text was cut to what fits into a push"]);
  assert.equal(status, "accepted");
  const { body } = JSON.parse(browser.read(service.received[0]!.body));
  assert.match(body, /^Hello (?:👩‍👩‍👧)+…$/u);
});
