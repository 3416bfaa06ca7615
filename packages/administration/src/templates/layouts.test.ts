import assert from "node:assert/strict";
import { test } from "node:test";
import { assertEach } from "@belfry/testing/assert-each";
import { assertHas } from "@belfry/testing/assert-has";
import { readConfigurationVersion } from "@belfry/testing/configuration-version";
import { untilBlocked } from "@belfry/testing/until-blocked";
import { actsIn } from "../../test/acts.ts";
import { refusal, tenantDatabase, testDatabase } from "../../test/database.ts";
import {
  deleteTranslation,
  putLayout,
  putTemplate,
  removeLayout,
  saveDraft,
} from "../../test/templates.ts";
import { deleteTenant } from "../erasure/delete-tenant.ts";
import { NotFound, StaleCompilation } from "../input-error.ts";
import { createTenant, updateTenant } from "../tenants/tenants.ts";
import { readDraft } from "./drafts.ts";
import { readLayout, readLayoutVersion, readLayoutVersions, restoreLayout } from "./layouts.ts";
import { previewSource, renderTemplate } from "./preview-template.ts";
import { type LayoutInput, prepareLayout, savePreparedLayout } from "./publish-layout.ts";
import { prepareTemplate, savePreparedTemplate } from "./put-template.ts";
import { prepareTemplateVersion, readTemplateVersions } from "./template-versions.ts";
import { readTemplate } from "./templates.ts";

const MAIL = { eventType: "order", channel: "EMAIL", subject: "Your order" } as const;
const MARKDOWN = { ...MAIL, content: "# Order {{ id }}", format: "markdown" } as const;
const layoutOf = (words: string) =>
  `<mjml><mj-body><mj-section><mj-column><mj-text>${words}</mj-text>{{ $content }}</mj-column></mj-section></mj-body></mjml>`;

async function withTenant(t: Parameters<typeof testDatabase>[0]) {
  const db = await testDatabase(t);
  const { id: tenantId } = await createTenant(db, { name: "Acme & Sons" });
  const put = (input: Omit<LayoutInput, "tenantId">) => putLayout(db, { ...input, tenantId });
  const html = async (id: string, locale = "") => {
    const shown = await renderTemplate(db, { id }, { id: "A-1" }, locale);
    assert.ok(shown.kind === "email");
    return shown.html;
  };
  return { db, tenantId, put, html };
}

test("a Markdown mail is set in the platform's layout with the tenant's name, then in its own", async (t) => {
  const { db, tenantId, put, html } = await withTenant(t);
  const { id, format } = await putTemplate(db, { ...MARKDOWN, tenantId });
  assert.equal(format, "markdown");
  assert.match(await html(id), /Acme &amp; Sons[\s\S]*Order A-1/);
  const before = await readConfigurationVersion(db);
  const saved = await put({ content: layoutOf("Ours"), primaryColor: "AA0000", createdBy: "ann" });
  assertHas(saved, { version: 1, primaryColor: "#aa0000", savedBy: "ann", recompiled: 1 });
  assert.notEqual(await readConfigurationVersion(db), before);
  assert.match(await html(id), /Ours[\s\S]*Order A-1/);
  assert.doesNotMatch(await html(id), /Acme/);
  const shown = await previewSource(db, tenantId, MARKDOWN, { id: "A-1" });
  assert.ok(shown.kind === "email");
  assert.equal(shown.html, await html(id));
});

