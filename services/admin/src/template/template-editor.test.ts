import assert from "node:assert/strict";
import { test } from "node:test";
import { putDraft } from "@belfry/administration/templates/drafts";
import { readTemplate } from "@belfry/administration/templates/templates";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { actsIn, putActiveProvider } from "@belfry/administration/test/acts";
import { putTemplate } from "@belfry/administration/test/templates";
import { PLATFORM } from "@belfry/contracts/identifiers";
import { readConfigurationVersion } from "@belfry/testing/configuration-version";
import {
  hiddenFields,
  publishAgain,
  publishByForm,
  publishDraftByForm,
  saveDraftByForm,
} from "../../test/publish-by-form.ts";
import { SMS, startTenant } from "../../test/start-tenant.ts";

test("of two people who edit one template the second is told, shown the difference, and keeps what was typed", async (t) => {
  const { admin, operator, base, address } = await startTenant(t);
  const path = await publishByForm(operator, base, SMS);
  const hers = { ...hiddenFields(await operator.text(path)), ...SMS, content: "Hers {{ id }}" };
  const his = { ...hiddenFields(await operator.text(path)), ...SMS, content: "His {{ id }}" };
  assert.equal((await operator.post(path, hers)).status, 303);
  const auto = await operator.post(`${path}/draft`, his);
  assert.equal(auto.status, 409);
  assert.deepEqual(await auto.json(), { by: "op@example.com" });
  const second = await operator.post(path, his);
  assert.equal(second.status, 409);
  const html = await second.text();
  assert.match(html, /This draft was saved by op@example\.com/);
  assert.match(html, /class="removed">.*Hers/s);
  assert.match(html, /class="added">.*His/s);
  assert.match(html, /<textarea[^>]*>\s*His \{\{ id \}\}<\/textarea>/);
  assert.match(await operator.text(path), /Hers \{\{ id \}\}<\/textarea>/, "hers is still kept");
  const knowingly = { ...SMS, ...hiddenFields(html), content: "His {{ id }}" };
  assert.equal((await operator.post(path, knowingly)).status, 303, "over it, knowingly");
  assert.equal((await publishDraftByForm(operator, path)).status, 303);
  assert.equal((await readTemplate(admin.db, address)).content, "His {{ id }}");
  const audit = await operator.text(`${base}/audit`);
  for (const action of ["draft", "publish"]) assert.match(audit, new RegExp(`template: ${action}`));
});

test("who publishes a push may have its text as a draft for devices, once", async (t) => {
  const { admin, tenantId, operator, base } = await startTenant(t);
  const push = { eventType: "order", channel: "PUSH" } as const;
  const path = await publishByForm(operator, base, { ...push, title: "Hi", content: "There" });
  const save = () => saveDraftByForm(operator, path, { ...push, title: "Hi", content: "You" });
  await save();
  const offered = async () => (await operator.text(`${path}/publish`)).includes('name="copyTo"');
  assert.equal(await offered(), false, "no provider sends to devices");
  const provider = { tenantId, channel: "DEVICE", kind: "sandbox", settings: {} } as const;
  await putActiveProvider(admin.db, provider, { keys: admin.keys });
  assert.equal(await offered(), true);
  const shown = hiddenFields(await operator.text(`${path}/publish`));
  const done = await operator.post(`${path}/publish`, { ...shown, locale: [""], copyTo: "DEVICE" });
  assert.match(await operator.text(done.headers.get("location") ?? ""), /You/);
  await save();
  assert.equal(await offered(), false, "devices have a template");
  // The page was open while somebody else made the draft for devices.
  const late = hiddenFields(await operator.text(`${path}/publish`));
  const both = await operator.post(`${path}/publish`, { ...late, locale: [""], copyTo: "DEVICE" });
  assert.equal(both.headers.get("location"), `${path}?done=published`);
});

