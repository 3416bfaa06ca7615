import assert from "node:assert/strict";
import { test } from "node:test";
import { findTargetChannels } from "@belfry/database/template-channels";
import { assertEach } from "@belfry/testing/assert-each";
import { assertHas } from "@belfry/testing/assert-has";
import { readConfigurationVersion } from "@belfry/testing/configuration-version";
import { refusal, tenantDatabase, type testDatabase } from "../../test/database.ts";
import {
  copyTemplate,
  deleteTranslation,
  discardDraft,
  publishDraft,
  putTemplate,
  saveDraft,
  setTemplateActive,
} from "../../test/templates.ts";
import { Conflict, NotFound } from "../input-error.ts";
import { createTenant } from "../tenants/tenants.ts";
import { type DraftInput, prepareDraft, readDraft } from "./drafts.ts";
import { renderTemplate } from "./preview-template.ts";
import { savePreparedTemplate } from "./put-template.ts";
import { readTemplate, readTemplates } from "./templates.ts";

const KEY = { eventType: "order.confirmed", channel: "SMS" } as const;
const SMS = { ...KEY, content: "Order {{id}}" };
const PUSH = { eventType: "a", channel: "PUSH", title: "Hi", content: "There" } as const;

async function withTenant(t: Parameters<typeof testDatabase>[0]) {
  const { db, tenantId } = await tenantDatabase(t);
  const draft = (input: Omit<DraftInput, "tenantId">) => saveDraft(db, { ...input, tenantId });
  const put = (content: string, locale = "") =>
    putTemplate(db, { ...KEY, content, locale, tenantId });
  return { db, tenantId, draft, put, key: { ...KEY, tenantId } };
}

const conflict = (version: number) => ({ name: "Conflict", currentVersion: version });

test("a draft is in force nowhere, also the first one of a template, until it is published", async (t) => {
  const { db, tenantId, draft, key } = await withTenant(t);
  const before = await readConfigurationVersion(db);
  await draft({ ...PUSH, targetChannel: "orders" });
  await draft({ ...SMS, createdBy: "ann", sensitive: true, requiredVariables: ["id"] });
  assert.equal(await readConfigurationVersion(db), before);
  assert.deepEqual(await findTargetChannels(db, tenantId), ["global_system"]);
  const shown = await readTemplate(db, key);
  assertHas(shown, { version: 0, content: "", hasDraft: true, sensitive: false, variables: [] });
  assert.equal((await readTemplates(db, tenantId)).length, 2);
  await assert.rejects(renderTemplate(db, key, {}), NotFound);
  const published = await publishDraft(db, key, "bob");
  assert.deepEqual(
    [published.version, published.content, published.sensitive, published.requiredVariables],
    [1, "Order {{id}}", true, ["id"]],
  );
  assert.deepEqual([published.hasDraft, published.savedBy], [false, "bob"]);
  assert.notEqual(await readConfigurationVersion(db), before);
  await assert.rejects(readDraft(db, key), NotFound);
  await assert.rejects(publishDraft(db, key), NotFound);
});

test("a draft keeps what is faulty, with its settings, and publishing says where", async (t) => {
  const { db, draft, key } = await withTenant(t);
  const typed = {
    ...{ ...SMS, content: "Hello\n{{ id", expiresAfterSeconds: -1, sampleVariables: "{" },
    ...{ title: "not of an SMS", url: "javascript:", actions: [{ label: "", url: "" }] },
  };
  await draft(typed);
  const kept = await readDraft(db, key);
  assert.deepEqual(
    [kept.content, kept.title, kept.url, kept.actions],
    [typed.content, typed.title, typed.url, typed.actions],
  );
  assert.deepEqual(kept.settings, { expiresAfterSeconds: -1, sampleVariables: "{" });
  const fields = (await refusal(publishDraft(db, key))).faults.map(({ field }) => field);
  assert.deepEqual(fields, ["expiresAfterSeconds", "sampleVariables", "title", "url", "actions"]);
  await draft({ ...SMS, content: "Hello\n{{ id" });
  await assert.rejects(publishDraft(db, key), /content line 2, column 1: /);
  assert.equal((await readTemplate(db, key)).version, 0);
});

