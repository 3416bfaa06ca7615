import assert from "node:assert/strict";
import { test } from "node:test";
import { startForTenant } from "../../test/start-admin.ts";
import { curlLine } from "./key-pages.ts";

test("a key is shown once, with a line to paste; then its prefix and last use are what is left", async (t) => {
  const { admin, operator, id } = await startForTenant(t);
  const base = `/tenants/${id}/keys`;
  const made = await operator.post(base, { keyName: "the shop" });
  const html = await operator.page(made);
  const key = /id="api-key">([^<]+)</.exec(html)?.[1] ?? "";
  assert.match(key, /^bf_\w{20,}/);
  assert.ok(html.includes(`data-copy="api-key"`) && html.includes(`data-copy="curl"`));
  assert.ok(html.split(key).length === 3, "alone, and in the line");
  const later = await operator.text(base);
  assert.ok(!later.includes(key));
  const again = await operator.page(made);
  assert.ok(!again.includes(key), "a reload of its page shows it no more");
  assert.match(later, /<strong>the shop<\/strong> <code>/);
  assert.equal(later.match(/class="badge good">live</g)?.length, 2, "nor is another one made");
  const prefix = /the shop<\/strong> <code>(bf_\w+)…<\/code>/.exec(later)?.[1] ?? "none";
  assert.ok(key.startsWith(prefix));
  assert.match(later, /never used/);
  await admin.db
    .updateTable("api_keys")
    .set({ last_used_at: new Date(Date.now() - 7_200_000) })
    .execute();
  assert.match(await operator.text(base), /last used <time[^>]*>2 h ago</);
});

test("a rotation lets the others go on for the hours that were said; hours that are none stay in the form with their fault", async (t) => {
  const { operator, id } = await startForTenant(t);
  const base = `/tenants/${id}/keys`;
  for (const overlapHours of ["soon", "-1", "9999", "721"]) {
    const refused = await operator.post(`${base}/rotate`, { overlapHours });
    assert.equal(refused.status, 422, overlapHours);
    const html = await refused.text();
    assert.match(html, /id="overlapHours-fault"/);
    assert.ok(html.includes(`value="${overlapHours}"`));
  }
  await operator.post(base, { keyName: "the shop" });
  const html = await operator.page(await operator.post(`${base}/rotate`, { overlapHours: "48" }));
  assert.doesNotMatch(html, /name="rotatedRole"/);
  assert.equal(html.match(/<strong>the shop<\/strong>/g)?.length, 2, "the new one has its name");
  assert.match(html, /id="api-key">bf_/);
  assert.match(html, /ends <time[^>]*>in (48 h|2 days)</);
  assert.equal(html.match(/class="badge good">live</g)?.length, 1);
});

test("a key is made with what it may do, and shown with it; a rotation asks which keys it is of", async (t) => {
  const { operator, id } = await startForTenant(t);
  const base = `/tenants/${id}/keys`;
  const key = { keyName: "the shop", keyRole: "read" };
  const html = await operator.page(await operator.post(base, key));
  assert.match(html, /<strong>the shop<\/strong>.*?Read only: change nothing/s);
  assert.match(html, /id="curl">curl -sS [^ ]+\/api\/v1\/events\/scheduled -H/);
  const refused = await operator.post(base, { ...key, keyRole: "root" });
  assert.equal(refused.status, 422);
  assert.match(
    await refused.text(),
    /id="keyRole-fault">Permissions must be all, trigger, read, manage or provision</,
  );

  assert.match(html, /<select id="rotatedRole".*?value="all".*?value="read"/s);
  const unsaid = await operator.post(`${base}/rotate`, { overlapHours: "0" });
  assert.equal(unsaid.status, 422);
  assert.match(await unsaid.text(), /id="rotatedRole-fault"/);
  const rotation = { overlapHours: "0", rotatedRole: "read" };
  const rotated = await operator.page(await operator.post(`${base}/rotate`, rotation));
  assert.match(rotated, /id="curl">curl -sS [^ ]+\/api\/v1\/events\/scheduled -H/);
  assert.equal(rotated.match(/class="badge good">live</g)?.length, 2, "the other role's stays");
});

test("a webhook secret is shown once, with how to sign; another takes its place with an overlap, and it is removed", async (t) => {
  const { operator, id } = await startForTenant(t);
  const base = `/tenants/${id}`;
  const make = async (fields: Record<string, string> = {}) =>
    await operator.page(await operator.post(`${base}/webhook-secret`, fields));
  const html = await make();
  const secret = /id="webhook-secret">([^<]+)</.exec(html)?.[1] ?? "";
  assert.match(secret, /^whsec_/);
  assert.match(html, /createHmac\(&quot;sha256&quot;/);
  const later = await operator.text(`${base}/keys`);
  assert.ok(!later.includes(secret) && later.includes("signature required"));
  assert.doesNotMatch(later, /The previous secret still works/);
  for (const secretOverlapHours of ["soon", "721"]) {
    const refused = await make({ secretOverlapHours });
    assert.match(refused, /id="secretOverlapHours-fault"/);
    assert.ok(refused.includes(`value="${secretOverlapHours}"`));
  }
  const both = await make({ secretOverlapHours: "24" });
  assert.match(both, /The previous secret still works, and ends <time[^>]*>in (24 h|1 days)</);
  assert.notEqual(/id="webhook-secret">([^<]+)</.exec(both)?.[1], secret);
  await operator.post(`${base}/webhook-secret/remove`);
  assert.match(await operator.text(`${base}/keys`), /not set: no signature required/);
});

test("the line to paste holds whatever a variable is called", () => {
  const line = curlLine("http://api.test", "bf_key", `it's "$(x)" \`y\``, ["o'clock", "a b"]);
  const body = / -d '(.*)'$/s.exec(line)?.[1]?.replaceAll(`'\\''`, "'") ?? "";
  assert.deepEqual(JSON.parse(body).variables, {
    "o'clock": "Sample o'clock",
    "a b": "Sample a b",
  });
  assert.equal(JSON.parse(body).eventType, `it's "$(x)" \`y\``);
});
