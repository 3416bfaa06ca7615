import assert from "node:assert/strict";
import { test } from "node:test";
import { startRecordingServer } from "@belfry/testing/recording-server";
import { InvalidInput } from "../input-error.ts";
import { sendProviderTest } from "../templates/send-test.ts";
import { TEST_KEYS, tenantDatabase, type testDatabase } from "../test-database.ts";
import { listProviders, type ProviderInput, putProvider } from "./providers.ts";
import { rotateSecrets } from "./rotate-secrets.ts";
import { useProvider } from "./use-provider.ts";

const options = { keys: TEST_KEYS, allowPrivateAddresses: true };

/** Two that send, and a new one behind them that is not used. */
async function withNewOne(t: Parameters<typeof testDatabase>[0]) {
  const { db, tenantId } = await tenantDatabase(t);
  const vendor = await startRecordingServer(t);
  const sandbox = { tenantId, channel: "EMAIL", kind: "sandbox", settings: {} } as const;
  await putProvider(db, { ...sandbox, name: "b" }, options);
  await putProvider(db, { ...sandbox, name: "a" }, options);
  const settings = { apiKey: "SG.0123456789", from: "a@example.com", baseUrl: vendor.url };
  const input: ProviderInput = {
    ...{ tenantId, channel: "EMAIL", kind: "sendgrid", name: "new", settings },
    ...{ active: false, position: "last" },
  };
  const { id } = await putProvider(db, input, options);
  return {
    ...{ db, vendor, input, tenantId, address: { id, tenantId } },
    sendTest: async (status: number) => {
      vendor.answer = { status };
      await sendProviderTest(db, { id, tenantId }, "ada@example.com", options);
    },
    order: async () =>
      (await listProviders(db, tenantId)).map(({ name, active }) => (active ? name : `(${name})`)),
  };
}

const ACTOR = { personId: null, person: "test", address: "192.0.2.1" };
const UNTESTED = { name: InvalidInput.name, message: /must be tested first/ };

test("a provider that is not in use is put into use only after a test of it was accepted; the newest test counts", async (t) => {
  const { db, address, sendTest, order } = await withNewOne(t);
  assert.deepEqual(await order(), ["a", "b", "(new)"]);
  const refused = async (why: string) => {
    for (const first of [false, true]) {
      await assert.rejects(useProvider(db, address, { first }), UNTESTED, why);
    }
    assert.deepEqual(await order(), ["a", "b", "(new)"]);
  };
  await refused("never tested");
  await sendTest(401);
  await refused("its test failed");
  await sendTest(202);
  await sendTest(401);
  await refused("the newest failed");
  await sendTest(202);
  await useProvider(db, address, { first: false });
  assert.deepEqual(await order(), ["a", "b", "new"]);
  await useProvider(db, address, { first: true });
  assert.deepEqual(await order(), ["new", "a", "b"]);
});

test("other settings have to be tested again, the same ones, a name and a rate not; a test of the old ones says nothing of the new", async (t) => {
  const { db, vendor, input, address, sendTest, order } = await withNewOne(t);
  await sendTest(202);
  const tested = async () => (await listProviders(db, input.tenantId))[2]?.testedAt !== null;
  await putProvider(db, { ...input, maxPerSecond: 3 }, options);
  assert.ok(await tested());
  const other = { ...(input.settings as object), apiKey: "SG.9876543210" };
  await putProvider(db, { ...input, settings: other }, options);
  assert.ok(!(await tested()));
  await assert.rejects(useProvider(db, address, { first: true }), UNTESTED);

  const answered = Promise.withResolvers<void>();
  vendor.answer = { status: 202, after: answered.promise };
  const underWay = sendProviderTest(db, address, "ada@example.com", options);
  await vendor.received(2);
  await putProvider(db, input, options);
  answered.resolve();
  assert.equal((await underWay).outcome.class, "accepted");
  assert.ok(!(await tested()));
  assert.deepEqual(await order(), ["a", "b", "(new)"]);
});

test("what is in use is put first without a test, and an accepted test outlives the rotation of the keys at rest", async (t) => {
  const { db, tenantId, address, sendTest, order } = await withNewOne(t);
  const [, b] = await listProviders(db, tenantId);
  await useProvider(db, { id: b?.id ?? "" }, { first: true });
  assert.deepEqual(await order(), ["b", "a", "(new)"]);
  await sendTest(202);
  await rotateSecrets(db, TEST_KEYS, { actor: ACTOR });
  await useProvider(db, address, { first: false });
  assert.deepEqual(await order(), ["b", "a", "new"]);
});