test("publishing a layout publishes every Markdown mail anew, in each language, and nothing else", async (t) => {
  const { db, tenantId, put, html } = await withTenant(t);
  const { id } = await putTemplate(db, { ...MARKDOWN, tenantId, createdBy: "ann" });
  await putTemplate(db, { ...MARKDOWN, tenantId, content: "# Bestellung {{ id }}", locale: "de" });
  const mjml = layoutOf("x").replace("{{ $content }}", "");
  const plain = await putTemplate(db, { ...MAIL, eventType: "b", tenantId, content: mjml });
  await saveDraft(db, { ...MARKDOWN, tenantId, content: "# Draft" });
  const other = await createTenant(db, { name: "Other" });
  const foreign = await putTemplate(db, { ...MARKDOWN, tenantId: other.id });

  assert.equal((await put({ content: layoutOf("Ours"), createdBy: "bob" })).recompiled, 2);
  assert.match(await html(id, "de"), /Ours[\s\S]*Bestellung A-1/);
  const versions = await readTemplateVersions(db, { id });
  assertEach(versions, ({ version, locale, createdBy }) => [version, locale, createdBy], [
    [4, "", "bob"],
    [3, "de", "bob"],
    [2, "de", null],
    [1, "", "ann"],
  ]);
  const shown = await readTemplate(db, { id });
  assert.deepEqual([shown.version, shown.content, shown.format], [4, MARKDOWN.content, "markdown"]);
  // The text that it translates is the same.
  assert.deepEqual(shown.locales, [{ locale: "de", version: 3, outdated: false, draft: false }]);
  assert.equal((await readDraft(db, { id })).content, "# Draft");
  assert.equal((await readTemplate(db, { id: plain.id })).version, 1);
  assert.equal((await readTemplate(db, { id: foreign.id })).version, 1);
});

test("what is left out stays, null takes it away, and the same again is no version", async (t) => {
  const { db, tenantId, put } = await withTenant(t);
  const content = layoutOf("{{ $footer_text }}");
  await put({ content, footerText: "Ours", logoUrl: "https://example.com/logo.png" });
  const second = await put({ address: "Main Street 1\nVienna", logoUrl: null, footerText: "" });
  assert.deepEqual(
    [second.version, second.content, second.address, second.logoUrl, second.footerText],
    [2, content, "Main Street 1\nVienna", null, null],
  );
  assert.equal((await put({ address: "Main Street 1\nVienna" })).version, 2);
  assert.equal((await readLayoutVersions(db, tenantId)).length, 2);
  assert.equal((await readLayoutVersion(db, tenantId, 1)).footerText, "Ours");
  await assert.rejects(readLayoutVersion(db, tenantId, 3), NotFound);
  const removed = await removeLayout(db, tenantId);
  assert.deepEqual([removed.version, removed.content, removed.address], [3, null, null]);
  await assert.rejects(readLayout(db, "nobody"), NotFound);
});

test("one template that does not go with a layout refuses all, by name, and nothing is changed", async (t) => {
  const { db, tenantId, put } = await withTenant(t);
  const { id } = await putTemplate(db, { ...MARKDOWN, tenantId });
  const long = { ...MARKDOWN, eventType: "long", content: `${"word ".repeat(40_000)}` };
  await putTemplate(db, { ...long, tenantId });
  await putTemplate(db, { ...long, tenantId, content: `${long.content}!`, locale: "de" });
  const before = await readConfigurationVersion(db);
  // With a short mail in it, it is below the bound of rendered content.
  const wide = layoutOf("{{ $footer_text }}".repeat(90));
  const { faults } = await refusal(put({ content: wide, footerText: "b".repeat(3900) }));
  assert.equal(faults.length, 2);
  for (const { message } of faults) {
    assert.match(message, /^does not go with the template "long" EMAIL( de)?: .*too large/);
  }
  assert.equal((await readLayout(db, tenantId)).version, 0);
  assert.equal((await readTemplate(db, { id })).version, 1);
  assert.equal(await readConfigurationVersion(db), before);
});

test("a faulty layout is refused with its field and place, also where no mail is in Markdown", async (t) => {
  const { put } = await withTenant(t);
  const refused = async (input: Omit<LayoutInput, "tenantId">, field: string) => {
    const { faults } = await refusal(put(input));
    assert.deepEqual([...new Set(faults.map((fault) => fault.field))], [field]);
  };
  await refused({ content: "<mjml><mj-body></mj-body></mjml>" }, "content");
  await refused({ content: "\u0000" }, "content");
  await refused({ logoUrl: "http://example.com/logo.png" }, "logoUrl");
  await refused({ primaryColor: "red" }, "primaryColor");
  await refused({ backgroundColor: "#12345" }, "backgroundColor");
  await refused({ footerText: "{{ open" }, "footerText");
});

