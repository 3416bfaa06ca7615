import assert from "node:assert/strict";
import { test } from "node:test";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { type ProviderPerson, signInAt, startProvider } from "../../test/oidc-provider.ts";
import { startAdmin } from "../../test/start-admin.ts";

const ANN = { sub: "ann-1", email: "Ann@Acme.com", email_verified: true, name: "Ann Acme" };

for (const claimsIn of ["token", "userinfo"] as const) {
  test(`a person signs in at the provider, stays who they are, and signs out (claims in the ${claimsIn})`, async (t) => {
    const provider = await startProvider(t, { claimsIn });
    const admin = await startAdmin(t);
    const { id: tenantId } = await createTenant(admin.db, { name: "Acme" });
    const groupRoles = [{ group: "staff", tenantId, role: "viewer" as const }];
    const url = await admin.replica({ oidc: provider.settings({ groupRoles }) });
    const signIn = (person: ProviderPerson, next?: string) => signInAt(url, provider, person, next);

    const { browser, answer } = await signIn({ ...ANN, groups: ["staff"] }, `/tenants/${tenantId}`);
    assert.deepEqual(
      [answer.status, answer.headers.get("location")],
      [303, `/tenants/${tenantId}`],
    );
    assert.equal((await browser.get(`/tenants/${tenantId}`)).status, 200);
    assert.match(await browser.text("/account"), /value="Ann Acme"/);
    assert.match(await browser.text(`/tenants/${tenantId}/members`), />role from a group</);
    const { rows } = await admin.pool.query(
      "select expires_at between now() + interval '11 hours' and now() + interval '12 hours' as day from sessions",
    );
    assert.deepEqual(rows, [{ day: true }], "then the groups are looked at again");
    assert.ok(!provider.asked.includes("/me") || claimsIn === "userinfo", "asked only if needed");
    const { browser: again } = await signIn({ ...ANN, email: "Ann.New@elsewhere.example" });
    const html = await again.text("/account");
    assert.match(html, /ann@acme\.com/);
    assert.match(html, /Ann\.New@elsewhere\.example/);
    assert.match(html, /You are not a member of any tenant/, "the group is gone, and what it gave");
    const [out] = [await again.post("/sign-out")];
    assert.equal(out.headers.get("location"), "/sign-in?done=signed-out");
    assert.equal((await again.get("/account")).status, 303);
  });
}
