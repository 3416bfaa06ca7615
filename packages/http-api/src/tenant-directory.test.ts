import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createTenant, setTenantActive } from "@belfry/administration/tenants/tenants";
import { parseSecretKeys } from "@belfry/database/secrets";
import { connectedDatabase } from "@belfry/testing/database";
import { createTenantDirectory } from "./tenant-directory.ts";

const keys = parseSecretKeys(`k1:${randomBytes(32).toString("base64")}`);
const unasked = () => Promise.resolve();

async function setUp(t: test.TestContext) {
  const { db } = await connectedDatabase(t);
  return { db, directory: createTenantDirectory(db, keys) };
}

test("a change of configuration during a look-up fails no request", async (t) => {
  const { db, directory } = await setUp(t);
  const { id, apiKey } = await createTenant(db, { name: "Acme" });
  const found = directory.find(apiKey, unasked);
  const channels = directory.targetChannels(id);
  directory.clear();
  assert.equal((await found)?.id, id);
  assert.deepEqual(await channels, ["global_system"]);
});

test("what is known costs no query until the configuration changes, and is read anew then", async (t) => {
  const { db, directory } = await setUp(t);
  const { id, apiKey } = await createTenant(db, { name: "Acme" });
  const first = await directory.find(apiKey, unasked);
  assert.equal(first?.active, true);
  await setTenantActive(db, id, false);
  assert.equal(await directory.find(apiKey, unasked), first);
  directory.clear();
  assert.equal((await directory.find(apiKey, unasked))?.active, false);
});

test("only a key that was never good has to be let through to the database", async (t) => {
  const { db, directory } = await setUp(t);
  const { apiKey } = await createTenant(db, { name: "Acme" });
  let asked = 0;
  const ask = async () => {
    asked += 1;
  };
  await directory.find(apiKey, ask);
  await directory.find("bf_stranger", ask);
  assert.equal(asked, 2);
  directory.clear();
  await directory.find(apiKey, ask);
  assert.equal(asked, 2);
  assert.equal(await directory.find("bf_stranger", ask), undefined);
  assert.equal(asked, 3);
});
