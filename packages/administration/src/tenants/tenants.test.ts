import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import { KEY_ROLES, type KeyRole } from "@belfry/contracts/key-roles";
import type { Database } from "@belfry/database/connection";
import { decryptSecret, webhookSecretOwner } from "@belfry/database/secrets";
import { assertEach } from "@belfry/testing/assert-each";
import { assertHas } from "@belfry/testing/assert-has";
import { readConfigurationVersion } from "@belfry/testing/configuration-version";
import { actsIn } from "../../test/acts.ts";
import { refusal, TEST_KEYS, tenantDatabase, testDatabase } from "../../test/database.ts";
import { InvalidInput, NotFound } from "../input-error.ts";
import { createTenantAct, deactivateTenant, listTenants, updateTenantAct } from "./tenant-acts.ts";
import { createKey, revokeKey, rotateKey } from "./tenant-credentials.ts";
import { requireTimeZone, type TenantInput } from "./tenant-input.ts";
import { createTenant, showTenant } from "./tenants.ts";

const updateTenant = (db: Database, id: string, input: TenantInput) =>
  actsIn(db, "")(updateTenantAct, { id, ...input });
const rotate = (
  db: Database,
  id: string,
  overlapSeconds?: number,
  input: { role?: KeyRole } = {},
) => actsIn(db, id)(rotateKey, { overlapSeconds, ...input });

test("a new tenant has limits, a row to count them, and one key of which only the hash is stored", async (t) => {
  const db = await testDatabase(t);
  const { id, apiKey, ...tenant } = await createTenant(db, { name: "Acme" });
  assert.match(id, /^[a-z0-9]{12}$/);
  assert.match(apiKey, /^bf_[0-9A-Za-z]{40}$/);
  assertHas(tenant, { perMinute: 600, dailyCap: 100_000, deliveryChannels: [] });
  assert.equal(tenant.webhookSecret, false);
  const stored = await db.selectFrom("api_keys").selectAll().executeTakeFirstOrThrow();
  assert.deepEqual(stored.sha256, hash("sha256", apiKey, "buffer"));
  assert.ok(!JSON.stringify(stored).includes(apiKey));
  assert.ok(apiKey.startsWith(stored.prefix));
  const limits = await db.selectFrom("tenant_limits").select("tenant_id").execute();
  assert.deepEqual(limits, [{ tenant_id: id }]);
});

test("the key is shown once: no later view of the tenant has it", async (t) => {
  const db = await testDatabase(t);
  const { id, apiKey } = await createTenant(db, { name: "Acme" });
  const later = JSON.stringify([await showTenant(db, id), await actsIn(db, "")(listTenants, {})]);
  assert.ok(!later.includes(apiKey));
});

test("every fault of a tenant's settings is told at once, each with its field", async (t) => {
  const db = await testDatabase(t);
  const input = { name: "", perMinute: -1, dailyCap: 1.5, webhookSecret: "a\nb" };
  const { faults, message } = await refusal(actsIn(db, "")(createTenantAct, input));
  assertEach(faults, ({ field }) => field, ["name", "perMinute", "dailyCap", "webhookSecret"]);
  assert.ok(!message.includes("a\nb"));
  assert.deepEqual(await actsIn(db, "")(listTenants, {}), []);
});

test("an update changes what is given and nothing else, and every change grows the version", async (t) => {
  const db = await testDatabase(t);
  const { id, apiKey: _, ...before } = await createTenant(db, { name: "Acme", dailyCap: 5 });
  const versions = [await readConfigurationVersion(db)];
  const updated = await updateTenant(db, id, {
    dailyCap: null,
    deliveryChannels: ["PUSH", "EMAIL"],
  });
  versions.push(await readConfigurationVersion(db));
  assert.deepEqual(
    { ...updated, updatedAt: "" },
    { ...before, id, dailyCap: null, deliveryChannels: ["EMAIL", "PUSH"], updatedAt: "" },
  );
  await actsIn(db, "")(deactivateTenant, { id });
  versions.push(await readConfigurationVersion(db));
  assert.equal((await showTenant(db, id)).active, false);
  await rotate(db, id);
  versions.push(await readConfigurationVersion(db));
  assert.equal(new Set(versions).size, 4);
});

test("a change of a tenant that is not there says so and leaves the version alone", async (t) => {
  const db = await testDatabase(t);
  const before = await readConfigurationVersion(db);
  await assert.rejects(updateTenant(db, "nobody", { perMinute: 1 }), NotFound);
  await assert.rejects(actsIn(db, "")(deactivateTenant, { id: "platform" }), NotFound);
  await assert.rejects(rotate(db, "nobody"), NotFound);
  assert.equal(await readConfigurationVersion(db), before);
});

test("a webhook secret is stored encrypted for its tenant, shown as true or false, and can be removed", async (t) => {
  const db = await testDatabase(t);
  const { id } = await createTenant(db, { name: "Acme", webhookSecret: "s3cret" }, TEST_KEYS);
  assert.equal((await showTenant(db, id)).webhookSecret, true);
  const { webhook_secret } = await db
    .selectFrom("tenants")
    .select("webhook_secret")
    .executeTakeFirstOrThrow();
  assert.ok(!webhook_secret?.includes("s3cret"));
  assert.equal(await decryptSecret(TEST_KEYS, webhookSecretOwner(id), webhook_secret!), "s3cret");
  assert.equal((await updateTenant(db, id, { webhookSecret: null })).webhookSecret, false);
});

