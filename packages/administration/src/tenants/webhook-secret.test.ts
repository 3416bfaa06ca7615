import assert from "node:assert/strict";
import { test } from "node:test";
import { decryptSecret, webhookSecretOwner } from "@belfry/database/secrets";
import { readConfigurationVersion } from "@belfry/testing/configuration-version";
import { actsIn } from "../../test/acts.ts";
import { TEST_KEYS, testDatabase } from "../../test/database.ts";
import { InvalidInput, NotFound } from "../input-error.ts";
import { rotateWebhookSecret } from "./tenant-credentials.ts";
import { createTenant, updateTenant } from "./tenants.ts";

async function withTenant(t: Parameters<typeof testDatabase>[0]) {
  const db = await testDatabase(t);
  const { id } = await createTenant(db, { name: "Acme", webhookSecret: "first" }, TEST_KEYS);
  const rotateOf = (tenantId: string, webhookSecret: string, overlapSeconds: number) =>
    actsIn(db, tenantId, { keys: async () => TEST_KEYS })(rotateWebhookSecret, {
      webhookSecret,
      overlapSeconds,
    });
  const rotate = (webhookSecret: string, overlapSeconds: number) =>
    rotateOf(id, webhookSecret, overlapSeconds);
  const stored = async () => {
    const tenant = await db
      .selectFrom("tenants")
      .select(["webhook_secret", "previous_webhook_secret"])
      .where("id", "=", id)
      .executeTakeFirst();
    const open = async (ciphertext: string | null | undefined) =>
      ciphertext == null
        ? null
        : await decryptSecret(TEST_KEYS, webhookSecretOwner(id), ciphertext);
    return [await open(tenant?.webhook_secret), await open(tenant?.previous_webhook_secret)];
  };
  return { db, id, rotate, rotateOf, stored };
}

test("a webhook secret is rotated with an overlap: the one before is taken until then, and no older one", async (t) => {
  const { db, rotate, stored } = await withTenant(t);
  const version = Number(await readConfigurationVersion(db));
  const second = await rotate("second", 3600);
  const leftMs = Date.parse(second.previousWebhookSecretUntil ?? "") - Date.now();
  assert.ok(leftMs > 3_500_000 && leftMs <= 3_600_000, `${leftMs} ms`);
  assert.deepEqual(await stored(), ["second", "first"]);
  assert.equal(Number(await readConfigurationVersion(db)), version + 1);
  await rotate("third", 60);
  assert.deepEqual(await stored(), ["third", "second"]);
  assert.equal((await rotate("fourth", 0)).previousWebhookSecretUntil, null);
  assert.deepEqual(await stored(), ["fourth", null], "0 ends the one before at once");
});

test("a secret that is set or removed otherwise ends all before it; the first has none before it", async (t) => {
  const { db, id, rotate, stored } = await withTenant(t);
  await rotate("second", 3600);
  await updateTenant(db, id, { name: "Acme 2" });
  assert.deepEqual(await stored(), ["second", "first"], "a change of something else ends nothing");
  await updateTenant(db, id, { webhookSecret: "set" }, TEST_KEYS);
  assert.deepEqual(await stored(), ["set", null]);
  await rotate("next", 3600);
  await updateTenant(db, id, { webhookSecret: null });
  assert.deepEqual(await stored(), [null, null]);
  assert.equal((await rotate("again", 3600)).previousWebhookSecretUntil, null);
  assert.deepEqual(await stored(), ["again", null]);
});

test("a rotation that does not fit is refused, and changes nothing", async (t) => {
  const { rotate, rotateOf, stored } = await withTenant(t);
  for (const overlap of [-1, 0.5, 31 * 24 * 3600, Number.NaN]) {
    await assert.rejects(rotate("second", overlap), InvalidInput);
  }
  await assert.rejects(rotate("", 60), InvalidInput);
  await assert.rejects(rotateOf("nobody", "second", 60), NotFound);
  assert.deepEqual(await stored(), ["first", null]);
});
