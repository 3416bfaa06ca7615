import assert from "node:assert/strict";
import { test } from "node:test";
import { assertEach } from "@belfry/testing/assert-each";
import { readConfigurationVersion } from "@belfry/testing/configuration-version";
import type { testDatabase } from "../../test/database.ts";
import { refusedWith, tenantDatabase } from "../../test/database.ts";
import { deleteTranslation, putTemplate } from "../../test/templates.ts";
import { renderTemplate } from "./preview-template.ts";
import { prepareTemplate, savePreparedTemplate } from "./put-template.ts";
import type { TemplateInput } from "./template-input.ts";
import {
  prepareTemplateVersion,
  readTemplateVersion,
  readTemplateVersions,
} from "./template-versions.ts";
import { readTemplate } from "./templates.ts";

const SMS = { eventType: "order.confirmed", channel: "SMS", content: "Order {{id}}" } as const;
const EMAIL = { eventType: "a", channel: "EMAIL", subject: "Hi", content: "<p>Hi</p>" } as const;

async function withTenant(t: Parameters<typeof testDatabase>[0]) {
  const { db, tenantId } = await tenantDatabase(t);
  const put = (input: Omit<TemplateInput, "tenantId">) => putTemplate(db, { ...input, tenantId });
  return { db, tenantId, put };
}

test("the same text once more is no version; other settings hold without one", async (t) => {
  const { db, tenantId, put } = await withTenant(t);
  const { id, updatedAt } = await put({ ...SMS, createdBy: "ann" });
  const again = await put({ ...SMS, createdBy: "bob", sensitive: true, expiresAfterSeconds: 60 });
  assert.deepEqual([again.version, again.savedBy], [1, "ann"]);
  assert.deepEqual([again.sensitive, again.expiresAfterSeconds], [true, 60]);
  assert.equal((await readTemplateVersions(db, { id })).length, 1);
  const before = await readConfigurationVersion(db);
  const other = await put({ ...SMS, content: "Other" });
  assert.equal(other.version, 2);
  assert.ok(other.updatedAt > again.updatedAt && again.updatedAt > updatedAt);
  assert.notEqual(await readConfigurationVersion(db), before);
  const old = await prepareTemplateVersion(db, { id, tenantId }, 1, "eve");
  assert.equal((await savePreparedTemplate(db, old)).output.version, 3);
  assert.equal((await readTemplateVersion(db, { id }, 3)).content, SMS.content);
});

test("what a save leaves out is reset, but for format, sample values and required names, which stay", async (t) => {
  const { put } = await withTenant(t);
  const given = {
    sensitive: true,
    atMostOnce: true,
    expiresAfterSeconds: 60,
    active: false,
    sampleVariables: '{"id": 1}',
    requiredVariables: ["id", "id", "name"],
    format: "html" as const,
  };
  assert.deepEqual((await put({ ...EMAIL, ...given })).requiredVariables, ["id", "name"]);
  const second = await put({ ...EMAIL, content: "plain" });
  assert.deepEqual(
    [second.sensitive, second.atMostOnce, second.expiresAfterSeconds, second.active],
    [false, false, null, true],
  );
  assert.deepEqual(
    [second.sampleVariables, second.requiredVariables, second.format],
    ['{"id": 1}', ["id", "name"], "html"],
  );
  const third = await put({ ...EMAIL, requiredVariables: [], format: "text" });
  assert.deepEqual([third.requiredVariables, third.format], [[], "text"]);
});

test("plain characters are set of short messages alone, for all languages, and shown in previews", async (t) => {
  const { db, put } = await withTenant(t);
  const content = "“{{id}}”";
  const { id, plainCharacters } = await put({ ...SMS, content, plainCharacters: true });
  assert.equal(plainCharacters, true);
  const german = await put({ ...SMS, content: "„{{id}}“", locale: "de" });
  assert.equal(german.plainCharacters, true);
  for (const locale of ["", "de"]) {
    const shown = await renderTemplate(db, { id }, { id: "O’Neil" }, locale);
    assert.ok(shown.kind === "text");
    assert.deepEqual([shown.text, shown.encoding], ['"O\'Neil"', "GSM-7"], locale);
  }
  assert.equal((await put({ ...SMS, content })).plainCharacters, false);
  await refusedWith(put({ ...EMAIL, plainCharacters: true }), /^plainCharacters is of SMS only$/m);
});

