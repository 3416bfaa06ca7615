import assert from "node:assert/strict";
import { SCRIPT } from "@belfry/testing/hostile";
import { startPages } from "../../services/ingest-api/test/start-pages.ts";
import { faultsOf } from "../admin/accessible-pages.ts";
import { openBrowser, test, watchPage } from "./open-page.ts";

test("axe finds no fault on any page that a link in a message leads to, in any look, whatever tenants write", async (t) => {
  const { linkTo, address, db, category } = await startPages(t);
  const names: readonly (readonly [string, string, string | null])[] = [
    ["plain", "Acme", null],
    ["pale", "Pale", "#ffff66"],
    ["deep", "Deep", "#101040"],
    ["hostile", `${SCRIPT} ${"W".repeat(200)}`, "#808080"],
  ];
  for (const [id, name, color] of names) {
    await db.insertInto("tenants").values({ id, name, per_minute: 1 }).execute();
    await category(id, "offers", { "": `Offers of ${name}` });
    await category(id, "security", { "": "Security" }, { required: true });
    if (color === null) continue;
    await db
      .insertInto("layouts")
      .values({ tenant_id: id, version: 1, primary_color: color, background_color: color })
      .execute();
  }
  const browser = await openBrowser(t);
  const context = await browser.newContext();
  const press = (name: string) => async (page: import("playwright-core").Page) => {
    await page.getByRole("button", { name }).click();
    await page.waitForLoadState();
  };
  const visits = names.flatMap(([tenantId]) => [
    { name: `${tenantId} asks`, context, url: linkTo("unsubscribe", { tenantId }) },
    {
      name: `${tenantId} unsubscribed`,
      context,
      url: linkTo("unsubscribe", { tenantId }),
      act: press("Unsubscribe"),
    },
    {
      name: `${tenantId} preferences saved`,
      context,
      url: linkTo("preferences", { tenantId }),
      act: press("Save"),
    },
  ]);
  const required = linkTo("unsubscribe", { tenantId: "plain", category: "security" });
  const faults = await faultsOf([
    ...visits,
    { name: "required", context, url: required },
    { name: "dead", context, url: `${address}/unsubscribe/nothing` },
  ]);
  assert.deepEqual(faults, []);
});

test("a person turns a kind of message off and on again in a browser that runs no script", async (t) => {
  const { linkTo, cells } = await startPages(t);
  const browser = await openBrowser(t);
  const context = await browser.newContext({ javaScriptEnabled: false, locale: "de-DE" });
  const page = await context.newPage();
  const { faults } = await watchPage(page);
  await page.goto(linkTo("unsubscribe"));
  await page.getByRole("button", { name: "Abmelden" }).click();
  await page.getByRole("heading", { name: "Sie sind abgemeldet" }).waitFor();
  assert.deepEqual(await cells(), ["offers/EMAIL off (unsubscribe link)"]);
  await page.getByRole("button", { name: "Wieder anmelden" }).click();
  await page.getByRole("heading", { name: "Sie sind wieder angemeldet" }).waitFor();
  assert.deepEqual(await cells(), ["offers/EMAIL on (unsubscribe link)"]);

  await page.goto(linkTo("preferences"));
  const sms = page.getByRole("group", { name: "Angebote" }).getByRole("switch", { name: "SMS" });
  await sms.press("Space");
  await page.getByRole("button", { name: "Speichern" }).click();
  await page.getByText("Ihre Auswahl ist gespeichert.").waitFor();
  assert.equal(await sms.isChecked(), false);
  assert.ok((await cells()).includes("offers/SMS off (preference page)"));
  assert.deepEqual(faults, []);
  assert.deepEqual(await context.cookies(), []);
});
