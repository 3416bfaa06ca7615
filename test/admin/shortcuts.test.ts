import assert from "node:assert/strict";
import { putTemplate } from "@belfry/administration/test/templates";
import { test } from "../browser/open-page.ts";
import { faultsByKeyboard } from "./accessible-pages.ts";
import { signedIn, startOperator } from "./signed-in.ts";

test("a page is reached by the command palette, and what belongs to the tenant is its owner's to set", async (t) => {
  const { admin, id, base } = await startOperator(t);
  const of = { tenantId: id, role: "owner" } as const;
  const owner = await admin.person({ email: "olive@example.com", name: "Olive", of });
  const page = await (await signedIn(t, admin.url, owner)).newPage();
  await page.goto(base);
  await page.waitForLoadState();

  await t.test(
    "Ctrl K, some letters and Enter open a page; anything else is searched for",
    async () => {
      await page.keyboard.press("Control+k");
      const palette = page.getByRole("dialog", { name: "Go to" });
      await palette.waitFor();
      await page.keyboard.type("suppr");
      await page.keyboard.press("Enter");
      await page.waitForURL(/\/suppressions$/);
      await page.waitForLoadState();
      await page.keyboard.press("Control+k");
      await page.keyboard.type("ann@example.com");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.waitForURL(/\/search\?q=ann%40example\.com/);
      await page.waitForLoadState();
    },
  );

  await t.test("? lists the shortcuts, and Esc closes the list", async () => {
    await page.keyboard.press("?");
    const list = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await list.waitFor();
    assert.deepEqual(await faultsByKeyboard("shortcuts", page), []);
    await page.keyboard.press("Escape");
    await list.waitFor({ state: "hidden" });
    await page.setViewportSize({ width: 1280, height: 900 });
    const docs = page.getByRole("link", { name: "API documentation" });
    assert.match((await docs.getAttribute("href")) ?? "", /\/docs$/);
  });

  await t.test("an owner sets language, time zone and quiet hours, and nothing else", async () => {
    await page.goto(`${base}/settings`);
    await page.getByLabel("Time zone").fill("Europe/Nowhere");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText(/Time zone must be a time zone such as/).waitFor();
    await page.getByLabel("Time zone").fill("Europe/Berlin");
    await page.getByLabel("From").fill("22:00");
    await page.getByLabel("To", { exact: true }).fill("07:00");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    const { rows } = await admin.pool.query(
      "select timezone, quiet_from::text from tenants where id = $1",
      [id],
    );
    assert.deepEqual(rows, [{ timezone: "Europe/Berlin", quiet_from: "22:00:00" }]);
    assert.equal(await page.getByLabel("Events a minute").count(), 0);
    assert.equal((await owner.post(`/tenants/${id}/settings`, { perMinute: "1" })).status, 403);
  });

  await t.test("templates are filtered by their event type and state", async () => {
    for (const eventType of ["order.confirmed", "invoice.sent"]) {
      await putTemplate(admin.db, { tenantId: id, eventType, channel: "SMS", content: "x" });
    }
    await page.goto(`${base}/templates`);
    await page.getByLabel("Event type").fill("order");
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByRole("rowheader", { name: "order.confirmed" }).waitFor();
    assert.equal(await page.getByRole("rowheader", { name: "invoice.sent" }).count(), 0);
    await page.getByLabel("State").selectOption("draft");
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByText("No template matches.").waitFor();
  });
});
