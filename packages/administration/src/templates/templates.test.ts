import assert from "node:assert/strict";
import { test } from "node:test";
import { OWN_MAIL } from "@belfry/contracts/alerts";
import type { Database } from "@belfry/database/connection";
import { readConfigurationVersion } from "@belfry/testing/configuration-version";
import { sql } from "kysely";
import { refusal, tenantDatabase, testDatabase } from "../../test/database.ts";
import { deleteTemplate, putTemplate, setTemplateActive } from "../../test/templates.ts";
import { NotFound } from "../input-error.ts";
import { createTenant } from "../tenants/tenants.ts";
import { previewSource, renderTemplate } from "./preview-template.ts";
import type { TemplateInput } from "./template-input.ts";
import { templatesOfTenant } from "./template-rows.ts";
import { readTemplate, readTemplates } from "./templates.ts";

const SMS = { eventType: "order.confirmed", channel: "SMS", content: "Order {{id}}" } as const;

const faultsOf = async (db: Database, input: TemplateInput) =>
  (await refusal(putTemplate(db, input))).faults.map(({ field }) => field);

test("every save is a version of one template, and the last one is current and compiled", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const first = await putTemplate(db, { ...SMS, tenantId });
  const second = await putTemplate(db, { ...SMS, tenantId, content: "Now {{id}} and {{name}}" });
  assert.deepEqual([first.version, second.version, second.id], [1, 2, first.id]);
  assert.deepEqual(second.variables, ["id", "name"]);
  assert.equal((await readTemplate(db, { id: first.id })).content, "Now {{id}} and {{name}}");
  assert.equal((await readTemplates(db, tenantId)).length, 1);
  const versions = await db
    .selectFrom("template_versions")
    .select(["version", "content"])
    .where("template_id", "=", first.id)
    .orderBy("version")
    .execute();
  assert.deepEqual(versions, [
    { version: 1, content: "Order {{id}}" },
    { version: 2, content: "Now {{id}} and {{name}}" },
  ]);
});

test("saves of one template at the same time each become a version", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const saved = await Promise.all(
    [1, 2, 3, 4].map((n) => putTemplate(db, { ...SMS, tenantId, content: `${n}` })),
  );
  assert.equal(new Set(saved.map((template) => template.id)).size, 1);
  const { n } = await db
    .selectFrom("template_versions")
    .select((select) => select.fn.max("version").as("n"))
    .where("template_id", "=", saved[0]!.id)
    .executeTakeFirstOrThrow();
  assert.equal(n, 4);
});

test("a fault in the text is refused with its place, and nothing is saved", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const version = await readConfigurationVersion(db);
  const content = "Hello\n{{ name";
  const [fault] = (await refusal(putTemplate(db, { ...SMS, tenantId, content }))).faults;
  assert.deepEqual([fault?.field, fault?.line, fault?.column], ["content", 2, 1]);
  assert.match(fault!.message, /^line 2, column 1: /);
  assert.deepEqual(await readTemplates(db, tenantId), []);
  assert.equal(await readConfigurationVersion(db), version);
});

test("parts that are missing or out of place are all named", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const email = { tenantId, eventType: "a", channel: "EMAIL", content: "x" } as const;
  assert.deepEqual(await faultsOf(db, email), ["subject"]);
  assert.deepEqual(
    await faultsOf(db, { ...email, subject: "s", title: "t", targetChannel: "orders" }),
    ["targetChannel", "title"],
  );
  const push = { ...email, channel: "PUSH", targetChannel: "a#b" } as const;
  assert.deepEqual(await faultsOf(db, push), ["targetChannel", "title"]);
  assert.deepEqual(await faultsOf(db, { ...SMS, tenantId, eventType: "a\u0007" }), ["eventType"]);
});

