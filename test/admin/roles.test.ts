import assert from "node:assert/strict";
import { test } from "node:test";
import { ACCESS, mayDo, type Role } from "@belfry/admin/page/access";
import { type AdminUnderTest, startAdmin } from "@belfry/admin/test/start-admin";
import { needlessExclusions } from "@belfry/testing/needless-exclusions";
import { crawl, tryForms } from "./crawl.ts";
import { sampleTenant } from "./sample-tenant.ts";

/** What scripts ask for, and what only the answer to a form leads to. */
const NOT_LINKED = [
  "GET /tenants/:tenantId/users/erasures/:erasureId",
  "GET /tenants/:tenantId/broadcasts/topics",
  "GET /tenants/:tenantId/templates/starter",
  "GET /tenants/:tenantId/images",
  "GET /tenants/:tenantId/templates/:templateId/sample",
  "GET /tenants/:tenantId/templates/:templateId/preview",
  "GET /tenants/:tenantId/templates/:templateId/publish",
];

const ROLES = ["viewer", "editor", "owner", "operator"] as const satisfies Role[];

test("following every link and trying every form nobody meets a refusal, nor the stamp of a program; each page of a tenant is reached", async (t) => {
  const admin = await startAdmin(t);
  const tenant = await sampleTenant(admin);
  await putStampsIntoWords(admin);
  await attachFile(admin, tenant.id);
  const people = [];
  for (const role of ROLES) {
    const browser =
      role === "operator"
        ? await admin.operator()
        : await admin.person({
            ...{ email: `${role}@example.com`, name: role, of: { tenantId: tenant.id, role } },
          });
    people.push({ role, browser });
  }
  // Another session of everybody, which an account's page can end.
  await admin.pool.query(
    `insert into sessions (id, person_id, sha256, address, user_agent, expires_at)
     select gen_random_uuid(), person_id, sha256('x'::bytea || sha256), address, user_agent, expires_at from sessions`,
  );
  const met = [];
  assert.deepEqual(needlessExclusions(NOT_LINKED, Object.keys(ACCESS)), []);
  for (const { role, browser } of people) {
    met.push({ role, browser, ...(await crawl(browser, [`/tenants/${tenant.id}`, "/"])) });
  }
  for (const one of met) {
    await tryForms(one.browser, one);
    const { role, routes, deadEnds, stamps } = one;
    const unreached = Object.entries(ACCESS)
      .filter(([, needed]) => needed !== "anyone" && needed !== "person" && mayDo(role, needed))
      .map(([route]) => route)
      .filter((route) => route.startsWith("GET /tenants/:tenantId") && !routes.has(route))
      .filter((route) => !NOT_LINKED.includes(route));
    const nothing = { deadEnds: [], stamps: [], unreached: [] };
    assert.deepEqual({ role, deadEnds, stamps, unreached }, { role, ...nothing });
  }
});

/** Each event carries a file. */
async function attachFile({ pool }: AdminUnderTest, tenantId: string): Promise<void> {
  const { rows } = await pool.query(
    `insert into attachments (id, tenant_id, name, type, bytes, sha256, complete, named, created_at)
     values (gen_random_uuid(), $1, 'a.pdf', 'application/pdf', 1, '', true, true, now()) returning id`,
    [tenantId],
  );
  await pool.query("insert into attachment_chunks values ($1, 0, 'x')", [rows[0].id]);
  await pool.query(
    "insert into event_attachments (event_id, position, attachment_id) select id, 1, $1 from events where tenant_id = $2",
    [rows[0].id, tenantId],
  );
}

/** Whatever words of others are shown have a moment in them, as programs write it. */
async function putStampsIntoWords({ pool }: AdminUnderTest): Promise<void> {
  const stamp = " until 2026-03-01T10:00:00+09:00, or 2026-03-01T10:00:00.000Z";
  for (const table of ["deliveries", "attempts", "provider_circuits"]) {
    await pool.query(`update ${table} set reason = reason || $1`, [stamp]);
  }
  await pool.query("update audit_log set after = jsonb_build_object('at', $1::text)", [stamp]);
}
