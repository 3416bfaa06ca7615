import assert from "node:assert/strict";
import { test } from "node:test";
import { assertHas } from "@belfry/testing/assert-has";
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
