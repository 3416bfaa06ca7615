import assert from "node:assert/strict";
import { startAdmin } from "@belfry/admin/test/start-admin";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { actsIn } from "@belfry/administration/test/acts";
import { putCategory } from "@belfry/administration/users/categories";
import { knownUser, saveUsers } from "@belfry/administration/users/users";
import type { Page } from "playwright-core";
import { test } from "../browser/open-page.ts";
import { faultsOf } from "./accessible-pages.ts";
import { signedIn } from "./signed-in.ts";

test("an owner makes, edits and erases a user on a phone; axe finds no fault on the way, on a phone and on a desk", async (t) => {
  const admin = await startAdmin(t);
  await admin.operator();
  const { id: tenantId } = await createTenant(admin.db, { name: "Acme" });
  const of = { tenantId, role: "owner" } as const;
  const owner = await admin.person({ email: "owner@example.com", name: "Ona Owner", of });
  const context = await signedIn(t, admin.url, owner);
  const base = `${admin.url}/tenants/${tenantId}`;
  const save = (page: Page) => page.getByRole("button", { name: "Save" }).click();

  const page = await context.newPage();
  await page.setViewportSize({ width: 375, height: 800 });
  await page.goto(`${base}/users`);
  await page.getByRole("link", { name: "New user" }).click();
  await page.getByLabel("User id").fill("ann/1");
  await page.getByLabel("Email").fill("ann@example.com");
  await page.getByLabel("Time zone").fill("Europe/Vienna");
  await save(page);
  await page.getByRole("heading", { name: "ann/1" }).waitFor();
  await page.getByRole("link", { name: "Edit" }).click();
  await page.getByLabel("From").fill("22:00");
  await page.getByLabel("To", { exact: true }).fill("06:00");
  await save(page);
  await page.getByText("22:00 to 06:00").waitFor();
  const ann = await knownUser(admin.db, tenantId, "ann/1");
  assert.deepEqual([ann?.email, ann?.timezone], ["ann@example.com", "Europe/Vienna"]);

  const edit = `${base}/users/edit?user=ann%2F1`;
  const erase = `${base}/users/erase?user=ann%2F1`;
  const visits = [
    { name: "new user", url: `${base}/users/edit` },
    {
      name: "user with faults",
      url: edit,
      async act(form: Page) {
        await form.getByLabel("Email").fill("nobody");
        await form.getByLabel("To", { exact: true }).fill("");
        await save(form);
        await form.locator("#email-fault").waitFor();
      },
    },
    {
      name: "erase, another id typed",
      url: erase,
      async act(form: Page) {
        await form.getByLabel("User id").fill("ann");
        await form.getByRole("button", { name: "Erase this user" }).click();
        await form.locator("#typed-fault").waitFor();
      },
    },
  ];
  assert.deepEqual(await faultsOf(visits.map((visit) => ({ context, ...visit }))), []);

  await page.getByRole("link", { name: "Erase…" }).click();
  await page.getByLabel("User id").fill("ann/1");
  await page.getByRole("button", { name: "Erase this user" }).click();
  await page.getByText("Queued: users").waitFor();
  assert.equal(await knownUser(admin.db, tenantId, "ann/1"), undefined);
  const progress = { name: "progress", context, url: page.url() };
  const user = { name: "user being erased", context, url: `${base}/users?user=ann%2F1` };
  // The hash of who is erased is long, and without a space.
  const audit = { name: "audit log", context, url: `${base}/audit` };
  assert.deepEqual(await faultsOf([progress, user, audit]), []);
});

test("an editor puts categories in order with the keyboard, without a script", async (t) => {
  const admin = await startAdmin(t);
  await admin.operator();
  const { id: tenantId } = await createTenant(admin.db, { name: "Acme" });
  const editor = await admin.person({
    ...{ email: "editor@example.com", name: "Edi" },
    of: { tenantId, role: "editor" },
  });
  const context = await signedIn(t, admin.url, editor, { javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${admin.url}/tenants/${tenantId}/categories`);
  for (const name of ["Offers", "News", "Account"]) {
    await page.getByLabel("Name").fill(name);
    await page.getByRole("button", { name: "Create category" }).click();
    await page.getByRole("navigation").getByRole("link", { name: "Categories" }).click();
  }
  const order = () => page.locator("tbody a.row-link").allTextContents();
  const press = async (name: string) => {
    await page.getByRole("button", { name }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("Order changed.").waitFor();
  };
  assert.deepEqual(await order(), ["Offers", "News", "Account"], "a new one is the last");
  assert.equal(await page.getByRole("button", { name: "Move up: Offers" }).count(), 0);
  assert.equal(await page.getByRole("button", { name: "Move down: Account" }).count(), 0);
  await press("Move up: Account");
  assert.deepEqual(await order(), ["Offers", "Account", "News"]);
  // The row that moved is where the keyboard goes on.
  await page.keyboard.press("Tab");
  assert.equal(await page.locator(":focus").textContent(), "Account");
  await press("Move down: Offers");
  assert.deepEqual(await order(), ["Account", "Offers", "News"]);
});

test("an editor turns a user's message off and on with a switch, with the keyboard, with scripts or without", async (t) => {
  const admin = await startAdmin(t);
  await admin.operator();
  const { id: tenantId } = await createTenant(admin.db, { name: "Acme" });
  const of = { tenantId, role: "editor" } as const;
  const editor = await admin.person({ email: "editor@example.com", name: "Edi", of });
  const run = actsIn(admin.db, tenantId);
  await run(putCategory, { key: "news", label: { "": "News" }, defaultOn: false });
  await run(putCategory, { key: "receipts", label: { "": "Receipts" }, required: true });
  await saveUsers(admin.db, tenantId, [{ userId: "ann" }]);
  for (const javaScriptEnabled of [false, true]) {
    const page = await (await signedIn(t, admin.url, editor, { javaScriptEnabled })).newPage();
    await page.goto(`${admin.url}/tenants/${tenantId}/users?user=ann`);
    const news = page.getByRole("switch", { name: "News, Email" });
    assert.equal(await news.getAttribute("aria-checked"), "false", "off by default");
    await news.focus();
    for (const [key, state] of [
      ["Space", "true"],
      ["Enter", "false"],
      ["Space", "true"],
    ] as const) {
      await page.keyboard.press(key);
      await page.waitForLoadState();
      await page.locator(`[id="switch-news-EMAIL"][aria-checked=${state}]`).waitFor();
      assert.equal(
        await page.locator(":focus").getAttribute("aria-label"),
        "News, Email",
        "the keyboard stays at the switch",
      );
    }
    await page.getByRole("button", { name: "Reset: News, Email" }).click();
    await page.locator('[id="switch-news-EMAIL"][aria-checked=false]').waitFor();
    const receipts = page.getByRole("switch", { name: "Receipts, Email" });
    assert.deepEqual(
      [await receipts.getAttribute("aria-checked"), await receipts.isDisabled()],
      ["true", true],
    );
  }
});