test("after a rotation the key before works for the overlap only, and not at all with an overlap of 0", async (t) => {
  const { db, tenantId: id } = await tenantDatabase(t);
  const before = Date.now();
  const first = await rotate(db, id, 60);
  const [fresh, old] = first.apiKeys;
  assert.equal(first.apiKeys.length, 2);
  assert.ok(first.apiKey.startsWith(fresh!.prefix));
  assert.equal(fresh!.expiresAt, null);
  const expiresMs = Date.parse(old!.expiresAt!) - 60_000;
  assert.ok(expiresMs >= before - 1 && expiresMs <= Date.now() + 1, old!.expiresAt!);
  const longer = await rotate(db, id, 3600);
  assert.equal(longer.apiKeys[2]!.expiresAt, old!.expiresAt, "a rotation never prolongs a key");
  const last = await rotate(db, id, 0);
  assertEach(last.apiKeys, (key) => key.expiresAt, [null]);
});

test("an eleventh live key is refused until the others end", async (t) => {
  const { db, tenantId: id } = await tenantDatabase(t);
  for (let more = 0; more < 9; more += 1) await rotate(db, id, 3600);
  await assert.rejects(rotate(db, id, 3600), InvalidInput);
  assert.equal((await showTenant(db, id)).apiKeys.length, 10);
  assert.equal((await rotate(db, id, 0)).apiKeys.length, 1);
});

test("a key has one of the roles there are; a rotation is of one role, which must be said where there are more", async (t) => {
  const { db, tenantId: id } = await tenantDatabase(t);
  await assert.rejects(
    actsIn(db, id)(createKey, { role: "write" as KeyRole }),
    /^InvalidInput: role must be all, /,
  );
  const trigger = await actsIn(db, id)(createKey, { role: "trigger", name: "the shop" });
  assert.deepEqual([trigger.name, trigger.role], ["the shop", "trigger"]);
  await assert.rejects(rotate(db, id, 0), /role must be given: .* trigger and all$/);
  const { apiKeys } = await rotate(db, id, 0, { role: "trigger" });
  assertEach(apiKeys, ({ name, role, expiresAt }) => [name, role, expiresAt], [
    ["the shop", "trigger", null],
    [null, "all", null],
  ]);
  assert.notEqual(apiKeys[0]?.prefix, trigger.prefix);
  await actsIn(db, id)(revokeKey, { keyId: apiKeys[1]?.id ?? "" });
  const rotated = await rotate(db, id, 3600);
  assertEach(
    rotated.apiKeys,
    ({ role }) => role,
    ["trigger", "trigger"],
    "the role that all keys have need not be said",
  );
  for (const role of KEY_ROLES) await actsIn(db, id)(createKey, { role });
});

test("a tenant has a language and a time zone for its templates: known ones, in their own letters", async (t) => {
  const db = await testDatabase(t);
  const created = await createTenant(db, { name: "Acme" });
  assert.deepEqual([created.defaultLocale, created.timezone], ["en", null]);
  const { id } = created;
  const changed = await updateTenant(db, id, { defaultLocale: "DE-at", timezone: "europe/vienna" });
  assert.deepEqual([changed.defaultLocale, changed.timezone], ["de-AT", "Europe/Vienna"]);
  const { defaultLocale } = await updateTenant(db, id, { timezone: null });
  assert.equal(defaultLocale, "de-AT");
  assert.equal((await showTenant(db, id)).timezone, null);
  for (const timezone of ["+01:00", "Mars/Olympus", "", "Europe/Berlin' or 1=1", "FOO+3", "IST"]) {
    await assert.rejects(
      updateTenant(db, id, { timezone }),
      /^InvalidInput: timezone must be a time zone/,
    );
  }
  for (const defaultLocale of ["german", "", "xx", "de-DE-1996", "de_AT"]) {
    await assert.rejects(updateTenant(db, id, { defaultLocale }), /^InvalidInput: defaultLocale /);
  }
  await assert.rejects(requireTimeZone(db, "America/Nowhere"), /timezone must be a time zone/);
});

test("a tenant's quiet hours are for users without their own; the same time twice is none", async (t) => {
  const db = await testDatabase(t);
  const { id, quietHours } = await createTenant(db, { name: "Acme" });
  assert.equal(quietHours, null);
  const hours = { from: "22:00", to: "06:00" };
  assert.deepEqual((await updateTenant(db, id, { quietHours: hours })).quietHours, hours);
  assert.deepEqual((await updateTenant(db, id, { name: "Acme AG" })).quietHours, hours);
  await assert.rejects(
    updateTenant(db, id, { quietHours: { from: "22:00", to: "22:00" } }),
    /quietHours from and to must not be the same time/,
  );
  assert.equal((await updateTenant(db, id, { quietHours: null })).quietHours, null);
});

test("link schemes are kept in lower case, each once, and those that are never safe are refused", async (t) => {
  const db = await testDatabase(t);
  const { id, linkSchemes, allowExecutables } = await createTenant(db, { name: "Acme" });
  assert.equal(allowExecutables, false);
  assert.equal((await showTenant(db, id)).maxAttachmentMib, 5120);
  assert.equal((await updateTenant(db, id, { maxAttachmentMib: 9 })).maxAttachmentMib, 9);
  assert.equal((await updateTenant(db, id, { allowExecutables: true })).allowExecutables, true);
  assert.deepEqual(linkSchemes, []);
  const changed = await updateTenant(db, id, { linkSchemes: ["MyApp", "shop", "myapp"] });
  assert.deepEqual(changed.linkSchemes, ["myapp", "shop"]);
  assert.deepEqual((await updateTenant(db, id, { name: "B" })).linkSchemes, ["myapp", "shop"]);
  await assert.rejects(
    updateTenant(db, id, { linkSchemes: ["myapp", "JavaScript"] }),
    /linkSchemes must not hold javascript/,
  );
  assert.deepEqual((await updateTenant(db, id, { linkSchemes: [] })).linkSchemes, []);
});
