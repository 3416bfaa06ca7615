import assert from "node:assert/strict";
import { test } from "node:test";
import { workTenantDeletions } from "@belfry/administration/erasure/tenant-deletions";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { startForOperator } from "../../test/start-admin.ts";

test("an operator deletes a tenant: sees what goes, types its name, and follows how far it is, also when it is gone", async (t) => {
  const { admin, operator } = await startForOperator(t);
  const { id: tenantId } = await createTenant(admin.db, { name: "Acme & Co" });
  const base = `/tenants/${tenantId}`;
  const owner = await admin.person({
    ...{ email: "ann@example.com", name: "Ann", of: { tenantId, role: "owner" } },
  });
  assert.match(await operator.text(`${base}/settings`), new RegExp(`href="${base}/delete"`));
  const question = await operator.text(`${base}/delete`);
  assert.match(question, /<dt>members<\/dt><dd>1<\/dd>/);
  assert.match(question, /<dt>keys<\/dt><dd>1<\/dd>/);
  assert.match(question, /The name is <code class="cut">Acme &amp; Co<\/code>/);

  const wrong = await operator.post(`${base}/delete`, { typed: "acme & co" });
  assert.equal(wrong.status, 422);
  const again = await wrong.text();
  assert.match(again, /Tenant’s name must be the name of the tenant, to the letter/);
  assert.ok(again.includes('value="acme &amp; co"'));
  for (const path of [`${base}/delete`, `/deletions/${tenantId}`]) {
    assert.equal((await owner.raw(path, {})).status, 403, path);
  }
  const refused = await owner.post(`${base}/delete`, { typed: "Acme & Co" }, { from: "/account" });
  assert.equal(refused.status, 403);
  assert.equal((await operator.raw(`/deletions/${tenantId}`, {})).status, 404);

  const asked = await operator.post(`${base}/delete`, { typed: "Acme & Co" });
  assert.equal(asked.headers.get("location"), `/deletions/${tenantId}`);
  const waiting = await operator.page(asked);
  assert.match(waiting, /<span class="badge quiet">waiting<\/span>/);
  assert.match(waiting, /Olga Operator &lt;op@example\.com&gt;/);
  assert.match(await operator.text(`${base}/settings`), /This tenant is being deleted/);
  const revived = await operator.post(`${base}/activate`);
  assert.equal(revived.status, 422);
  assert.match(await revived.text(), /is being deleted: it stays inactive/);

  assert.equal(await workTenantDeletions({ db: admin.db }, new AbortController().signal), 1);
  assert.equal((await operator.raw(base, {})).status, 404);
  const done = await operator.text(`/deletions/${tenantId}`);
  assert.match(done, /<span class="badge good">done<\/span>/);
  assert.match(done, /<dt>events deleted<\/dt><dd>0<\/dd>/);
});
