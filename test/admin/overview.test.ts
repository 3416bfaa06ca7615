import assert from "node:assert/strict";
import { storeMails } from "@belfry/admin/test/store-mails";
import { test } from "../browser/open-page.ts";
import { faultsInLooks, NARROW } from "./accessible-pages.ts";
import { countEffort } from "./count-effort.ts";
import { startOperator } from "./signed-in.ts";

test("why 84 % of mail fails: the overview says it first, and two clicks lead to what the vendor answered", async (t) => {
  const { admin, id, base, context, page } = await startOperator(t);
  const effort = await countEffort(context);
  await storeMails(admin, id, { all: 50, failed: 42 });
  await page.goto(base);
  const said = "42 of 50 emails failed in the last hour: SendGrid refused the key";
  const first = page.locator("#main .note, #main .card").first();
  assert.equal((await first.textContent())?.trim(), said);
  assert.deepEqual(await faultsInLooks("overview", page, [1280, NARROW.width]), []);
  await page.setViewportSize({ width: 1280, height: 900 });

  const begun = performance.now();
  await page.getByRole("link", { name: said }).click();
  await page.getByRole("heading", { name: "Dead letters" }).waitFor();
  await page.getByText("account or settings · show all").waitFor();
  await page.locator(".row-link").first().click();
  await page.getByText("SendGrid refused the key").first().waitFor();
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  t.diagnostic(`${effort.clicks} clicks, ${effort.fields.size} fields typed, ${seconds} s`);
  assert.deepEqual([effort.clicks, effort.fields.size], [2, 0]);
});

test("a reader picks range, group and figure, and opens a plot as a table", async (t) => {
  const { admin, id, base, page } = await startOperator(t);
  await storeMails(admin, id, { all: 10, failed: 5 });
  await page.goto(base);
  await page.getByRole("link", { name: "Month" }).click();
  await page.getByRole("link", { name: "Event type", exact: true }).click();
  await page.getByRole("link", { name: "Failed", exact: true }).click();
  const plot = page.getByRole("img", { name: "Event type: Failed" });
  await plot.first().waitFor();
  assert.match(page.url(), /range=month&by=type&show=failed/);
  const card = page.locator("#by-group");
  await card.getByText("As a table").click();
  const row = card.locator("details tbody tr").last();
  assert.deepEqual(await row.locator(".num").allTextContents(), ["3", "2"]);
  await page.goto(`${admin.url}/overview`);
  await page.getByRole("link", { name: "5 of 10 emails failed in the last hour" }).waitFor();
  assert.deepEqual(await faultsInLooks("operators", page, [1280, NARROW.width]), []);
});
