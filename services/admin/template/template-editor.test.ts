import assert from "node:assert/strict";
import { test } from "node:test";
import { showTemplate } from "@belfry/administration/templates/templates";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { readConfigurationVersion } from "@belfry/database/configuration-version";
import { startAdmin } from "../admin-under-test.ts";

const SMS = {
  eventType: "order.confirmed",
  channel: "SMS",
  content: "Order {{ id }}",
  sampleVariables: '{"id": "1"}',
};

test("of two people who edit one template the second is told, shown the difference, and keeps what was typed", async (t) => {
  const admin = await startAdmin(t);
  const operator = await admin.operator();
  const { id: tenantId } = await createTenant(admin.db, { name: "Acme" });
  const base = `/tenants/${tenantId}/templates`;
  const created = await operator.post(base, { ...SMS, basedOnVersion: "0" });
  const path = created.headers.get("location")!.split("?")[0]!;
  const save = (content: string, basedOnVersion: string) =>
    operator.post(path, { ...SMS, content, basedOnVersion });
  assert.equal((await save("Hers {{ id }}", "1")).status, 303);
  const second = await save("His {{ id }}", "1");
  assert.equal(second.status, 409);
  const html = await second.text();
  assert.match(html, /Version 2 was saved by op@example\.com/);
  assert.match(html, /class="removed">.*Hers/s);
  assert.match(html, /class="added">.*His/s);
  assert.match(html, /<textarea[^>]*>\s*His \{\{ id \}\}<\/textarea>/);
  const address = { tenantId, eventType: "order.confirmed", channel: "SMS" } as const;
  assert.equal((await showTemplate(admin.db, address)).content, "Hers {{ id }}");
  assert.equal((await save("His {{ id }}", "2")).status, 303, "over it, knowingly");
  const restored = await operator.post(`${path}/restore`, { version: "1" });
  assert.equal(restored.status, 303);
  const { content, version } = await showTemplate(admin.db, address);
  assert.deepEqual([content, version], ["Order {{ id }}", 4]);
  const audit = await operator.text(`/tenants/${tenantId}/audit`);
  for (const action of ["create", "save", "restore"])
    assert.match(audit, new RegExp(`template: ${action}`));
});

test("a fault is shown at its line and column, beside what was typed, and nothing is saved", async (t) => {
  const admin = await startAdmin(t);
  const operator = await admin.operator();
  const { id: tenantId } = await createTenant(admin.db, { name: "Acme" });
  const version = await readConfigurationVersion(admin.db);
  const content = "Hello\n  {{ name";
  const answer = await operator.post(`/tenants/${tenantId}/templates`, { ...SMS, content });
  assert.equal(answer.status, 422);
  const html = await answer.text();
  assert.match(html, /line 2, column 3/);
  assert.match(html, /Hello\n {2}\{\{ name<\/textarea>/);
  assert.equal(await readConfigurationVersion(admin.db), version);
  const preview = await operator.post(`/tenants/${tenantId}/templates/preview`, {
    ...SMS,
    content,
  });
  const { ok, faults } = (await preview.json()) as { ok: boolean; faults: object[] };
  assert.equal(ok, false);
  assert.deepEqual(Object.keys(faults[0]!).sort(), ["column", "field", "line", "message"]);
});
