import assert from "node:assert/strict";
import { test } from "node:test";
import { actsIn, providerActsIn, putActiveProvider } from "../../test/acts.ts";
import type { testDatabase } from "../../test/database.ts";
import { refusedWith, TEST_KEYS, tenantDatabase } from "../../test/database.ts";
import { insertSuppressions, suppressedForm } from "../events/suppression-rows.ts";
import { testProvider } from "../providers/use-provider.ts";
import type { TenantInput } from "../tenants/tenant-input.ts";
import { setTenantActive, updateTenant } from "../tenants/tenants.ts";
import { putDevice } from "../users/devices.ts";
import type { Preview } from "./preview-template.ts";
import { sendRenderedTest } from "./send-test.ts";

const TO = "Ann@example.com";
const options = { keys: TEST_KEYS, allowPrivateAddresses: false };
const RENDERED: Preview = {
  channel: "EMAIL",
  kind: "email",
  subject: "Hello",
  html: "<p>Hello</p>",
  text: "Hello",
  missing: [],
};

const PUSH: Preview = {
  channel: "DEVICE",
  kind: "notification",
  title: "Hello",
  body: "You",
  missing: [],
};

const CHAT: Preview = {
  channel: "CHAT",
  kind: "chat",
  blocks: [{ kind: "paragraph", runs: [{ text: "Hello" }] }],
  missing: [],
};

async function withProvider(t: Parameters<typeof testDatabase>[0], changes: TenantInput = {}) {
  const { db, tenantId } = await tenantDatabase(t);
  const { id } = await putActiveProvider(
    db,
    { tenantId, channel: "EMAIL", kind: "sandbox", settings: {} },
    options,
  );
  await updateTenant(db, tenantId, changes);
  const run = providerActsIn(db, tenantId, options);
  const tests = [
    () => run(testProvider, { id, to: TO }),
    () => sendRenderedTest(db, tenantId, RENDERED, TO, options),
  ];
  const sent = async () => (await db.selectFrom("outbox").select("recipient").execute()).length;
  return { db, tenantId, tests, sent };
}

for (const [what, changes, words] of [
  ["on a channel that the tenant may not use", { deliveryChannels: ["SMS"] }, /may not use EMAIL/],
  ["above the daily cap", { dailyCap: 1 }, /limit of events/],
  ["above the limit per minute", { perMinute: 1 }, /limit of events/],
] as const) {
  test(`a test ${what} reaches nobody`, async (t) => {
    const { tests, sent } = await withProvider(t, changes as TenantInput);
    // With a limit of 1, the first one is counted and leaves.
    const { perMinute, dailyCap } = changes as TenantInput;
    const room = perMinute ?? dailyCap ?? 0;
    for (const one of tests.slice(0, room)) await one();
    for (const one of tests) await refusedWith(one(), words);
    assert.equal(await sent(), room);
  });
}

test("a test of an inactive tenant reaches nobody", async (t) => {
  const { db, tenantId, tests, sent } = await withProvider(t);
  await setTenantActive(db, tenantId, false);
  for (const one of tests) await refusedWith(one(), /not active/);
  assert.equal(await sent(), 0);
});

test("a test to a suppressed address reaches nobody", async (t) => {
  const { db, tenantId, tests, sent } = await withProvider(t);
  await insertSuppressions(db, {
    tenantId,
    channel: "EMAIL",
    addresses: [suppressedForm(TO)],
    reason: "by hand",
    source: null,
  });
  for (const one of tests) await refusedWith(one(), /is suppressed \(by hand\)/);
  assert.equal(await sent(), 0);
});

test("tests count like events, and there are few of them: asked for at once, thirty leave", async (t) => {
  const { db, tenantId, tests, sent } = await withProvider(t);
  const asked = Array.from({ length: 40 }, (_, n) => tests[n % tests.length]!());
  const ended = await Promise.allSettled(asked);
  const refused = ended.filter((one) => one.status === "rejected");
  assert.equal(await sent(), 30);
  assert.equal(refused.length, 10);
  for (const { reason } of refused) assert.match(reason.message, /30 tests in 15 minutes/);
  const counted = await db
    .selectFrom("tenant_limits")
    .select(["ring_total", "day_total"])
    .where("tenant_id", "=", tenantId)
    .executeTakeFirstOrThrow();
  assert.deepEqual(counted, { ring_total: 30, day_total: 30 });
});

test("a test for devices needs a device of a provider's kind, else the sandbox takes it", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const run = actsIn(db, tenantId, { keys: async () => TEST_KEYS });
  const put = (kind: "fcm" | "apns") =>
    run(putDevice, { userId: "ann", deviceId: kind, kind, token: "t" });
  const provider = (kind: string, settings: Record<string, unknown>) =>
    putActiveProvider(db, { tenantId, channel: "DEVICE", kind, settings }, options);
  const to = async () => (await sendRenderedTest(db, tenantId, PUSH, "ann", options)).provider.kind;
  await provider("webpush", { subject: "mailto:ops@example.com" });
  await refusedWith(to(), /to must be a user with a registered device of this kind/);
  await provider("sandbox", {});
  await put("fcm");
  assert.equal(await to(), "sandbox");
});

test("a test for a chat goes through a provider of the address's kind, else through the sandbox", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const provider = (kind: string, settings: Record<string, unknown>) =>
    putActiveProvider(db, { tenantId, channel: "CHAT", kind, settings }, options);
  const to = async (address: string) =>
    (await sendRenderedTest(db, tenantId, CHAT, address, options)).provider.kind;
  await provider("telegram", { botToken: `123456:${"A".repeat(35)}` });
  await refusedWith(to("slack:C024BE91L"), /no active provider of the kind slack/);
  await refusedWith(to("C024BE91L"), /to must be a chat address such as slack:C024BE91L/);
  await provider("sandbox", {});
  assert.equal(await to(" slack:C024BE91L "), "sandbox");
});