test("the text below is in the mail's language where it is written in it, and the default else", async (t) => {
  const { db, tenantId, put, html } = await withTenant(t);
  const { id } = await putTemplate(db, { ...MARKDOWN, tenantId });
  for (const locale of ["de-AT", "es"]) await putTemplate(db, { ...MARKDOWN, tenantId, locale });
  await put({ footerText: "Yours", footerTexts: { DE: "Ihr **Laden**", fr: "Bien à vous" } });
  assert.match(await html(id), />Yours</);
  assert.match(await html(id, "de-AT"), />Ihr <strong>Laden<\/strong></);
  assert.match(await html(id, "es"), />Yours</);
  assert.deepEqual((await put({ footerTexts: { fr: "" } })).footerTexts, { de: "Ihr **Laden**" });
  const { faults } = await refusal(put({ footerTexts: { it: "{{ open" } }));
  assert.deepEqual(
    faults.map(({ field }) => field),
    ["footerTexts"],
  );
  assert.match(faults[0]?.message ?? "", /^\(it\) line 1, column 1: /);
  await refusal(put({ footerTexts: { klingon: "x" } }));
  const run = actsIn(db, tenantId);
  const restored = await run(restoreLayout, { version: 1 });
  assert.deepEqual(restored.footerTexts, { de: "Ihr **Laden**", fr: "Bien à vous" });
  assert.equal((await run(restoreLayout, { version: 2 })).footerTexts?.fr, undefined);
  assert.equal((await removeLayout(db, tenantId)).footerTexts, null);
});

test("a frame of one's own without a link to unsubscribe is saved, with a warning", async (t) => {
  const { put } = await withTenant(t);
  const warned = async (input: Omit<LayoutInput, "tenantId">) => (await put(input)).warnings.length;
  assert.equal(await warned({ footerText: "Ours" }), 0, "the platform's has one");
  assert.equal(await warned({ content: layoutOf("Ours") }), 1);
  assert.equal(await warned({ content: layoutOf("{{ $unsubscribe_url }}") }), 0);
  assert.equal(await warned({ content: layoutOf("{{ $footer_text }}") }), 1);
  const footerText = "[Leave]({{ $unsubscribe_url }})";
  assert.equal(await warned({ footerText }), 0);
  assert.equal(await warned({ footerTexts: { de: "Ohne" } }), 1, "in one language");
});

test("of two editors of a layout the second is told", async (t) => {
  const { db, tenantId, put } = await withTenant(t);
  const early = await prepareLayout(db, { tenantId, footerText: "early" });
  await put({ footerText: "one", basedOnVersion: 0 });
  await assert.rejects(savePreparedLayout(db, early), StaleCompilation);
  const conflict = { name: "Conflict", currentVersion: 1 };
  await assert.rejects(put({ footerText: "two", basedOnVersion: 0 }), conflict);
});

test("a mail published, or a name changed, while a layout was compiled is compiled in it as well", async (t) => {
  const { db, tenantId, html } = await withTenant(t);
  await putTemplate(db, { ...MARKDOWN, tenantId });
  const input = { tenantId, content: layoutOf("Of {{ $brand_name }}") };
  const early = await prepareLayout(db, input);
  const { id } = await putTemplate(db, { ...MARKDOWN, eventType: "late", tenantId });
  await assert.rejects(savePreparedLayout(db, early), StaleCompilation);
  const named = await prepareLayout(db, input);
  await updateTenant(db, tenantId, { name: "Renamed" });
  await assert.rejects(savePreparedLayout(db, named), StaleCompilation);
  assert.equal((await readLayout(db, tenantId)).version, 0);
  const both = await Promise.all([
    putLayout(db, input),
    putTemplate(db, { ...MARKDOWN, tenantId, content: "Late", eventType: "later" }),
  ]);
  assert.match(await html(id), /Of Renamed/);
  assert.match(await html(both[1].id), /Of Renamed/);
});