test("a translation is a variant of its own, and changes of the settings what it names alone", async (t) => {
  const { db, tenantId, put } = await withTenant(t);
  await refusedWith(put({ ...SMS, locale: "de" }), /^locale has no default variant/);
  await refusedWith(put({ ...SMS, locale: "german" }), /^locale must be a language/);
  await put({ ...SMS, sensitive: true, expiresAfterSeconds: 60, active: false });
  const german = await put({ ...SMS, content: "Bestellung {{id}}", locale: "DE-at" });
  assert.deepEqual(
    [german.version, german.content, german.sensitive, german.expiresAfterSeconds, german.active],
    [2, "Bestellung {{id}}", true, 60, false],
  );
  assert.deepEqual(german.locales, [
    { locale: "de-AT", version: 2, outdated: false, draft: false },
  ]);
  const key = { tenantId, eventType: SMS.eventType, channel: SMS.channel };
  const base = await readTemplate(db, key);
  assert.deepEqual([base.version, base.content], [1, SMS.content]);
  const named = { ...SMS, content: "Anders", locale: "de-AT", expiresAfterSeconds: 90 };
  assert.equal((await put(named)).expiresAfterSeconds, 90);
  const rows = await db
    .selectFrom("template_versions")
    .select((select) => ["version", "locale", select.ref("compiled").as("compiled")])
    .where("template_id", "=", base.id)
    .orderBy("version")
    .execute();
  assertEach(rows, ({ locale, compiled }) => [locale, (compiled as { locale?: string }).locale], [
    ["", undefined],
    ["de-AT", "de-AT"],
    ["de-AT", "de-AT"],
  ]);
});

test("another text of the default marks its translations outdated, until they are saved again", async (t) => {
  const { db, put } = await withTenant(t);
  const { id } = await put(SMS);
  await put({ ...SMS, content: "Bestellung", locale: "de" });
  await put({ ...SMS, content: "Commande", locale: "fr" });
  const outdated = async () =>
    (await readTemplate(db, { id })).locales.map((one) => [one.locale, one.outdated]);
  await put({ ...SMS, sensitive: true });
  assert.deepEqual(await outdated(), [
    ["de", false],
    ["fr", false],
  ]);
  await put({ ...SMS, content: "Your order" });
  assert.deepEqual(await outdated(), [
    ["de", true],
    ["fr", true],
  ]);
  const checked = await put({ ...SMS, content: "Bestellung", locale: "de" });
  assert.equal(checked.version, 2, "the same text is no version");
  // A translation of the previous version does not count as outdated by this one.
  await put({ ...SMS, content: "La commande", locale: "fr", sourceVersion: 1 });
  assert.deepEqual(await outdated(), [
    ["de", false],
    ["fr", true],
  ]);
  await deleteTranslation(db, { id }, "fr");
  assert.deepEqual(await outdated(), [["de", false]]);
});

test("an older version is published again in its own language, as it was written", async (t) => {
  const { db, put } = await withTenant(t);
  const { id } = await put({ ...EMAIL, requiredVariables: ["id"], expiresAfterSeconds: 60 });
  await put({ ...EMAIL, subject: "Hallo", locale: "de" });
  await put({ ...EMAIL, subject: "Servus", locale: "de", format: "text" });
  const old = await prepareTemplateVersion(db, { id }, 2);
  const { output: restored } = await savePreparedTemplate(db, old);
  assert.deepEqual([restored.version, restored.subject, restored.format], [4, "Hallo", "html"]);
  assert.deepEqual([restored.expiresAfterSeconds, restored.requiredVariables], [60, ["id"]]);
  assert.equal((await readTemplate(db, { id })).version, 1);
});

