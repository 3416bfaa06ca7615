import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { type TestContext, test } from "node:test";
import type { Database } from "@belfry/database/connection";
import {
  decryptSecret,
  encryptSecret,
  parseSecretKeys,
  providerSettingsOwner,
  type SecretKeys,
  totpOwner,
  webhookOwner,
  webhookSecretOwner,
} from "@belfry/database/secrets";
import { assertEach } from "@belfry/testing/assert-each";
import { readConfigurationVersion } from "@belfry/testing/configuration-version";
import { generateSync } from "otplib";
import { actsIn, putActiveProvider } from "../../test/acts.ts";
import { testDatabase } from "../../test/database.ts";
import { webhookActs } from "../../test/webhook-world.ts";
import { insertPerson } from "../people/person-rows.ts";
import { newTotpSecret, useCode } from "../people/two-factor.ts";
import { searchAuditLog } from "../search-audit-log.ts";
import { createTenant } from "../tenants/tenants.ts";
import { putWebhook, rotateSigningSecret } from "../webhooks/webhooks.ts";
import { storedSettings } from "./provider-rows.ts";
import { rotateSecrets } from "./rotate-secrets.ts";

const K1 = `k1:${randomBytes(32).toString("base64")}`;
const K2 = `k2:${randomBytes(32).toString("base64")}`;
const before = parseSecretKeys(K1);
const both = parseSecretKeys(`${K2},${K1}`);
const after = parseSecretKeys(K2);

const rotate = (db: Database, keys: SecretKeys, input: { dryRun?: boolean } = {}) =>
  actsIn(db, "", { keys: async () => keys })(rotateSecrets, input);

/** A tenant with a webhook secret and a provider, under the old key. */
async function withSecrets(t: TestContext) {
  const db = await testDatabase(t);
  const tenant = await createTenant(db, { name: "Acme", webhookSecret: "hush" }, before);
  const settings = { apiKey: "SG.very-secret", from: "news@example.com" };
  const sendgrid = { tenantId: tenant.id, channel: "EMAIL", kind: "sendgrid", settings } as const;
  const provider = await putActiveProvider(db, sendgrid, { keys: before });
  const webhookSecret = async () => {
    const { webhook_secret } = await db
      .selectFrom("tenants")
      .select("webhook_secret")
      .where("id", "=", tenant.id)
      .executeTakeFirstOrThrow();
    return webhook_secret ?? "";
  };
  return { db, tenant, provider, sendgrid, settings, webhookSecret };
}

test("every secret is under the new key afterwards, for its owner alone, and the old one may go", async (t) => {
  const { db, tenant, provider, settings, webhookSecret } = await withSecrets(t);
  const rules = { keys: before, allowPrivateAddresses: false };
  const run = webhookActs(db, rules, tenant.id);
  const webhook = await run(putWebhook, { url: "https://example.com/" });
  const of = { tenantId: tenant.id, webhookId: webhook.id };
  const { secret } = await run(rotateSigningSecret, of);
  const report = await rotate(db, both);
  assert.deepEqual(report, {
    dryRun: false,
    currentKid: "k2",
    reencrypted: 4,
    outdated: 0,
    inUse: { k2: 4 },
    columns: {
      "tenants.webhook_secret": { k2: 1 },
      "tenants.previous_webhook_secret": {},
      "providers.settings": { k2: 1 },
      "webhooks.secret": { k2: 1 },
      "webhooks.previous_secret": { k2: 1 },
      "devices.token": {},
      "search_key.secret": {},
      "person_totp.secret": {},
    },
    retirable: ["k1"],
    unreadable: [],
  });
  const owner = webhookSecretOwner(tenant.id);
  assert.equal(await decryptSecret(after, owner, await webhookSecret()), "hush");
  await assert.rejects(decryptSecret(after, webhookSecretOwner("other"), await webhookSecret()));
  assert.deepEqual(await storedSettings(db, provider, after), settings);
  const stored = await db.selectFrom("webhooks").selectAll().executeTakeFirstOrThrow();
  const signs = webhookOwner(tenant.id, webhook.id);
  assert.equal(await decryptSecret(after, signs, stored.secret), secret);
  assert.equal(await decryptSecret(after, signs, stored.previous_secret ?? ""), webhook.secret);
});

test("the key of an authenticator app is under the new key afterwards, of this person alone, and its codes are taken as before", async (t) => {
  const db = await testDatabase(t);
  const eve = { email: "eve@example.com", name: "Eve", password: "x", operator: false };
  const personId = await insertPerson(db, eve);
  const secret = newTotpSecret();
  const now = new Date(60_000_000 * 30_000);
  const row = {
    person_id: personId,
    secret: await encryptSecret(before, totpOwner(personId), secret),
  };
  await db
    .insertInto("person_totp")
    .values({ ...row, confirmed_at: now })
    .execute();
  const report = await rotate(db, both);
  assert.deepEqual(report.columns["person_totp.secret"], { k2: 1 });
  assert.deepEqual([report.reencrypted, report.retirable], [1, ["k1"]]);
  const stored = await db.selectFrom("person_totp").selectAll().executeTakeFirstOrThrow();
  assert.equal(await decryptSecret(after, totpOwner(personId), stored.secret), secret);
  await assert.rejects(decryptSecret(after, totpOwner("another"), stored.secret));
  const code = generateSync({ secret, epoch: now.getTime() / 1000 });
  assert.equal(await useCode(db, after, personId, code, now), "app");
});

