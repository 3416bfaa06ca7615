import assert from "node:assert/strict";
import { test } from "node:test";
import { assertHas } from "@belfry/testing/assert-has";
import type { testDatabase } from "../../test/database.ts";
import { tenantDatabase } from "../../test/database.ts";
import { putTemplate } from "../../test/templates.ts";
import { updateTenant } from "../tenants/tenants.ts";
import { checkSource, previewSource, renderTemplate } from "./preview-template.ts";
import type { TemplateSourceInput } from "./template-input.ts";

async function withTenant(t: Parameters<typeof testDatabase>[0]) {
  const { db, tenantId } = await tenantDatabase(t);
  const check = async (input: TemplateSourceInput, variables = {}) => {
    const checked = await checkSource(db, tenantId, input, variables);
    assert.ok(checked.ok, JSON.stringify(checked));
    return checked;
  };
  return { db, tenantId, check };
}

test("an editor is told each variable with its shape, and sees unfilled ones in their places", async (t) => {
  const { check } = await withTenant(t);
  const content =
    "Hi {{ name }}{% if vip %}!{% endif %} {% for item in items %}{{ item.title }} {% endfor %}{{ order.id }}";
  const input = { channel: "SMS", content } as const;
  const empty = await check(input, { items: [{ title: "Tea" }] });
  assert.deepEqual(empty.variables, [
    { name: "name", kind: "text", filled: false },
    { name: "vip", kind: "flag", filled: true },
    { name: "items", kind: "list", fields: ["title"], filled: true },
    { name: "order", kind: "object", fields: ["id"], filled: false },
  ]);
  assert.ok(empty.preview.kind === "text");
  assert.equal(empty.preview.text, "Hi ‹name› Tea ‹order.id›");
  // The marks are no part of the message: they would make it UCS-2.
  assertHas(empty.preview, { encoding: "GSM-7", missing: ["name", "order.id"] });
  const full = await check(input, { name: "Ann", order: { id: 7 } });
  assert.ok(full.preview.kind === "text");
  assert.equal(full.preview.text, "Hi Ann 7");
});

test("a preview writes dates and numbers as the tenant's messages do, a translation's in its own language", async (t) => {
  const { db, tenantId } = await withTenant(t);
  await updateTenant(db, tenantId, { defaultLocale: "de", timezone: "Asia/Tokyo" });
  const content = '{{ n | number }} {{ at | date: "short", "short" }}';
  const key = { tenantId, eventType: "a", channel: "SMS" } as const;
  const variables = { n: 1234.5, at: "2026-11-22T20:00:00Z" };
  const { id } = await putTemplate(db, { ...key, content });
  await putTemplate(db, { ...key, content, locale: "en-GB" });
  const text = async (locale?: string) => {
    const shown = await renderTemplate(db, { id }, variables, locale);
    assert.ok(shown.kind === "text");
    return shown.text;
  };
  assert.equal(await text(), "1.234,5 23.11.26, 05:00");
  assert.equal(await text("en-GB"), "1,234.5 23/11/2026, 05:00");
  const unsaved = await previewSource(db, tenantId, { channel: "SMS", content }, variables);
  assert.ok(unsaved.kind === "text");
  assert.equal(unsaved.text, await text());
});

test("a preview warns of values that cannot be read, and of a message that says nothing", async (t) => {
  const { tenantId, db } = await withTenant(t);
  const warnings = async (content: string, variables: Record<string, unknown>) =>
    (await previewSource(db, tenantId, { channel: "SMS", content }, variables)).warnings;
  assert.deepEqual(await warnings("Paid: {{ at | date }}", { at: "01/02/2026" }), [
    "cannot read at as a date: inserted unchanged",
  ]);
  assert.deepEqual(await warnings("{{ a }}: {{ b }}", { a: " ", b: "" }), [
    "nothing to say: it would not be sent",
  ]);
  assert.equal(await warnings("{{ a }}: {{ b }}", {}), undefined);
  const long = "It is on its way to you and will be there before noon, says the driver. ";
  assert.equal(await warnings(long + long, {}), undefined);
  assert.deepEqual(await warnings(`${long}${long}{{ name }}`, { name: "O’Neil" }), [
    "“’” (U+2019) is not in GSM-7: 3 segments instead of 1",
  ]);
});

test("a preview tells the links of a mail that lead nowhere", async (t) => {
  const { check } = await withTenant(t);
  const content = '<a href="{{ url }}">Pay</a><img src="{{ image }}">';
  const input = { channel: "EMAIL", subject: "S", content } as const;
  const { plain, preview } = await check(input, { url: "/orders/1" });
  const reason = "begins with none of http:, https:, mailto:, tel:, sms:";
  const linksLeftOut = [`href {{ url }} (${reason})`];
  assertHas(plain, { linksLeftOut, missing: ["image"] });
  assertHas(preview, { linksLeftOut });
});

test("the app links of a tenant are saved in its templates, and a preview shows them", async (t) => {
  const { db, tenantId, check } = await withTenant(t);
  const content = '<a href="myapp://o/{{ id }}">Open</a><a href="{{ url }}">Pay</a>';
  const input = { channel: "EMAIL", subject: "S", content } as const;
  assert.equal((await checkSource(db, tenantId, input, {})).ok, false);
  await updateTenant(db, tenantId, { linkSchemes: ["myapp"] });
  const { plain } = await check(input, { id: 7, url: "myapp://pay" });
  assert.ok(plain.kind === "email");
  assert.equal(plain.html, '<a href="myapp://o/7">Open</a><a href="myapp://pay">Pay</a>');
  await putTemplate(db, { tenantId, eventType: "a", ...input });
});

test("a mail is in the language of its variant, the default one in the tenant's", async (t) => {
  const { db, tenantId } = await withTenant(t);
  await updateTenant(db, tenantId, { defaultLocale: "he" });
  const content = "Hi {{ n | number }}";
  const mail = { tenantId, eventType: "a", channel: "EMAIL", subject: "S", content } as const;
  const { id } = await putTemplate(db, { ...mail, format: "markdown" });
  await putTemplate(db, { ...mail, locale: "de" });
  const root = async (locale?: string) => {
    const shown = await renderTemplate(db, { id }, {}, locale);
    return /<html [^>]*?(lang="\w+" dir="\w+")/.exec(shown.kind === "email" ? shown.html : "")?.[1];
  };
  assert.equal(await root(), 'lang="he" dir="rtl"');
  assert.equal(await root("de"), 'lang="de" dir="ltr"');
});