test("an old version is restored as a draft, on the page of publishing that compares it, and no draft is lost", async (t) => {
  const { admin, operator, base, address } = await startTenant(t);
  const path = await publishByForm(operator, base, SMS);
  await publishAgain(operator, path, { ...SMS, content: "New {{ id }}" });
  const restored = await operator.post(`${path}/restore`, { version: "1" });
  const to = restored.headers.get("location") ?? "";
  assert.equal(to, `${path}/publish?done=restored`);
  const html = await operator.text(to);
  assert.match(html, /class="removed">.*New/s);
  assert.match(html, /class="added">.*Order/s);
  assert.equal((await readTemplate(admin.db, address)).content, "New {{ id }}", "not live yet");
  assert.equal((await publishDraftByForm(operator, path)).status, 303);
  const { content, version } = await readTemplate(admin.db, address);
  assert.deepEqual([content, version], ["Order {{ id }}", 3]);

  await saveDraftByForm(operator, path, { ...SMS, content: "Mine {{ id }}" });
  const kept = await operator.post(`${path}/restore`, { version: "2" });
  const told = await operator.text(kept.headers.get("location") ?? "");
  assert.match(told, /Not restored: this language has a draft\. Publish or discard it first\./);
  assert.match(await operator.text(path), /Mine \{\{ id \}\}<\/textarea>/);
});

test("several languages are published together, or none where one of them has a fault", async (t) => {
  const { admin, operator, base, address } = await startTenant(t);
  const path = await publishByForm(operator, base, SMS);
  const { tenantId, ...template } = address;
  const write = async (locale: string, content: string) =>
    await actsIn(admin.db, tenantId)(putDraft, { ...template, locale, content });
  await write("", "New {{ id }}");
  await write("de", "Neu {{ id");
  const shown = hiddenFields(await operator.text(`${path}/publish`));
  const refused = await operator.post(`${path}/publish`, { ...shown, locale: ["", "de"] });
  assert.equal(refused.status, 422);
  const kept = await readTemplate(admin.db, address);
  assert.deepEqual([kept.content, kept.version, kept.hasDraft], ["Order {{ id }}", 1, true]);
  await write("de", "Neu {{ id }}");
  assert.equal((await publishDraftByForm(operator, path)).status, 303);
  const { content, version, locales } = await readTemplate(admin.db, address);
  assert.deepEqual([content, version], ["New {{ id }}", 2]);
  assert.deepEqual(
    locales.map(({ locale, version, outdated }) => [locale, version, outdated]),
    [["de", 3, false]],
  );
});

test("a draft is in force nowhere until it is published, and then is what the page showed", async (t) => {
  const { admin, operator, base, address } = await startTenant(t);
  const path = await publishByForm(operator, base, SMS);
  const version = await readConfigurationVersion(admin.db);
  const saved = await saveDraftByForm(operator, path, { ...SMS, content: "New {{ id }}" });
  assert.equal(saved.status, 303);
  assert.equal((await readTemplate(admin.db, address)).content, "Order {{ id }}");
  assert.equal(await readConfigurationVersion(admin.db), version, "no service reads anything anew");
  assert.match(await operator.text(path), /New \{\{ id \}\}<\/textarea>/, "it is kept");
  const page = await operator.text(`${path}/publish`);
  assert.match(page, /class="removed">.*Order \{\{ id \}\}/s);
  assert.match(page, /class="added">.*New \{\{ id \}\}/s);
  assert.match(page, /No event of this type came in the last 24 hours/);
  const seen = { ...hiddenFields(page), locale: "" };
  await saveDraftByForm(operator, path, { ...SMS, content: "Newer {{ id }}" });
  const late = await operator.post(`${path}/publish`, seen);
  assert.equal(late.status, 409, "what nobody has seen is not published");
  assert.equal((await readTemplate(admin.db, address)).content, "Order {{ id }}");
  assert.equal((await publishDraftByForm(operator, path)).status, 303);
  assert.equal((await readTemplate(admin.db, address)).content, "Newer {{ id }}");
  assert.match(await operator.text(`${path}/publish`), /Nothing to publish/);
});

test("a draft over which somebody else published says so, and is published knowingly", async (t) => {
  const { admin, operator, base, address } = await startTenant(t);
  const path = await publishByForm(operator, base, SMS);
  await saveDraftByForm(operator, path, { ...SMS, content: "Mine {{ id }}" });
  await admin.pool.query("update template_drafts set based_on_version = 0");
  const page = await operator.text(`${path}/publish`);
  assert.match(page, /Version 1 was published by op@example\.com\s+after this draft was started/);
  assert.equal((await publishDraftByForm(operator, path)).status, 303);
  assert.equal((await readTemplate(admin.db, address)).content, "Mine {{ id }}");
});

