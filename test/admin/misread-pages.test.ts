import assert from "node:assert/strict";
import { storeWaiting } from "@belfry/admin/test/store-waiting";
import { test } from "../browser/open-page.ts";
import { startOperator } from "./signed-in.ts";

/** Pages that once misled their readers. */
test("pages say what happened, and what was typed stays", async (t) => {
  const { admin, id, base, page } = await startOperator(t);
  const open = async (path: string) => {
    await page.goto(`${base}${path}`);
    await page.waitForLoadState();
  };

  await t.test("a cancelled event is not about to be dispatched", async () => {
    await storeWaiting(admin.pool, id, { scheduled: 1 });
    const { rows } = await admin.pool.query("select event_id from scheduled_events");
    await open(`/activity/${rows[0].event_id}`);
    await page.getByRole("button", { name: /^Cancel/ }).click();
    await page.locator("#confirm button[value=yes]").click();
    await page.getByText("It was cancelled before it was sent.").waitFor();
    assert.equal(await page.getByText(/not dispatched yet/i).count(), 0);
  });

  await t.test(
    "what a paused provider holds back says so; a time to come is never now",
    async () => {
      await storeWaiting(admin.pool, id, { held: 1, text: "parcel" });
      await admin.pool.query(
        `update deliveries set due_at = now() + interval '90 s',
         reason = '#provider-paused {"why":"SendGrid refused the key"}'
       where channel = 'SMS'`,
      );
      await open("/waiting");
      const held = page.locator("#held");
      await held.getByText("Held: the provider is paused").first().waitFor();
      await held
        .getByText(/in (1|2) minutes?|in \d+ seconds/)
        .first()
        .waitFor();
      await held.locator(".row-link").click();
      await page.locator("#waits").getByText("the provider is paused").waitFor();
    },
  );

  await t.test("channels that an event was never for stand folded, behind the others", async () => {
    await admin.pool.query(
      `update events set dispatched_at = now(), outcome = $1 where event_type = 'parcel'`,
      [JSON.stringify({ skipped: { EMAIL: "#no-template", PUSH: "#no-template" } })],
    );
    await page.reload();
    const others = page.locator("#not-meant");
    await others.getByText("Not meant for Push, Email").waitFor();
    assert.equal(await others.getByText("no active template").first().isVisible(), false);
  });

  await t.test("after a fault in its test a provider is still to be activated", async () => {
    await open("/providers/new?channel=EMAIL&kind=sandbox");
    await page.getByRole("button", { name: "Add provider" }).click();
    await page.waitForURL(/providers\/[0-9a-f-]{36}/);
    await page.getByLabel(/^Activate it/).check();
    await page.locator("input[name=to]").fill("nobody");
    await page.locator("form[action$='/test']").evaluate((form) => {
      (form as unknown as { noValidate: boolean }).noValidate = true;
    });
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.locator(".fault").first().waitFor();
    assert.ok(await page.getByLabel(/^Activate it/).isChecked());
  });

  await t.test("one wrong address is one fault; a colour needs no sign before it", async () => {
    await open("/suppressions");
    await page.getByLabel("Address", { exact: true }).fill("not an address");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.locator(".fault").waitFor();
    assert.equal((await page.locator(".fault").textContent())?.split(";").length, 1);
    await open("/design");
    await page.locator("input[name=primaryColor]").fill("7A1F5C");
    await page.getByRole("button", { name: "Publish design" }).click();
    await page
      .getByText(/live everywhere within 5 seconds|^Saved/)
      .first()
      .waitFor();
    assert.equal(await page.locator("input[name=primaryColor]").inputValue(), "#7a1f5c");
  });

  await t.test("time zones and languages are offered by what one types", async () => {
    await open("/users/edit");
    const offered = (list: string) => page.locator(`#${list} option`).count();
    assert.equal(await page.getByLabel("Time zone").getAttribute("list"), "time-zones");
    assert.ok((await offered("time-zones")) > 300);
    assert.ok((await offered("locales")) > 30);
  });
});