test("a second run changes nothing, bumps nothing and leaves nothing in the audit log", async (t) => {
  const { db, tenant, provider, webhookSecret } = await withSecrets(t);
  const version = await readConfigurationVersion(db);
  await rotate(db, both);
  const once = Number(version) + 1;
  assert.equal(
    Number(await readConfigurationVersion(db)),
    once,
    "services read their secrets anew",
  );
  const { entries } = await searchAuditLog(db, { limit: 10, object: "secrets.rotate" });
  assert.deepEqual(
    entries.map(({ person, action, target, after }) => [person, action, target, after]).sort(),
    ["providers.settings", "tenants.webhook_secret"].map((target) => [
      ...["a test", "secrets.rotate", target],
      { kid: "k2", reencrypted: 1 },
    ]),
  );
  const stored = await webhookSecret();
  const again = await rotate(db, both);
  assert.deepEqual([again.reencrypted, again.inUse], [0, { k2: 2 }]);
  assert.equal(await webhookSecret(), stored);
  assert.equal(Number(await readConfigurationVersion(db)), once);
  assert.equal(
    (await searchAuditLog(db, { limit: 10, object: "secrets.rotate" })).entries.length,
    2,
  );
  const rows = await db.selectFrom("providers").select("updated_at").execute();
  assert.equal(
    rows[0]?.updated_at.toISOString(),
    provider.updatedAt,
    "nobody changed the settings",
  );
  assert.equal((await db.selectFrom("tenants").select("id").execute())[0]?.id, tenant.id);
});

test("a dry run counts by key and changes nothing", async (t) => {
  const { db, webhookSecret } = await withSecrets(t);
  const stored = await webhookSecret();
  const report = await rotate(db, both, { dryRun: true });
  assert.deepEqual([report.reencrypted, report.outdated], [0, 2]);
  assert.deepEqual([report.inUse, report.retirable], [{ k1: 2 }, []]);
  assert.equal(await webhookSecret(), stored);
  assert.deepEqual((await searchAuditLog(db, { limit: 10, object: "secrets.rotate" })).entries, []);
});

test("what no key opens is named with its owner, stays as it is, and keeps no other from its turn", async (t) => {
  const { db, tenant, provider, settings } = await withSecrets(t);
  const stranger = parseSecretKeys(`k0:${randomBytes(32).toString("base64")}`);
  const another = parseSecretKeys(`k2:${randomBytes(32).toString("base64")}`);
  const ids = ["a", "b", "c", "d"];
  const stored: Record<string, string> = {
    a: await encryptSecret(stranger, webhookSecretOwner("a"), "x"),
    b: await encryptSecret(before, webhookSecretOwner("another"), "x"),
    c: "once in the clear",
    d: await encryptSecret(another, webhookSecretOwner("d"), "x"),
  };
  for (const id of ids) {
    const row = { id, name: id, per_minute: 1, webhook_secret: stored[id] ?? null };
    await db.insertInto("tenants").values(row).execute();
  }
  const report = await rotate(db, both);
  assertEach(report.unreadable, ({ owner, kid }) => [owner, kid], [
    ["tenant:a", "k0"],
    ["tenant:b", "k1"],
    ["tenant:c", null],
    ["tenant:d", "k2"],
  ]);
  assert.match(report.unreadable[0]?.reason ?? "", /k0 is not given/);
  assert.deepEqual(report.inUse, { k0: 1, k1: 1, "(none)": 1, k2: 3 });
  assert.deepEqual(report.retirable, [], "something is still under k1");
  assert.equal(report.reencrypted, 2);
  assert.deepEqual(await storedSettings(db, provider, after), settings);
  const rows = await db
    .selectFrom("tenants")
    .select(["id", "webhook_secret"])
    .where("id", "!=", tenant.id)
    .execute();
  assert.deepEqual(Object.fromEntries(rows.map((row) => [row.id, row.webhook_secret])), stored);
});

test("settings that are saved while it runs are kept, whatever key saved them, and end under the new one", async (t) => {
  const { db, provider, sendgrid } = await withSecrets(t);
  // More than a batch, so that there is time to save.
  const { id: tenantId } = await createTenant(db, { name: "Many" });
  const text = JSON.stringify({ apiKey: "x" });
  for (let n = 0; n < 250; n += 1) {
    const id = crypto.randomUUID();
    const row = { id, tenant_id: tenantId, channel: "EMAIL", kind: "sendgrid" } as const;
    const owner = providerSettingsOwner(tenantId, id);
    const settings = await encryptSecret(before, owner, text);
    const values = { ...row, name: `n${n}`, settings, masked_settings: "{}" };
    await db.insertInto("providers").values(values).execute();
  }
  let last = 0;
  let isOver = false;
  const saving = (async () => {
    while (!isOver) {
      last += 1;
      const settings = { ...sendgrid.settings, apiKey: `SG.${last}` };
      await putActiveProvider(db, { ...sendgrid, settings }, { keys: before });
    }
  })();
  const report = await rotate(db, both);
  isOver = true;
  await saving;
  // The one that is saved may be another each time that it is looked at.
  assert.ok(report.reencrypted >= 250, String(report.reencrypted));
  assert.ok(last > 0, "something was saved");
  assert.deepEqual(await storedSettings(db, provider, both), {
    ...sendgrid.settings,
    apiKey: `SG.${last}`,
  });
  const final = await rotate(db, both);
  assert.deepEqual([final.inUse, final.retirable], [{ k2: 252 }, ["k1"]]);
  assert.deepEqual((await storedSettings(db, provider, after))?.apiKey, `SG.${last}`);
});
