import assert from "node:assert/strict";
import { test } from "node:test";
import { readLayout } from "@belfry/administration/templates/layouts";
import { readTemplate } from "@belfry/administration/templates/templates";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { putTemplate } from "@belfry/administration/test/templates";
import { type AdminUnderTest, startAdmin } from "../../test/start-admin.ts";

const FRAME = `<mjml><mj-body><mj-section><mj-column>
  {{ $content }}
  <mj-text>{{ greeting }}</mj-text>
</mj-column></mj-section></mj-body></mjml>`;

async function withMail(admin: AdminUnderTest) {
  const operator = await admin.operator();
  const { id: tenantId } = await createTenant(admin.db, { name: "Acme" });
  const address = { tenantId, eventType: "welcome", channel: "EMAIL" } as const;
  const mail = { ...address, format: "markdown", subject: "Hello", content: "# Hello" } as const;
  await putTemplate(admin.db, mail);
  return { operator, tenantId, address, mail, page: `/tenants/${tenantId}/design` };
}

test("a design is seen in a sample mail before it is published, and then every simple mail is set in it", async (t) => {
  const admin = await startAdmin(t);
  const { operator, tenantId, address, page } = await withMail(admin);
  const typed = { primaryColor: "#AA0044", footerText: "Acme Ltd", content: "" };
  const seen = await operator.post(`${page}/preview`, typed);
  const { preview } = (await seen.json()) as { preview: { html: string } };
  assert.match(preview.html, /#aa0044/i);
  assert.match(preview.html, /Acme Ltd/);
  assert.equal((await readLayout(admin.db, tenantId)).version, 0, "nothing is in force by looking");
  assert.equal((await operator.post(page, { ...typed, basedOnVersion: "0" })).status, 303);
  assert.equal((await readLayout(admin.db, tenantId)).primaryColor, "#aa0044");
  assert.equal((await readTemplate(admin.db, address)).version, 2, "set anew");
  const html = await operator.text(page);
  assert.match(html, /version 1 live/);
  assert.match(html, /colour of buttons, text below/);
  await operator.post(page, { footerText: "Other", basedOnVersion: "1" });
  assert.equal((await operator.post(`${page}/restore`, { version: "1" })).status, 303);
  assert.equal((await readLayout(admin.db, tenantId)).footerText, "Acme Ltd");
  assert.equal((await operator.post(`${page}/remove`)).status, 303);
  assert.equal((await readLayout(admin.db, tenantId)).footerText, null);
  const audit = await operator.text(`/tenants/${tenantId}/audit`);
  for (const action of ["publish", "restore", "remove"]) {
    assert.match(audit, new RegExp(`layout: ${action}`));
  }
});

test("a design in which a mail no longer works is refused with the mail's name and its fault, and what was typed stays", async (t) => {
  const admin = await startAdmin(t);
  const { operator, tenantId, mail, page } = await withMail(admin);
  // Together with the frame it is too large to be sent.
  const large = { ...mail, eventType: "large", content: `# Large\n\n${"word ".repeat(40_000)}` };
  await putTemplate(admin.db, large);
  const content = FRAME.replace("{{ greeting }}", "{{ $footer_text }}".repeat(90));
  const footerText = "x".repeat(3900);
  const answer = await operator.post(page, { content, footerText, basedOnVersion: "0" });
  assert.equal(answer.status, 422);
  const html = await answer.text();
  assert.match(html, /Not published:/);
  assert.match(html, /the template &quot;large&quot; EMAIL|the template &#34;large&#34; EMAIL/);
  assert.match(html, /x{1000}/, "what was typed is there");
  assert.equal((await readLayout(admin.db, tenantId)).version, 0);
});

test("a fault of the frame is told at its field, as one types and when it is published", async (t) => {
  const admin = await startAdmin(t);
  const { operator, page } = await withMail(admin);
  const wrong = { content: FRAME.replace("{{ $content }}", ""), logoUrl: "ftp://x", address: "" };
  const seen = await operator.post(`${page}/preview`, wrong);
  const { ok, faults } = (await seen.json()) as { ok: boolean; faults: { field: string }[] };
  assert.equal(ok, false);
  assert.deepEqual([...new Set(faults.map(({ field }) => field))].sort(), ["content", "logoUrl"]);
  const answer = await operator.post(page, { ...wrong, basedOnVersion: "0" });
  assert.equal(answer.status, 422);
  const html = await answer.text();
  assert.match(html, /id="content-fault"/);
  assert.match(html, /id="logoUrl-fault"/);
});

test("of two people who publish a design the second is told, and keeps what was typed", async (t) => {
  const admin = await startAdmin(t);
  const { operator, tenantId, page } = await withMail(admin);
  assert.equal(
    (await operator.post(page, { footerText: "Hers", basedOnVersion: "0" })).status,
    303,
  );
  const second = await operator.post(page, { footerText: "His", basedOnVersion: "0" });
  assert.equal(second.status, 409);
  const html = await second.text();
  assert.match(html, /Version 1 was published by op@example\.com/);
  assert.match(html, />\s*His<\/textarea>/);
  assert.equal((await readLayout(admin.db, tenantId)).footerText, "Hers");
});
