import assert from "node:assert/strict";
import { signInAt, startProvider } from "@belfry/admin/test/oidc-provider";
import { startAdmin } from "@belfry/admin/test/start-admin";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { openBrowser, test } from "../browser/open-page.ts";
import { faultsInLooks } from "./accessible-pages.ts";
import { signedIn } from "./signed-in.ts";

test("axe finds no fault on the pages of signing in at a provider, and none is too wide for a narrow screen", async (t) => {
  const provider = await startProvider(t);
  const admin = await startAdmin(t);
  const { id: tenantId } = await createTenant(admin.db, { name: "Acme" });
  const groupRoles = [{ group: "staff", tenantId, role: "owner" as const }];
  const url = await admin.replica({ oidc: provider.settings({ groupRoles }) });
  const ann = { sub: "ann", email: "ann@acme.com", email_verified: true, name: "Ann" };
  const member = await signInAt(url, provider, { ...ann, groups: ["staff"] });
  const stranger = await signInAt(url, provider, { ...ann, sub: "eve", email: "eve@evil.example" });
  assert.equal(stranger.answer.status, 403);
  const refused = await stranger.answer.text();

  const browser = await openBrowser(t);
  const faults: string[] = [];
  const guest = await (await browser.newContext()).newPage();
  await guest.goto(`${url}/sign-in`);
  await guest.getByRole("link", { name: /^Sign in with / }).waitFor();
  faults.push(...(await faultsInLooks("sign-in", guest, [1280, 320])));
  // As the browser shows what the provider's way back is answered with.
  await guest.setContent(refused);
  await guest.getByText("is not allowed to sign in here").waitFor();
  faults.push(...(await faultsInLooks("refused", guest, [1280, 320])));

  const page = await (await signedIn(t, url, member.browser)).newPage();
  for (const path of ["/account", `/tenants/${tenantId}/members`]) {
    await page.goto(url + path);
    faults.push(...(await faultsInLooks(path, page, [1280, 320])));
  }
  assert.deepEqual(faults, []);
});
