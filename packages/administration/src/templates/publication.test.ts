import assert from "node:assert/strict";
import { test } from "node:test";
import type { Database } from "@belfry/database/connection";
import { assertHas } from "@belfry/testing/assert-has";
import { anEvent, aRecipient } from "@belfry/testing/rows";
import { uuidv7 } from "uuidv7";
import { tenantDatabase } from "../../test/database.ts";
import { putTemplate, saveDraft } from "../../test/templates.ts";
import { createTenant, updateTenant } from "../tenants/tenants.ts";
import { countRecentEvents, publication, sampleFromEvents } from "./publication.ts";

const KEY = { eventType: "order", channel: "SMS" } as const;
const HOUR_MS = 60 * 60 * 1000;

/** An event of so long ago. */
async function event(
  db: Database,
  tenantId: string,
  variables: object | null,
  { eventType = "order", agoMs = 0 } = {},
): Promise<void> {
  const at = Date.now() - agoMs;
  const hex = at.toString(16).padStart(12, "0");
  const id = `${hex.slice(0, 8)}-${hex.slice(8)}${uuidv7().slice(13)}`;
  const when = { id, accepted_at: new Date(at) };
  const text = variables && JSON.stringify(variables);
  await anEvent(db, { ...when, tenant_id: tenantId, event_type: eventType, variables: text });
}

test("publishing says first what it changes, for whom, and why nothing of it would be sent", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const key = { ...KEY, tenantId };
  await putTemplate(db, { ...key, content: "one", sensitive: true });
  await putTemplate(db, { ...key, content: "eins", locale: "de" });
  await saveDraft(db, { ...key, content: "two", requiredVariables: ["id"], sensitive: true });
  for (const agoMs of [1000, 23 * HOUR_MS, 25 * HOUR_MS]) await event(db, tenantId, {}, { agoMs });
  await event(db, tenantId, {}, { eventType: "other" });
  const told = await publication(db, key);
  assert.deepEqual(
    [told.changed, told.settings.requiredVariables],
    [["requiredVariables"], ["id"]],
  );
  assert.deepEqual(told.events, { count: 2, complete: true });
  const leftOut = ["the tenant has no active provider for SMS"];
  assertHas(told, { leftOut, outdated: false, faults: [] });

  await updateTenant(db, tenantId, { deliveryChannels: ["PUSH"] });
  await saveDraft(db, { ...key, content: "zwei", locale: "de", basedOnVersion: 1 });
  const german = await publication(db, key, "DE");
  assertHas(german, { changed: [], outdated: true });
  assert.equal(german.leftOut[0], "the tenant may not use SMS");
});

test("publishing says first why it would be refused: by the settings, then by the text", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const key = { ...KEY, tenantId };
  const faults = async (more: object, author = { mayShareSensitive: true }) => {
    await saveDraft(db, { ...key, content: "{{ code", ...more });
    const told = await publication(db, key, "", author);
    return told.faults.map(({ field, message }) => `${field} ${message}`);
  };
  const [first, ...more] = await faults({ targetChannel: "a", digest: { windowSeconds: 0 } });
  assert.equal(first, "targetChannel is only for PUSH");
  assert.deepEqual(more, ["digest windowSeconds must be an integer from 1 to 604800"]);
  assert.match(String(await faults({})), /^content line 1, column 1: /);
  await putTemplate(db, { ...key, content: "1", sensitive: true });
  const isNotSensitive = { content: "2", sensitive: false };
  assert.deepEqual(await faults(isNotSensitive), []);
  assert.match(
    String(await faults(isNotSensitive, { mayShareSensitive: false })),
    /^sensitive can be switched off only by an owner/,
  );
});

test("sample values are those of the newest event of the type that has any, of this tenant alone", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const other = await createTenant(db, { name: "Other" });
  const sample = (eventType = "order") => sampleFromEvents(db, tenantId, eventType);
  assert.equal(await sample(), undefined);
  await event(db, other.id, { of: "another tenant" });
  await event(db, tenantId, { n: 1 }, { agoMs: 3000 });
  await event(db, tenantId, { n: 2 }, { agoMs: 2000 });
  await event(db, tenantId, null, { agoMs: 1000 });
  await event(db, tenantId, { n: 3 }, { eventType: "other" });
  assert.deepEqual(await sample(), { n: 2 });
  const attributes = '{"name":"Ann"}';
  for (const tenant_id of [tenantId, other.id]) await aRecipient(db, { tenant_id, attributes });
  await db.updateTable("events").set({ user_id: "ann" }).execute();
  assert.deepEqual(await sample(), { n: 2, user: { name: "Ann" } });
  assert.equal(await sample("unknown"), undefined);
  assert.deepEqual(await countRecentEvents(db, "platform", "order"), { count: 4, complete: true });
});

test("no sample is of an event that a sensitive template is for, or was for when it came", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  await event(db, tenantId, { code: "123456" }, { agoMs: 1000 });
  const key = { ...KEY, tenantId };
  await putTemplate(db, { ...key, channel: "EMAIL", subject: "s", content: "c" });
  assert.deepEqual(await sampleFromEvents(db, tenantId, "order"), { code: "123456" });
  await putTemplate(db, { ...key, content: "{{code}}", sensitive: true });
  assert.equal(await sampleFromEvents(db, tenantId, "order"), undefined);
  await putTemplate(db, { ...key, content: "{{code}}" });
  assert.equal(await sampleFromEvents(db, tenantId, "order"), undefined);
  await event(db, tenantId, { code: "later" }, { agoMs: -HOUR_MS });
  assert.deepEqual(await sampleFromEvents(db, tenantId, "order"), { code: "later" });
});

test("no sample is of an event that was dispatched as sensitive, also when its template is gone", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  await event(db, tenantId, { code: "123456" });
  const { id } = await db.selectFrom("events").select("id").executeTakeFirstOrThrow();
  assert.deepEqual(await sampleFromEvents(db, tenantId, "order"), { code: "123456" });
  await db.insertInto("sensitive_events").values({ event_id: id }).execute();
  assert.equal(await sampleFromEvents(db, tenantId, "order"), undefined);
});