test("what a draft cannot keep is refused by name", async (t) => {
  const { draft } = await withTenant(t);
  const refused = async (more: Partial<DraftInput>, field: string) => {
    const { faults } = await refusal(draft({ ...SMS, ...more }));
    assertEach(faults, (fault) => fault.field, [field]);
  };
  await refused({ content: "a".repeat(256 * 1024 + 1) }, "content");
  await refused({ content: "\u0000" }, "content");
  await refused({ subject: "\ud800" }, "subject");
  await refused({ title: "a".repeat(8193) }, "title");
  await refused({ sampleVariables: "a".repeat(256 * 1024 + 1) }, "sampleVariables");
  await refused({ locale: "x" }, "locale");
  await refused({ eventType: "global.info" }, "eventType");
  await refused({ format: "rtf" as "html" }, "format");
  await refused({ actions: Array(11).fill({ label: "a", url: "b" }) }, "actions");
  await refused({ requiredVariables: ["\u0000"] }, "requiredVariables");
});

test("of two people the second one's draft is refused, and neither's text is lost", async (t) => {
  const { db, draft, key } = await withTenant(t);
  const first = await draft({ ...SMS, revision: 0 });
  await assert.rejects(draft({ ...SMS, revision: 0 }), conflict(first.revision));
  const second = await draft({ ...SMS, content: "Hers", revision: first.revision });
  await assert.rejects(
    draft({ ...SMS, content: "His", revision: first.revision }),
    conflict(second.revision),
  );
  assert.equal((await readDraft(db, key)).content, "Hers");
  await assert.rejects(
    publishDraft(db, { ...key, revision: first.revision }),
    conflict(second.revision),
  );
  await assert.rejects(discardDraft(db, key, first.revision), conflict(second.revision));
  await publishDraft(db, { ...key, revision: second.revision });
  // A revision is never used again: an editor that was left open cannot write over a later draft.
  const third = await draft({ ...SMS, content: "Next", revision: 0 });
  assert.ok(third.revision > second.revision);
});

test("a draft that was changed while it was compiled is not published", async (t) => {
  const { db, draft, key } = await withTenant(t);
  await draft(SMS);
  const prepared = await prepareDraft(db, key);
  const { revision } = await draft({ ...SMS, content: "Later" });
  await assert.rejects(savePreparedTemplate(db, prepared), conflict(revision));
  assert.equal((await readDraft(db, key)).content, "Later");
  assert.equal((await readTemplate(db, key)).version, 0);
});

test("a draft that began before another version was published is not put over it", async (t) => {
  const { db, draft, put, key } = await withTenant(t);
  await put("one");
  await draft({ ...SMS, content: "mine" });
  await put("two");
  await draft({ ...SMS, content: "mine, longer" });
  await assert.rejects(publishDraft(db, key), conflict(2));
  await draft({ ...SMS, content: "mine, with hers", basedOnVersion: 2 });
  assert.equal((await publishDraft(db, key)).version, 3);
});

test("drafts of languages are apart, and a translation remembers what it was made from", async (t) => {
  const { db, draft, put, key } = await withTenant(t);
  await put("one");
  await draft({ ...SMS, content: "eins", locale: "de" });
  await draft({ ...SMS, content: "new one" });
  assert.deepEqual((await readTemplate(db, key)).locales, [
    { locale: "de", version: 0, outdated: false, draft: true },
  ]);
  assert.equal((await readDraft(db, { ...key, locale: "DE" })).content, "eins");
  await publishDraft(db, key);
  const german = await publishDraft(db, { ...key, locale: "de" });
  assert.deepEqual(german.locales, [{ locale: "de", version: 3, outdated: true, draft: false }]);
  await draft({ ...SMS, content: "neu eins", locale: "de" });
  const newer = await publishDraft(db, { ...key, locale: "de" });
  assert.deepEqual(newer.locales, [{ locale: "de", version: 4, outdated: false, draft: false }]);
});

