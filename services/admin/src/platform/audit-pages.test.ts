import assert from "node:assert/strict";
import { test } from "node:test";
import { insertAuditEntry } from "@belfry/administration/audited";
import { startTenant } from "../../test/start-tenant.ts";
import { auditChanges } from "./audit-pages.ts";

test("of an entry only what differs is told, field by field, what came and what went included", () => {
  const before = {
    name: "Acme",
    perMinute: 600,
    dailyCap: null,
    deliveryChannels: [],
    settings: { from: "a@example.com", apiKey: "•••• cdef", replyTo: "b@example.com" },
  };
  const after = {
    name: "Acme",
    perMinute: 60,
    dailyCap: 10,
    deliveryChannels: ["EMAIL", "PUSH"],
    settings: { from: "c@example.com", apiKey: "•••• cdef" },
  };
  assert.deepEqual(auditChanges(before, after), [
    { field: "perMinute", before: "600", after: "60" },
    { field: "deliveryChannels", before: "none", after: "EMAIL, PUSH" },
    { field: "settings.from", before: "a@example.com", after: "c@example.com" },
    { field: "settings.replyTo", before: "b@example.com", after: undefined },
    { field: "dailyCap", before: undefined, after: "10" },
  ]);
  assert.deepEqual(auditChanges(null, { count: 3 }), [
    { field: "count", before: undefined, after: "3" },
  ]);
  assert.deepEqual(auditChanges(null, null), []);
});

test("the audit log is searched by person, object and time; the platform's names tenants; no stamp of a program is shown", async (t) => {
  const { admin, operator, tenantId, base } = await startTenant(t);
  const entry = { personId: null, address: "192.0.2.1", before: null, tenantId };
  await insertAuditEntry(admin.db, {
    ...{ ...entry, person: "Olive <olive@acme.example>", action: "event.move", target: "event 1" },
    after: { sendAt: "2026-03-01T10:00:00.000Z" },
  });
  const edgar = { ...entry, person: "Edgar <edgar@acme.example>", action: "key.revoke" };
  await insertAuditEntry(admin.db, { ...edgar, target: "bf_y…", after: null });
  const found = async (query: string) => {
    const html = await operator.text(`${base}/audit?${query}`);
    return ["event: move", "key: revoke"].filter((action) => html.includes(`>${action}<`));
  };
  assert.deepEqual(await found(""), ["event: move", "key: revoke"]);
  assert.deepEqual(await found("person=olive"), ["event: move"]);
  assert.deepEqual(await found("object=bf_&person=edgar"), ["key: revoke"]);
  assert.deepEqual(await found("object=%00bf_"), ["key: revoke"]);
  await operator.post("/account/name", { name: "Olga", language: "de" }, { from: "/account" });
  assert.match(await operator.text(`${base}/audit?person=olive`), /Ereignis 1\s/);
  await operator.post("/account/name", { name: "Olga", language: "en" }, { from: "/account" });
  const inTokyo = (ms: number) =>
    encodeURIComponent(
      new Date(Date.now() + ms + 9 * 3_600_000).toISOString().replace("Z", "+09:00"),
    );
  assert.deepEqual(await found(`from=${inTokyo(-3_600_000)}`), ["event: move", "key: revoke"]);
  assert.deepEqual(await found(`from=${inTokyo(3_600_000)}`), []);
  assert.deepEqual(await found(`to=${inTokyo(-3_600_000)}`), []);
  const html = await operator.text(
    `${base}/audit?person=nobody&from=2026-03-01T10:00%2B09:00&to=soon`,
  );
  assert.match(html, /name="from" type="datetime-local" value="2026-03-01T01:00"/);
  assert.match(html, /To \(UTC\) must be a date and time/);
  assert.match(html, /Nothing found\./);
  const moved = await operator.text(`${base}/audit?object=event.move`);
  assert.match(
    moved,
    /<ins><time datetime="2026-03-01T10:00:00.000Z"[^>]*>2026-03-01 10:00:00 UTC</,
  );
  assert.match(await operator.text("/audit"), new RegExp(`href="/tenants/${tenantId}">Acme</a>`));
});
