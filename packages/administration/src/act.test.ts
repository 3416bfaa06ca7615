import assert from "node:assert/strict";
import { test } from "node:test";
import { uuidv7 } from "uuidv7";
import { providerActsIn } from "../test/acts.ts";
import { TEST_KEYS, tenantDatabase } from "../test/database.ts";
import { cancelBroadcast, pauseBroadcast, resumeBroadcast } from "./broadcasts/broadcasts.ts";
import { addSuppressions, removeSuppressions } from "./events/suppressions.ts";
import { putProvider } from "./providers/providers.ts";
import { deactivateProvider, moveProviderUp } from "./providers/use-provider.ts";
import { removeWebhookSecret } from "./tenants/tenant-credentials.ts";

test("an act that changes nothing tells the audit log nothing", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const run = providerActsIn(db, tenantId, { keys: TEST_KEYS });
  const told = async (work: () => Promise<unknown>) => {
    await db.deleteFrom("audit_log").execute();
    await work();
    return (await db.selectFrom("audit_log").select("action").execute()).map((row) => row.action);
  };
  const broadcastId = uuidv7();
  const broadcast = { event_type: "x", trace_id: "t", total: 1, state: "running", chunks: 1 };
  await db
    .insertInto("broadcasts")
    .values({ id: broadcastId, tenant_id: tenantId, ...broadcast } as never)
    .execute();
  assert.deepEqual(await told(() => run(resumeBroadcast, { broadcastId })), []);
  for (const [act, action] of [
    [pauseBroadcast, "broadcast.pause"],
    [resumeBroadcast, "broadcast.resume"],
    [cancelBroadcast, "broadcast.cancel"],
  ] as const) {
    assert.deepEqual(await told(() => run(act, { broadcastId })), [action]);
    assert.deepEqual(await told(() => run(act, { broadcastId })), []);
  }

  const suppressed = { channel: "EMAIL" as const, addresses: ["ann@example.com"] };
  const add = () => run(addSuppressions, suppressed);
  const remove = () => run(removeSuppressions, suppressed);
  assert.deepEqual(await told(add), ["suppression.add"]);
  assert.deepEqual(await told(add), []);
  assert.deepEqual(await told(remove), ["suppression.remove"]);
  assert.deepEqual(await told(remove), []);

  const settings = { apiKey: "SG.abcdefghijklmnopqrstuvwxyz.secret-tail", from: "a@example.com" };
  const input = { channel: "EMAIL", kind: "sendgrid", active: true, untested: true } as const;
  const { id } = await run(putProvider, { ...input, settings });
  assert.deepEqual(await told(() => run(putProvider, { ...input, settings })), []);
  const apiKey = "SG.another-key-that-has-the-same-end.secret-tail";
  const replaced = { ...input, settings: { ...settings, apiKey } };
  assert.deepEqual(await told(() => run(putProvider, replaced)), ["provider.update"]);
  assert.deepEqual(await told(() => run(moveProviderUp, { id })), []);
  assert.deepEqual(await told(() => run(deactivateProvider, { id })), ["provider.deactivate"]);
  assert.deepEqual(await told(() => run(deactivateProvider, { id })), []);
  assert.deepEqual(await told(() => run(removeWebhookSecret, {})), []);
});
