import assert from "node:assert/strict";
import { test } from "node:test";
import { showTenant } from "@belfry/administration/tenants/tenants";
import { startForOperator } from "../../test/start-admin.ts";

const TENANT = { name: "Acme", perMinute: "60", dailyCap: "1000" };

test("an operator says how long a tenant's data is kept, and the audit log what it was before", async (t) => {
  const { admin, operator } = await startForOperator(t);
  const kept = async (id: string) => {
    const { eventRetentionDays, notificationRetentionDays } = await showTenant(admin.db, id);
    return [eventRetentionDays, notificationRetentionDays];
  };
  const created = await operator.post("/tenants", { ...TENANT, eventRetentionDays: "14" });
  assert.equal(created.status, 303);
  const [, id = ""] = /tenants\/(\w+)\//.exec(created.headers.get("location") ?? "") ?? [];
  assert.deepEqual(await kept(id), [14, null]);

  const base = `/tenants/${id}/settings`;
  assert.match(await operator.text(base), /name="eventRetentionDays"[^>]*value="14"/);
  const changed = { ...TENANT, eventRetentionDays: "", notificationRetentionDays: "365" };
  assert.equal((await operator.post(base, changed)).status, 303);
  assert.deepEqual(await kept(id), [null, 365]);

  const wrong = { ...TENANT, eventRetentionDays: "0", notificationRetentionDays: "a week" };
  const refused = await operator.post(base, wrong);
  assert.equal(refused.status, 422);
  const html = await refused.text();
  assert.match(html, /Days that events are kept must be an integer from 1 to 3650/);
  assert.match(html, /Days that the inbox is kept must be an integer from 1 to 3650/);
  assert.match(html, /value="a week"/, "what was typed is kept");
  assert.deepEqual(await kept(id), [null, 365]);

  const { before, after } = await admin.db
    .selectFrom("audit_log")
    .select(["before", "after"])
    .where("action", "=", "tenant.update")
    .executeTakeFirstOrThrow();
  assert.deepEqual([before?.eventRetentionDays, after?.eventRetentionDays], [14, null]);
  assert.deepEqual(
    [before?.notificationRetentionDays, after?.notificationRetentionDays],
    [null, 365],
  );
});
