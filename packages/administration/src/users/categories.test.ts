import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfigurationVersion } from "@belfry/testing/configuration-version";
import { sql } from "kysely";
import { actsIn } from "../../test/acts.ts";
import { refusedWith, tenantDatabase } from "../../test/database.ts";
import { InvalidInput, NotFound } from "../input-error.ts";
import {
  assignCategory,
  deleteCategory,
  listCategories,
  moveCategory,
  putCategory,
} from "./categories.ts";

const offers = { key: "offers", label: { "": "Offers" } };

test("a category is made with defaults, and a change leaves what it does not name", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const run = actsIn(db, tenantId);
  const version = await readConfigurationVersion(db);
  const made = await run(putCategory, { ...offers });
  assert.deepEqual(made, {
    ...{ ...offers, description: {}, required: false, defaultOn: true, position: 0 },
    eventTypes: [],
  });
  assert.notEqual(await readConfigurationVersion(db), version);
  await run(putCategory, { key: "security", label: { "": "Security" }, required: true });
  await run(putCategory, {
    ...{ key: "offers", label: { DE: "Angebote" }, description: { "": "Twice a month" } },
    ...{ defaultOn: false, position: 7 },
  });
  const changed = await run(putCategory, { key: "offers", label: { fr: "Offres" } });
  assert.deepEqual(changed, {
    ...{ key: "offers", label: { "": "Offers", de: "Angebote", fr: "Offres" } },
    ...{ description: { "": "Twice a month" }, required: false, defaultOn: false, position: 7 },
    eventTypes: [],
  });
  const fewer = await run(putCategory, { key: "offers", label: { de: "" } });
  assert.deepEqual(fewer.label, { "": "Offers", fr: "Offres" });
  const keys = (await run(listCategories, {})).map(({ key }) => key);
  assert.deepEqual(keys, ["security", "offers"]);
});

test("a category moves to a place among the others, also where their positions were the same", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const run = actsIn(db, tenantId);
  for (const key of ["a", "b", "c"]) await run(putCategory, { key, label: { "": key } });
  await run(assignCategory, { eventType: "sale", category: "b" });
  const move = async (key: string, place: number) =>
    (await run(moveCategory, { key, place })).map((one) => `${one.key} ${one.position}`);
  const version = await readConfigurationVersion(db);
  assert.deepEqual(await move("c", 1), ["c 0", "a 1", "b 2"]);
  assert.notEqual(await readConfigurationVersion(db), version);
  assert.deepEqual(await move("c", 2), ["a 0", "c 1", "b 2"]);
  assert.deepEqual(await move("a", 100), ["c 0", "b 1", "a 2"]);
  assert.deepEqual(await move("a", 3), ["c 0", "b 1", "a 2"]);
  const stored = await run(listCategories, {});
  assert.deepEqual(
    stored.map((one) => [one.key, one.position, one.eventTypes.length]),
    [
      ["c", 0, 0],
      ["b", 1, 1],
      ["a", 2, 0],
    ],
  );
  const { rows } = await sql<{ target: string; after: object }>`
    select target, after from audit_log where action = 'category.move' order by id`.execute(db);
  assert.deepEqual(
    rows.map(({ target, after }) => [target, after]),
    [
      ["c", { place: 1 }],
      ["c", { place: 2 }],
      ["a", { place: 3 }],
    ],
    "what moves nothing is no entry",
  );
  await refusedWith(run(moveCategory, { key: "a", place: 0 }), /^place must be/);
  await assert.rejects(run(moveCategory, { key: "d", place: 1 }), NotFound);
});

test("an event type belongs to one category at most, and a category is not deleted under one", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const run = actsIn(db, tenantId);
  await run(putCategory, { ...offers });
  await run(putCategory, { key: "news", label: { "": "News" } });
  await run(assignCategory, { eventType: "sale.began", category: "news" });
  await run(assignCategory, { eventType: "sale.began", category: "offers" });
  const types = async () =>
    (await run(listCategories, {})).map(({ key, eventTypes }) => [key, eventTypes]);
  assert.deepEqual(await types(), [
    ["news", []],
    ["offers", ["sale.began"]],
  ]);
  await assert.rejects(run(deleteCategory, { key: "offers" }), /sale\.began/);
  await run(assignCategory, { eventType: "sale.began", category: null });
  assert.equal((await run(deleteCategory, { key: "offers" })).key, "offers");
  assert.deepEqual(await types(), [["news", []]]);
});

test("every fault of a category is told, naming what is wrong, and nothing is stored", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const run = actsIn(db, tenantId);
  const put = (input: object) => run(putCategory, { ...offers, ...input });
  await refusedWith(put({ key: "Offers!" }), /^key must be 1 to 64/);
  await refusedWith(put({ key: "*" }), /^key must be/);
  await refusedWith(put({ label: { de: "Angebote" } }), /^label must name the category/);
  await refusedWith(put({ label: { "": "x".repeat(65) } }), /^label must be at most 64/);
  await refusedWith(put({ label: { "": "a\u0000" } }), /^label must not contain control/);
  await refusedWith(put({ label: { "": "a", "not a language": "b" } }), /^label \(not a lang/);
  await refusedWith(put({ description: { de: "x".repeat(256) } }), /^description \(de\) must/);
  await refusedWith(put({ position: -1 }), /^position must be an integer from 0/);
  assert.deepEqual(await run(listCategories, {}), []);
  await assert.rejects(actsIn(db, "none")(putCategory, { ...offers }), NotFound);
  await assert.rejects(actsIn(db, "none")(listCategories, {}), NotFound);
  await assert.rejects(run(assignCategory, { eventType: "a", category: "offers" }), NotFound);
  await assert.rejects(run(assignCategory, { eventType: "", category: null }), InvalidInput);
});

test("a tenant has a hundred categories at most", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const run = actsIn(db, tenantId);
  const of = { tenant_id: tenantId, label: '{"": "C"}', description: "{}" };
  const rows = Array.from({ length: 100 }, (_, n) => ({ ...of, key: `c${n}` }));
  await db.insertInto("categories").values(rows).execute();
  await assert.rejects(run(putCategory, { ...offers }), /one more than the 100/);
  await run(putCategory, { key: "c1", label: { "": "Changed" } });
});

test("who makes a category does not write over another, and who changes one does not bring it back", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const run = actsIn(db, tenantId);
  await assert.rejects(run(putCategory, { ...offers, only: "known" }), NotFound);
  await run(putCategory, { ...offers, only: "new" });
  const again = run(putCategory, { key: "offers", label: { "": "Else" }, only: "new" });
  await assert.rejects(again, /key is that of another category/);
  assert.deepEqual((await run(listCategories, {}))[0]?.label, { "": "Offers" });
});