test("event types of global.* are the platform's, and no others are", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  assert.deepEqual(await faultsOf(db, { ...SMS, tenantId, eventType: "global.info" }), [
    "eventType",
  ]);
  assert.deepEqual(await faultsOf(db, { ...SMS, tenantId: "platform" }), ["eventType"]);
  const edited = await putTemplate(db, { ...SMS, tenantId: "platform", eventType: "global.info" });
  assert.equal(edited.version, 2);
  await assert.rejects(putTemplate(db, { ...SMS, tenantId: "nobody" }), NotFound);
  await assert.rejects(readTemplates(db, "nobody"), NotFound);
});

test("a template is found by its key or its id, and never in another tenant", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const other = await createTenant(db, { name: "Other" });
  const { id } = await putTemplate(db, { ...SMS, tenantId });
  const { content: _, ...key } = { ...SMS, tenantId };
  assert.equal((await setTemplateActive(db, key, false)).active, false);
  assert.equal((await readTemplate(db, { id, tenantId })).active, false);
  await assert.rejects(readTemplate(db, { id, tenantId: other.id }), NotFound);
  await assert.rejects(readTemplate(db, { ...key, tenantId: other.id }), NotFound);
  await assert.rejects(readTemplate(db, { id: "not-an-id" }), NotFound);
  assert.equal((await deleteTemplate(db, key)).id, id);
  await assert.rejects(readTemplate(db, { id }), NotFound);
});

test("a template of a channel that only a later version knows is in no list, and the others are", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const { id } = await putTemplate(db, { ...SMS, tenantId });
  await sql`update templates set channel = 'FAX' where id = ${id}`.execute(db);
  await assert.rejects(readTemplate(db, { id, tenantId }), NotFound);
  await putTemplate(db, { ...SMS, tenantId });
  assert.deepEqual(
    (await readTemplates(db, tenantId)).map(({ channel }) => channel),
    ["SMS"],
  );
});

test("a preview renders what was saved, and names the variables that are missing", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const content = "<h1>{{name}}</h1>";
  const input = {
    tenantId,
    eventType: "a",
    channel: "EMAIL",
    content,
    subject: "Hi {{x}}",
  } as const;
  const { id } = await putTemplate(db, input);
  const saved = await renderTemplate(db, { id }, { name: "<b>" });
  assert.ok(saved.kind === "email");
  assert.equal(saved.channel, "EMAIL");
  assert.match(saved.html, /<h1>&lt;b&gt;<\/h1>/);
  assert.deepEqual([saved.subject, saved.missing], ["Hi ", ["x"]]);
  assert.deepEqual(await previewSource(db, tenantId, input, { name: "<b>" }), saved);
});

test("the platform has all five global types on all three channels, rendered with title and message", async (t) => {
  const db = await testDatabase(t);
  const all = await readTemplates(db, "platform");
  const own: readonly string[] = Object.values(OWN_MAIL);
  const templates = all.filter(({ eventType }) => !own.includes(eventType));
  assert.equal(templates.length, 15);
  for (const { id, channel, targetChannel, active } of templates) {
    assert.ok(active);
    if (channel === "PUSH") assert.equal(targetChannel, "global_system");
    const shown = await renderTemplate(db, { id }, { title: "Tea & cake", message: "At four" });
    assert.deepEqual(shown.missing, []);
    const text = JSON.stringify(shown);
    assert.match(text, /Tea (&|&amp;) cake/);
    assert.match(text, /At four/);
  }
});

test("nothing is compiled within a transaction: a connection would be held meanwhile", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const inside = db.transaction().execute((open) => putTemplate(open, { ...SMS, tenantId }));
  await assert.rejects(inside, /compiled before the transaction/);
});

test("a list reads neither texts nor what they are compiled to: together they may be large", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const content = `# {{id}} ${"x".repeat(100_000)}`;
  const mail = { channel: "EMAIL", subject: "{{n}}", format: "markdown", content } as const;
  const saved = await putTemplate(db, { tenantId, eventType: "order.confirmed", ...mail });
  assert.ok(JSON.stringify(await templatesOfTenant(db, tenantId)).length < 2000);
  const [listed] = await readTemplates(db, tenantId);
  assert.deepEqual([listed?.variables, listed?.format], [saved.variables, "markdown"]);
  assert.deepEqual([...saved.variables].sort(), ["id", "n"]);
});