test("a mail that was compiled in another layout than is in force by then is compiled again", async (t) => {
  const { db, tenantId, put, html } = await withTenant(t);
  const early = await prepareTemplate(db, { ...MARKDOWN, tenantId });
  await put({ content: layoutOf("Ours") });
  await assert.rejects(savePreparedTemplate(db, early), StaleCompilation);
  const { id } = await putTemplate(db, { ...MARKDOWN, tenantId });
  await put({ content: layoutOf("New") });
  // An older version is set in the layout of today.
  const old = await prepareTemplateVersion(db, { id }, 1);
  assert.equal((await savePreparedTemplate(db, old)).output.version, 2);
  assert.match(await html(id), /New/);
});

test("the platform's own mails have a layout, too; a tenant's goes with it", async (t) => {
  const { db, tenantId, put } = await withTenant(t);
  const input = { ...MARKDOWN, tenantId: "platform", eventType: "global.info" };
  const { id } = await putTemplate(db, input);
  await putLayout(db, { tenantId: "platform", content: layoutOf("The house") });
  const shown = await renderTemplate(db, { id }, {});
  assert.ok(shown.kind === "email");
  assert.match(shown.html, /The house/);
  await put({ footerText: "Ours" });
  await deleteTenant(db, tenantId, { personId: null, person: "Olga", address: "::1" });
  const left = await db.selectFrom("layouts").select("tenant_id").execute();
  assert.deepEqual(left, [{ tenant_id: "platform" }]);
});

test("changes of the platform's mails at the same time come one after the other", async (t) => {
  const { db } = await withTenant(t);
  const input = { ...MARKDOWN, tenantId: "platform" };
  const types = ["global.info", "global.alert", "global.error"];
  const done = await Promise.all([
    ...types.map((eventType) => putTemplate(db, { ...input, eventType })),
    putLayout(db, { tenantId: "platform", content: layoutOf("The house") }),
    ...types.toReversed().map((eventType) => saveDraft(db, { ...input, eventType })),
  ]);
  assert.equal(done.length, 7);
  for (const eventType of types) {
    const key = { tenantId: "platform", eventType, channel: "EMAIL" } as const;
    const shown = await renderTemplate(db, key, {});
    assert.ok(shown.kind === "email");
    assert.match(shown.html, /The house/);
  }
});

test("a translation that is taken away while a layout is published does not come back", async (t) => {
  const { db, pool, tenantId } = await tenantDatabase(t);
  const { id } = await putTemplate(db, { ...MARKDOWN, tenantId });
  await putTemplate(db, { ...MARKDOWN, tenantId, locale: "de" });
  const prepared = await prepareLayout(db, { tenantId, footerText: "New" });
  const deleting = Promise.withResolvers<unknown>();
  await db.transaction().execute(async (publishing) => {
    await savePreparedLayout(publishing, prepared);
    deleteTranslation(db, { id }, "de").then(deleting.resolve, deleting.reject);
    await untilBlocked(pool);
  });
  await deleting.promise;
  assert.deepEqual((await readTemplate(db, { id })).locales, []);
  // The other way round: it has begun, and publishing waits for it.
  await putTemplate(db, { ...MARKDOWN, tenantId, locale: "de" });
  const next = await prepareLayout(db, { tenantId, footerText: "Newer" });
  let refused: Promise<void> | undefined;
  await db.transaction().execute(async (transaction) => {
    await deleteTranslation(transaction, { id }, "de");
    // It is awaited from here on: it may be refused before the commit is known here.
    refused = assert.rejects(savePreparedLayout(db, next), StaleCompilation);
    await untilBlocked(pool);
  });
  await refused;
  assert.deepEqual((await readTemplate(db, { id })).locales, []);
});
