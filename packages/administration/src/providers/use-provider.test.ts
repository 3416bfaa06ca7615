import assert from "node:assert/strict";
import { test } from "node:test";
import { startRecordingServer } from "@belfry/testing/recording-server";
import { providerActsIn, putActiveProvider } from "../../test/acts.ts";
import type { testDatabase } from "../../test/database.ts";
import { TEST_KEYS, tenantDatabase } from "../../test/database.ts";
import { InvalidInput } from "../input-error.ts";
import { LAST_POSITION, putProvider, readProviders } from "./providers.ts";
import { rotateSecrets } from "./rotate-secrets.ts";
import { activateProvider, makeProviderFirst, testProvider } from "./use-provider.ts";

const options = { keys: TEST_KEYS, allowPrivateAddresses: true };

/** Two that send, and a new one behind them that is not used. */
async function withNewOne(t: Parameters<typeof testDatabase>[0]) {
  const { db, tenantId } = await tenantDatabase(t);
  const vendor = await startRecordingServer(t);
  const sandbox = { tenantId, channel: "EMAIL", kind: "sandbox", settings: {} } as const;
  await putActiveProvider(db, { ...sandbox, name: "b" }, options);
  await putActiveProvider(db, { ...sandbox, name: "a" }, options);
  const settings = { apiKey: "SG.0123456789", from: "a@example.com", baseUrl: vendor.url };
  const run = providerActsIn(db, tenantId, options);
  const account = { channel: "EMAIL", kind: "sendgrid", name: "new", settings } as const;
  const input = { ...account, position: LAST_POSITION };
  const { id } = await run(putProvider, input);
  return {
    ...{ db, vendor, input, tenantId, run, id },
    sendTest: async (status: number) => {
      vendor.answer = { status };
      await run(testProvider, { id, to: "ada@example.com" });
    },
    order: async () =>
      (await readProviders(db, tenantId)).map(({ name, active }) => (active ? name : `(${name})`)),
  };
}

const UNTESTED = { name: InvalidInput.name, message: /must be tested first/ };

test("a provider that is not in use is put into use only after a test of it was accepted; the newest test counts", async (t) => {
  const { run, id, sendTest, order } = await withNewOne(t);
  assert.deepEqual(await order(), ["a", "b", "(new)"]);
  const refused = async (why: string) => {
    for (const act of [activateProvider, makeProviderFirst] as const) {
      await assert.rejects(run(act as typeof makeProviderFirst, { id }), UNTESTED, why);
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
  await run(activateProvider, { id });
  assert.deepEqual(await order(), ["a", "b", "new"]);
  await run(makeProviderFirst, { id });
  assert.deepEqual(await order(), ["new", "a", "b"]);
});

test("other settings have to be tested again, the same ones, a name and a rate not; a test of the old ones says nothing of the new", async (t) => {
  const { db, vendor, input, tenantId, run, id, sendTest, order } = await withNewOne(t);
  await sendTest(202);
  const tested = async () => (await readProviders(db, tenantId))[2]?.testedAt !== null;
  await run(putProvider, { ...input, maxPerSecond: 3 });
  assert.ok(await tested());
  const other = { ...(input.settings as object), apiKey: "SG.9876543210" };
  await run(putProvider, { ...input, settings: other });
  assert.ok(!(await tested()));
  await assert.rejects(run(makeProviderFirst, { id }), UNTESTED);

  const answered = Promise.withResolvers<void>();
  vendor.answer = { status: 202, after: answered.promise };
  const underWay = run(testProvider, { id, to: "ada@example.com" });
  await vendor.received(2);
  await run(putProvider, input);
  answered.resolve();
  assert.equal((await underWay).class, "accepted");
  assert.ok(!(await tested()));
  assert.deepEqual(await order(), ["a", "b", "(new)"]);
});

test("what is in use is put first without a test, and an accepted test outlives the rotation of the keys at rest", async (t) => {
  const { db, tenantId, run, id, sendTest, order } = await withNewOne(t);
  const [, b] = await readProviders(db, tenantId);
  await run(makeProviderFirst, { id: b?.id ?? "" });
  assert.deepEqual(await order(), ["b", "a", "(new)"]);
  await sendTest(202);
  await run(rotateSecrets, {});
  await run(activateProvider, { id });
  assert.deepEqual(await order(), ["b", "a", "new"]);
});