test("a fault is told on the page of publishing, beside the draft that is kept, and nothing is in force", async (t) => {
  const { admin, operator, base } = await startTenant(t);
  const made = await operator.post(`${base}/templates`, SMS);
  const path = made.headers.get("location") ?? "";
  const content = "Hello\n  {{ name";
  assert.equal((await saveDraftByForm(operator, path, { ...SMS, content })).status, 303);
  const version = await readConfigurationVersion(admin.db);
  const html = await operator.text(`${path}/publish`);
  assert.match(html, /line 2, column 3/);
  assert.match(html, /cannot be published/);
  const forced = { ...hiddenFields(html), locale: "" };
  assert.equal((await operator.post(`${path}/publish`, forced)).status, 422);
  assert.match(await operator.text(path), /Hello\n {2}\{\{ name<\/textarea>/);
  assert.equal(await readConfigurationVersion(admin.db), version);
  const preview = await operator.post(`${base}/templates/preview`, { ...SMS, content });
  const { ok, faults } = (await preview.json()) as { ok: boolean; faults: object[] };
  assert.equal(ok, false);
  assert.deepEqual(Object.keys(faults[0]!).sort(), ["column", "field", "line", "message"]);
});

test("two languages are published in one go, and a translation is outdated once the default changes", async (t) => {
  const { admin, operator, base, address } = await startTenant(t);
  const made = await operator.post(`${base}/templates`, SMS);
  const path = made.headers.get("location") ?? "";
  await saveDraftByForm(operator, path, SMS);
  const german = `${path}?locale=de`;
  assert.match(await operator.text(german), /Order \{\{ id \}\}<\/textarea>/, "it begins with it");
  const text = { ...SMS, content: "Bestellung {{ id }}" };
  assert.equal((await saveDraftByForm(operator, german, text)).status, 303);
  assert.equal((await publishDraftByForm(operator, path)).status, 303);
  const both = await readTemplate(admin.db, address);
  assert.deepEqual(both.locales, [{ locale: "de", version: 2, outdated: false, draft: false }]);
  assert.equal((await readTemplate(admin.db, address, "de")).content, "Bestellung {{ id }}");
  await publishAgain(operator, path, { ...SMS, content: "Your order {{ id }}" });
  const page = await operator.text(german);
  assert.match(page, /outdated/);
  assert.match(page, /class="removed">.*Order \{\{ id \}\}.*class="added">.*Your order/s);
  const same = await operator.post(`${path}/same`, { locale: "de" });
  assert.equal(same.status, 303);
  const [now] = (await readTemplate(admin.db, address)).locales;
  assert.deepEqual(now, { locale: "de", version: 2, outdated: false, draft: false });
  assert.equal((await operator.post(`${path}/remove-language`, { locale: "de" })).status, 303);
  assert.deepEqual((await readTemplate(admin.db, address)).locales, []);
});

test("what holds for all languages is set with the default text alone", async (t) => {
  const { admin, operator, base, address } = await startTenant(t);
  const path = await publishByForm(operator, base, {
    ...{ ...SMS, sensitive: "on", requiredVariables: "id" },
  });
  const german = `${path}?locale=de`;
  assert.doesNotMatch(await operator.text(german), /name="sensitive"/);
  await saveDraftByForm(operator, german, { ...SMS, content: "Bestellung {{ id }}" });
  assert.equal((await publishDraftByForm(operator, path)).status, 303);
  const { sensitive, requiredVariables } = await readTemplate(admin.db, address);
  assert.deepEqual([sensitive, requiredVariables], [true, ["id"]]);
});

test("a mail's sender's name, reply address and copies are set in the editor, and told where they are published", async (t) => {
  const { admin, operator, base, address } = await startTenant(t);
  const mail = { ...SMS, channel: "EMAIL", subject: "Hi", format: "html", content: "<p>Hi</p>" };
  const path = await publishByForm(operator, base, mail);
  const typed = {
    ...{ fromName: "{{ agent }} of Acme", replyTo: "help@example.com" },
    ...{ cc: "a@example.com,  b@example.com", bcc: "c@example.com" },
  };
  await saveDraftByForm(operator, path, { ...mail, ...typed });
  assert.match(await operator.text(path), /name="cc"[^>]*value="a@example.com, b@example.com"/);
  const page = await operator.text(`${path}/publish`);
  assert.match(page, /Copies \(Cc\) go to a@example\.com, b@example\.com\./);
  assert.match(page, /New: answers go to help@example\.com\./);
  assert.equal((await publishDraftByForm(operator, path)).status, 303);
  const { fromName, replyTo, cc, bcc } = await readTemplate(admin.db, {
    ...address,
    channel: "EMAIL",
  });
  assert.deepEqual(
    { fromName, replyTo, cc, bcc },
    { ...typed, cc: ["a@example.com", "b@example.com"], bcc: ["c@example.com"] },
  );
  await saveDraftByForm(operator, path, { ...mail, ...typed, cc: "nobody" });
  assert.match(await operator.text(`${path}/publish`), /must have only email addresses: number 1/);
  const link = { ...mail, ...typed, content: "<p>{{ $unsubscribe_url }}</p>" };
  await saveDraftByForm(operator, path, link);
  assert.match(await operator.text(`${path}/publish`), /does not go with a link to unsubscribe/);
  await publishDraftByForm(operator, path);
  assert.equal((await readTemplate(admin.db, { ...address, channel: "EMAIL" })).version, 1);
  assert.doesNotMatch(
    await operator.text(await publishByForm(operator, base, { ...SMS, eventType: "x" })),
    /name="cc"/,
  );
});

test("timing is set in words, kept as it was typed, and refused where it does not go", async (t) => {
  const { admin, operator, base, address } = await startTenant(t);
  const timing = {
    ...{ digestKind: "window", digestWindow: "1", digestWindowUnit: "3600", digestSliding: "on" },
    ...{ digestMax: "120", digestMaxUnit: "60", digestKey: "post_id", digestLeading: "on" },
    ...{ throttleCount: "5", throttleTime: "1", throttleTimeUnit: "60" },
    ...{ afterUnread: "10", afterUnreadUnit: "60" },
  };
  const path = await publishByForm(operator, base, { ...SMS, ...timing });
  const { digest, throttle, afterUnreadSeconds } = await readTemplate(admin.db, address);
  assert.deepEqual(
    [digest, throttle, afterUnreadSeconds],
    [
      { windowSeconds: 3600, key: "post_id", sliding: true, maxSeconds: 7200, leading: true },
      { count: 5, seconds: 60 },
      600,
    ],
  );
  const page = await operator.text(path);
  assert.match(page, /name="digestWindow"[^>]*value="1"/);
  assert.match(page, /name="digestMax"[^>]*value="2"/);
  assert.match(page, /name="throttleCount"[^>]*value="5"/);
  const fields = { digestKind: "at", digestAt: "09:00", digestDays: "1", throttleCount: "many" };
  const unread = await saveDraftByForm(operator, path, { ...SMS, ...fields });
  assert.equal(unread.status, 422);
  assert.match(
    await unread.text(),
    /data-fault-of="throttleCount"[^>]*>Enter a whole number from 1/,
  );
  const tooMany = { throttleCount: "101", throttleTime: "1", throttleTimeUnit: "60" };
  await saveDraftByForm(operator, path, { ...SMS, ...fields, ...tooMany });
  assert.match(await operator.text(`${path}/publish`), /Enter a whole number from 1 to 100/);
  await saveDraftByForm(operator, path, { ...SMS, ...fields, throttleCount: "", sensitive: "on" });
  const refused = await operator.text(`${path}/publish`);
  assert.match(refused, /Digest: does not go with a sensitive template/);
  const again = await publishDraftByForm(operator, path);
  assert.deepEqual([again.status, again.headers.get("location")], [303, `${path}/publish`]);
  assert.deepEqual((await readTemplate(admin.db, address)).digest, digest);
  await saveDraftByForm(operator, path, { ...SMS, ...fields, throttleCount: "" });
  assert.match(await operator.text(`${path}/publish`), /one message at 09:00 on Monday/);
  assert.equal((await publishDraftByForm(operator, path)).status, 303);
  const now = await readTemplate(admin.db, address);
  assert.deepEqual([now.digest, now.throttle], [{ at: "09:00", days: [1] }, null]);
});

test("a template's page leads to the events of its type on its channel; a built-in one belongs to no tenant's events", async (t) => {
  const { admin, operator, base, address } = await startTenant(t);
  const path = await publishByForm(operator, base, SMS);
  const html = await operator.text(path);
  const events = `${base}/activity?type=order.confirmed&amp;channel=SMS`;
  assert.ok(html.includes(`<a class="button" href="${events}">Events</a>`));
  const eventType = "global.order.confirmed";
  const { id } = await putTemplate(admin.db, { ...SMS, ...address, eventType, tenantId: PLATFORM });
  const builtIn = await operator.text(`/tenants/platform/templates/${id}`);
  assert.match(builtIn, /<h1>global\.order\.confirmed<\/h1>/);
  assert.doesNotMatch(builtIn, /\/activity/);
});

test("a viewer sees the template and its preview, and may change nothing of it", async (t) => {
  const { admin, operator, base, tenantId } = await startTenant(t);
  const path = await publishByForm(operator, base, SMS);
  const viewer = await admin.person({
    ...{ email: "vera@example.com", name: "Vera", of: { tenantId, role: "viewer" } },
  });
  const html = await viewer.text(path);
  assert.match(html, /<textarea id="content"[^>]*readonly/);
  assert.doesNotMatch(html, /id="toolbar"|Publish …|Discard|id="send-test"/);
  const preview = await viewer.post(`${base}/templates/preview`, SMS);
  assert.equal(((await preview.json()) as { ok: boolean }).ok, true);
  for (const part of [
    ...["", "/draft", "/discard", "/publish", "/copy", "/same", "/delete", "/remove-language"],
  ]) {
    assert.equal((await viewer.post(path + part, SMS)).status, 403, part);
  }
  for (const part of ["/publish", "/copy", "/sample"]) {
    assert.equal((await viewer.get(path + part)).status, 403, part);
  }
  assert.equal((await viewer.post(`${base}/design`, {})).status, 403);
  assert.equal((await viewer.get(`${base}/design`)).status, 200);
});

test("a copy is made of drafts; to another tenant an operator may copy alone", async (t) => {
  const { admin, operator, base, tenantId } = await startTenant(t);
  const path = await publishByForm(operator, base, SMS);
  const { id: otherId } = await createTenant(admin.db, { name: "Other" });
  const owner = await admin.person({
    ...{ email: "olive@example.com", name: "Olive", of: { tenantId, role: "owner" } },
  });
  const copy = await owner.post(`${path}/copy`, { eventType: "order.changed" });
  assert.equal(copy.status, 303);
  const there = { tenantId, eventType: "order.changed", channel: "SMS" } as const;
  const { version, hasDraft } = await readTemplate(admin.db, there);
  assert.deepEqual([version, hasDraft], [0, true]);
  assert.equal((await owner.post(`${path}/copy`, { eventType: "order.changed" })).status, 422);
  const away = { eventType: "order.changed", tenantId: otherId };
  assert.equal((await owner.post(`${path}/copy`, away)).status, 403);
  assert.equal((await operator.post(`${path}/copy`, away)).status, 303);
  assert.equal((await readTemplate(admin.db, { ...there, tenantId: otherId })).hasDraft, true);
});

test("where the tenant's channels leave a template out, every page of it says so", async (t) => {
  const { admin, operator, base } = await startTenant(t);
  const path = await publishByForm(operator, base, SMS);
  await saveDraftByForm(operator, path, { ...SMS, content: "New {{ id }}" });
  const pages = [path, `${path}/publish`, `${base}/templates`];
  for (const page of pages) {
    assert.match(
      await operator.text(page),
      /currently not sent: the tenant has no active provider/,
      page,
    );
  }
  await admin.pool.query("update tenants set delivery_channels = '{EMAIL}'");
  for (const page of pages) {
    assert.match(await operator.text(page), /currently not sent: the tenant may not use SMS/, page);
  }
});
