import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { actsIn } from "@belfry/administration/test-acts";
import { deleteWebhook, listWebhooks } from "@belfry/administration/webhooks/webhooks";
import { connectedDatabase } from "@belfry/testing/database";
import { seedWebhook } from "./seed.ts";

test("the demo page's endpoint is made once, keeps its secret, moves with the port, and is made anew when it is gone", async (t) => {
  const { db } = await connectedDatabase(t);
  const { id: tenantId } = await createTenant(db, { name: "Demo" });
  const run = actsIn(db, tenantId);
  const secretsKeys = `k1:${randomBytes(32).toString("base64")}`;
  const seed = (port: number) =>
    seedWebhook(db, { tenantId, demoUrl: `http://127.0.0.1:${port}`, secretsKeys });
  const urls = async () => (await run(listWebhooks, {})).map(({ url }) => url);

  const secret = await seed(3003);
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.equal(await seed(3003), secret);
  assert.deepEqual(await urls(), ["http://127.0.0.1:3003/demo/webhooks"]);

  assert.equal(await seed(4003), secret);
  assert.deepEqual(await urls(), ["http://127.0.0.1:4003/demo/webhooks"]);

  const [webhook] = await run(listWebhooks, {});
  await run(deleteWebhook, { webhookId: webhook!.id });
  assert.notEqual(await seed(4003), secret);
  assert.deepEqual(await urls(), ["http://127.0.0.1:4003/demo/webhooks"]);
});
