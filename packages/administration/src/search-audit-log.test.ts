import assert from "node:assert/strict";
import { test } from "node:test";
import { assertEach } from "@belfry/testing/assert-each";
import { sql } from "kysely";
import { tenantDatabase } from "../test/database.ts";
import { insertAuditEntry } from "./audited.ts";
import { idAt } from "./pages.ts";
import { type AuditSearch, searchAuditLog } from "./search-audit-log.ts";
import { createTenant } from "./tenants/tenants.ts";

const OLIVE = "Olive Owner <olive@acme.example>";

test("the audit log is searched by person, object and time, and names the tenant; a search looks at so much at a time", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const { id: other } = await createTenant(db, { name: "Books" });
  const entry = { personId: null, address: "192.0.2.1", before: null, after: null };
  const write = (of: string | null, person: string, action: string, target: string) =>
    insertAuditEntry(db, { ...entry, tenantId: of, person, action, target });
  await write(tenantId, OLIVE, "template.save", "order.confirmed SMS");
  await write(tenantId, "Edgar <edgar@acme.example>", "key.revoke", "bf_100%_x…");
  await write(other, OLIVE, "key.revoke", "bf_y…");
  await write(null, "command line (root)", "operator.invite", "otto@example.com");
  await write("gone", OLIVE, "tenant.delete", "gone");
  // Older than all of them, and more than one page looks at.
  await sql`
    insert into audit_log (id, at, person, address, tenant_id, action, target)
    select (${idAt(new Date("2026-01-01T00:00Z")).slice(0, 24)} || lpad(i::text, 12, '0'))::uuid,
           '2026-01-01T00:00Z', case i when 1 then 'Otto <otto@acme.example>' else 'Eve' end, '192.0.2.1',
           ${tenantId}, 'event.resend', 'event ' || i
    from generate_series(1, 5001) i`.execute(db);

  const found = async (search: Omit<AuditSearch, "limit">) => {
    const { entries } = await searchAuditLog(db, { ...search, limit: 10 });
    return entries.map(({ action, tenantName }) => [action, tenantName].join(" of "));
  };
  assert.deepEqual(await found({ tenantId, person: "OLIVE@acme" }), ["template.save of Acme"]);
  assert.deepEqual(await found({ tenantId, person: "edgar" }), ["key.revoke of Acme"]);
  assert.deepEqual(await found({ tenantId, object: "ORDER" }), ["template.save of Acme"]);
  assert.deepEqual(await found({ tenantId, object: "revoke" }), ["key.revoke of Acme"]);
  // Text, not a pattern.
  assert.deepEqual(await found({ tenantId, object: "100%_x" }), ["key.revoke of Acme"]);
  assert.deepEqual(await found({ tenantId, object: "1%x" }), []);
  assert.deepEqual(await found({ person: "olive", object: "e" }), [
    "tenant.delete of ",
    "key.revoke of Books",
    "template.save of Acme",
  ]);
  assert.deepEqual(await found({ object: "operator" }), ["operator.invite of "]);
  const from = new Date("2026-01-01T00:00:00.001Z");
  assert.deepEqual(await found({ tenantId, from }), [
    "key.revoke of Acme",
    "template.save of Acme",
  ]);
  assert.deepEqual(await found({ tenantId, to: new Date("2026-01-01T00:00Z") }), []);
  const { entries } = await searchAuditLog(db, { tenantId, to: from, limit: 2 });
  assertEach(entries, ({ target }) => target, ["event 5001", "event 5000"]);

  const first = await searchAuditLog(db, { tenantId, person: "otto", limit: 10 });
  assert.deepEqual(first.entries, []);
  assert.equal(first.searchedTo?.toISOString(), "2026-01-01T00:00:00.000Z");
  const second = await searchAuditLog(db, {
    ...{ tenantId, person: "otto", limit: 10 },
    before: first.next,
  });
  assertEach(second.entries, ({ target }) => target, ["event 1"]);
  assert.equal(second.next, undefined);
});
