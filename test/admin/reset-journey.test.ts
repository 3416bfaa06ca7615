import assert from "node:assert/strict";
import { startAdmin } from "@belfry/admin/test/start-admin";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { openBrowser, test } from "../browser/open-page.ts";
import { faultsByKeyboard, NARROW, tabTo, typeInto } from "./accessible-pages.ts";
import { signedIn } from "./signed-in.ts";

const NEW_PASSWORD = "a new bell in the old tower";

test("who has forgotten the password gets a link from an owner, and sets a new one on a narrow screen by the keyboard alone", async (t) => {
  const admin = await startAdmin(t);
  const { id: tenantId } = await createTenant(admin.db, { name: "Acme" });
  const owner = await admin.person({
    ...{ email: "ann@example.com", name: "Ann" },
    of: { tenantId, role: "owner" },
  });
  const of = { tenantId, role: "viewer" } as const;
  await admin.person({ email: "eve@example.com", name: "Eve", of });
  const browser = await openBrowser(t);
  const owners = await (await signedIn(t, admin.url, owner)).newPage();
  await owners.goto(`${admin.url}/tenants/${tenantId}/members`);
  await owners.getByRole("button", { name: "Create reset link for Eve" }).click();
  await owners.getByRole("dialog").getByRole("button", { name: "Create reset link" }).click();
  const link = (await owners.locator("#reset-link").textContent()) ?? "";

  const context = await browser.newContext({ viewport: NARROW });
  t.after(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const faults: string[] = [];
  const looks = async (name: string) => faults.push(...(await faultsByKeyboard(name, page)));
  const label = (name: string) => page.getByLabel(name, { exact: true });

  await page.goto(`${admin.url}/sign-in`);
  await page.getByText("Forgot your password? Ask an owner of your tenant").waitFor();
  await page.goto(admin.url + new URL(link).pathname);
  await looks("reset");
  assert.equal(await label("Email address").inputValue(), "eve@example.com");
  await typeInto(page, label("New password"), NEW_PASSWORD);
  await typeInto(page, label("Confirm new password"), "something else than that");
  await page.keyboard.press("Enter");
  await page.getByText("Confirm new password does not match").waitFor();
  await looks("reset-fault");
  for (const name of ["New password", "Confirm new password"]) {
    await typeInto(page, label(name), NEW_PASSWORD);
  }
  await tabTo(page, page.getByRole("button", { name: "Set password" }));
  await page.keyboard.press("Enter");
  await page.getByText("Your new password is set").waitFor();
  await looks("sign-in");
  await typeInto(page, label("Email address"), "eve@example.com");
  await typeInto(page, label("Password"), NEW_PASSWORD);
  await page.keyboard.press("Enter");
  await page.waitForURL(`${admin.url}/tenants/${tenantId}`);

  await page.goto(admin.url + new URL(link).pathname);
  await page.getByText("This link was already used").waitFor();
  await looks("reset-used");
  assert.deepEqual(faults, []);
});
