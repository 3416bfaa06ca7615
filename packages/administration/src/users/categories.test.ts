import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfigurationVersion } from "@belfry/database/configuration-version";
import { InvalidInput, NotFound } from "../input-error.ts";
import { tenantDatabase } from "../test-database.ts";
import { refusedWith } from "../test-refusals.ts";
import { assignCategory, deleteCategory, listCategories, putCategory } from "./categories.ts";

const offers = { key: "offers", label: { "": "Offers" } };

test("a category is made with defaults, and a change leaves what it does not name", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const version = await readConfigurationVersion(db);
  const made = await putCategory(db, { tenantId, ...offers });
  assert.deepEqual(made, {
    ...{ ...offers, description: {}, required: false, defaultOn: true, position: 0 },
    eventTypes: [],
  });
  assert.notEqual(await readConfigurationVersion(db), version);
  await putCategory(db, { tenantId, key: "security", label: { "": "Security" }, required: true });
  await putCategory(db, {
    ...{ tenantId, key: "offers", label: { DE: "Angebote" }, description: { "": "Twice a month" } },
    ...{ defaultOn: false, position: 7 },
  });
  const changed = await putCategory(db, { tenantId, key: "offers", label: { fr: "Offres" } });
  assert.deepEqual(changed, {
    ...{ key: "offers", label: { "": "Offers", de: "Angebote", fr: "Offres" } },
    ...{ description: { "": "Twice a month" }, required: false, defaultOn: false, position: 7 },
    eventTypes: [],
  });
  const fewer = await putCategory(db, { tenantId, key: "offers", label: { de: "" } });
  assert.deepEqual(fewer.label, { "": "Offers", fr: "Offres" });
  const keys = (await listCategories(db, tenantId)).map(({ key }) => key);
  assert.deepEqual(keys, ["security", "offers"]);
});

test("an event type belongs to one category at most, and a category is not deleted under one", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  await putCategory(db, { tenantId, ...offers });
  await putCategory(db, { tenantId, key: "news", label: { "": "News" } });
  await assignCategory(db, { tenantId, eventType: "sale.began", category: "news" });
  await assignCategory(db, { tenantId, eventType: "sale.began", category: "offers" });
  const types = async () =>
    (await listCategories(db, tenantId)).map(({ key, eventTypes }) => [key, eventTypes]);
  assert.deepEqual(await types(), [
    ["news", []],
    ["offers", ["sale.began"]],
  ]);
  await assert.rejects(deleteCategory(db, { tenantId, key: "offers" }), /sale\.began/);
  await assignCategory(db, { tenantId, eventType: "sale.began", category: null });
  assert.equal((await deleteCategory(db, { tenantId, key: "offers" })).key, "offers");
  assert.deepEqual(await types(), [["news", []]]);
});

test("every fault of a category is told, naming what is wrong, and nothing is stored", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const put = (input: object) => putCategory(db, { tenantId, ...offers, ...input });
  await refusedWith(put({ key: "Offers!" }), /^key must be 1 to 64/);
  await refusedWith(put({ key: "*" }), /^key must be/);
  await refusedWith(put({ label: { de: "Angebote" } }), /^label must name the category/);
  await refusedWith(put({ label: { "": "x".repeat(65) } }), /^label must be at most 64/);
  await refusedWith(put({ label: { "": "a\u0000" } }), /^label must not contain control/);
  await refusedWith(put({ label: { "": "a", "not a language": "b" } }), /^label \(not a lang/);
  await refusedWith(put({ description: { de: "x".repeat(256) } }), /^description \(de\) must/);
  await refusedWith(put({ position: -1 }), /^position must be an integer from 0/);
  assert.deepEqual(await listCategories(db, tenantId), []);
  await assert.rejects(putCategory(db, { tenantId: "none", ...offers }), NotFound);
  await assert.rejects(listCategories(db, "none"), NotFound);
  await assert.rejects(
    assignCategory(db, { tenantId, eventType: "a", category: "offers" }),
    NotFound,
  );
  await assert.rejects(
    assignCategory(db, { tenantId, eventType: "", category: null }),
    InvalidInput,
  );
});

test("a tenant has a hundred categories at most", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const of = { tenant_id: tenantId, label: '{"": "C"}', description: "{}" };
  const rows = Array.from({ length: 100 }, (_, n) => ({ ...of, key: `c${n}` }));
  await db.insertInto("categories").values(rows).execute();
  await assert.rejects(putCategory(db, { tenantId, ...offers }), /one more than the 100/);
  await putCategory(db, { tenantId, key: "c1", label: { "": "Changed" } });
});

test("who makes a category does not write over another, and who changes one does not bring it back", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  await assert.rejects(putCategory(db, { tenantId, ...offers, only: "known" }), NotFound);
  await putCategory(db, { tenantId, ...offers, only: "new" });
  const again = putCategory(db, { tenantId, key: "offers", label: { "": "Else" }, only: "new" });
  await assert.rejects(again, /key is that of another category/);
  assert.deepEqual((await listCategories(db, tenantId))[0]?.label, { "": "Offers" });
});