test("a discarded draft is gone, and with it a template that had nothing else", async (t) => {
  const { db, tenantId, draft, put, key } = await withTenant(t);
  await draft(SMS);
  assert.equal((await discardDraft(db, key)).content, SMS.content);
  assert.deepEqual(await readTemplates(db, tenantId), []);
  await put("one");
  await draft({ ...SMS, locale: "de" });
  await discardDraft(db, { ...key, locale: "de" });
  assert.equal((await readTemplate(db, key)).version, 1);
  await assert.rejects(discardDraft(db, key), NotFound);
});

test("a translation that is taken away takes its draft with it, and no other", async (t) => {
  const { db, draft, put, key } = await withTenant(t);
  const { id } = await put("one");
  await put("eins", "de");
  for (const locale of ["de", "fr", ""]) await draft({ ...SMS, locale });
  const left = await deleteTranslation(db, { id }, "de");
  assert.deepEqual(left.locales, [{ locale: "fr", version: 0, outdated: false, draft: true }]);
  assert.deepEqual([left.version, left.hasDraft], [1, true]);
  await assert.rejects(readDraft(db, { ...key, locale: "de" }), NotFound);
});

test("a template is copied in all languages as drafts, with what is set for them", async (t) => {
  const { db, tenantId, draft, key } = await withTenant(t);
  const other = await createTenant(db, { name: "Other" });
  const input = { ...SMS, tenantId, sensitive: true, requiredVariables: ["id"] };
  await putTemplate(db, { ...input, sampleVariables: '{"id": "1"}', expiresAfterSeconds: 60 });
  await putTemplate(db, { ...KEY, tenantId, content: "Bestellung", locale: "de" });
  await draft({ ...KEY, content: "being written", locale: "fr" });
  const to = { tenantId: other.id, eventType: "order.sent", createdBy: "ann" };
  const copy = await copyTemplate(db, key, to);
  assert.deepEqual(
    [copy.tenantId, copy.eventType, copy.channel, copy.version, copy.hasDraft],
    [other.id, "order.sent", "SMS", 0, true],
  );
  assertEach(copy.locales, (one) => [one.locale, one.version, one.draft], [
    ["de", 0, true],
    ["fr", 0, true],
  ]);
  const published = await publishDraft(db, { id: copy.id });
  assertHas(published, { content: SMS.content, sensitive: true, requiredVariables: ["id"] });
  assert.deepEqual([published.sampleVariables, published.expiresAfterSeconds], ['{"id": "1"}', 60]);
  const german = await publishDraft(db, { id: copy.id, locale: "de" });
  assert.deepEqual([german.content, german.locales[0]?.outdated], ["Bestellung", false]);
  // Drafts that are there are somebody's work: nothing is changed.
  await assert.rejects(copyTemplate(db, key, to), Conflict);
  assert.equal((await readTemplate(db, { id: copy.id })).hasDraft, false);
  const platform = { tenantId: "platform", eventType: "order.sent" };
  await assert.rejects(copyTemplate(db, key, platform), /eventType must begin with global\./);
  await assert.rejects(copyTemplate(db, key, { ...to, tenantId: "nobody" }), NotFound);
});

test("a copy of what was never published is as sensitive as its draft", async (t) => {
  const { db, tenantId, draft, key } = await withTenant(t);
  await draft({ ...SMS, sensitive: true, expiresAfterSeconds: 60 });
  const copy = await copyTemplate(db, key, { tenantId, eventType: "order.sent" });
  const published = await publishDraft(db, { id: copy.id });
  assert.deepEqual([published.sensitive, published.expiresAfterSeconds], [true, 60]);
});

test("a template that is switched off while its draft is compiled stays off", async (t) => {
  const { db, draft, key } = await withTenant(t);
  await draft(SMS);
  const prepared = await prepareDraft(db, key);
  await setTemplateActive(db, key, false);
  const { output: saved } = await savePreparedTemplate(db, prepared);
  assert.deepEqual([saved.version, saved.active], [1, false]);
});