test("what is set while an older version is compiled stays set", async (t) => {
  const { db, put } = await withTenant(t);
  const { id } = await put({ ...SMS, content: "one" });
  await put({ ...SMS, content: "two" });
  const prepared = await prepareTemplateVersion(db, { id }, 1);
  await put({ ...SMS, content: "two", sensitive: true, active: false });
  const { output: restored } = await savePreparedTemplate(db, prepared);
  assert.deepEqual([restored.content, restored.sensitive, restored.active], ["one", true, false]);
});

test("a save over another's is refused, by language", async (t) => {
  const { put } = await withTenant(t);
  await put({ ...SMS, basedOnVersion: 0 });
  await put({ ...SMS, content: "Bestellung", locale: "de", basedOnVersion: 0 });
  await assert.rejects(put({ ...SMS, content: "Mine", locale: "de", basedOnVersion: 1 }), {
    name: "Conflict",
    currentVersion: 2,
  });
  assert.equal((await put({ ...SMS, content: "Now", basedOnVersion: 1 })).version, 3);
});

test("links of a push are kept with its text, and refused elsewhere", async (t) => {
  const { put } = await withTenant(t);
  const push = { eventType: "a", channel: "PUSH", title: "Hi", content: "There" } as const;
  const actions = [
    { label: "Track", url: "https://example.com/{{id}}" },
    { label: "Help", url: "/help" },
  ];
  const saved = await put({ ...push, url: "/orders/{{id}}", actions });
  assert.deepEqual([saved.url, saved.actions], ["/orders/{{id}}", actions]);
  assert.equal((await put({ ...push, url: "/orders/{{id}}", actions })).version, 1);
  const without = await put(push);
  assert.deepEqual([without.version, without.url, without.actions], [2, null, []]);
  const three = [...actions, { label: "x", url: "/x" }];
  await refusedWith(put({ ...push, actions: three }), /^actions must be at most 2/);
  await refusedWith(put({ ...push, url: "http://example.com" }), /^url /);
  await refusedWith(
    put({ ...SMS, url: "/a", actions }),
    /^url is only for PUSH, DEVICE or CHAT\nactions/,
  );
  await refusedWith(put({ ...SMS, format: "html" }), /^format is only for EMAIL/);
  await refusedWith(put({ ...EMAIL, format: "rtf" as "html" }), /^format must be markdown/);
});

test("a compiled template that waited too long finds its default gone, and is refused", async (t) => {
  const { db, tenantId, put } = await withTenant(t);
  const { id } = await put(SMS);
  const prepared = await prepareTemplate(db, { ...SMS, tenantId, locale: "de" });
  await db.deleteFrom("templates").where("id", "=", id).execute();
  await refusedWith(savePreparedTemplate(db, prepared), /^locale has no default/);
});

test("a template is noted once a text, a setting or a condition of it reads `user`, and stays noted", async (t) => {
  const { db, tenantId, put } = await withTenant(t);
  const isNoted = async (eventType: string) => {
    const found = db.selectFrom("templates").select("reads_user").where("tenant_id", "=", tenantId);
    return (await found.where("event_type", "=", eventType).executeTakeFirstOrThrow()).reads_user;
  };
  await put({ ...SMS, eventType: "plain", content: "{{ users }} user {{ a.user }}" });
  assert.equal(await isNoted("plain"), false);
  const reading = {
    text: { ...SMS, content: "{{ user.name }}" },
    whole: { ...SMS, content: "{% for x in user %}{{ x }}{% endfor %}" },
    condition: { ...SMS, content: '{% if a and user.plan == "gold" %}Hi{% endif %}' },
    argument: { ...SMS, content: "{{ a | default: user.name }}" },
    required: { ...SMS, requiredVariables: ["user.name"] },
    from: { ...EMAIL, fromName: "{{ user.agent }}" },
    link: { ...EMAIL, channel: "PUSH", title: "Hi", subject: undefined, url: "{{ user.url }}" },
  } as const;
  for (const [eventType, input] of Object.entries(reading)) {
    await put({ ...input, eventType } as Parameters<typeof put>[0]);
    assert.equal(await isNoted(eventType), true, eventType);
  }
  // A message of the version before may still wait.
  await put({ ...SMS, eventType: "text", content: "no more" });
  assert.equal(await isNoted("text"), true);
});
