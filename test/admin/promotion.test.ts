import assert from "node:assert/strict";
import { setEnvironment } from "@belfry/administration/templates/environments";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { actsIn } from "@belfry/administration/test/acts";
import { putTemplate } from "@belfry/administration/test/templates";
import { test } from "../browser/open-page.ts";
import { startOperator } from "./signed-in.ts";

test("a person sees what a promotion changes, promotes it, and a locked environment takes nothing else", async (t) => {
  const { admin, id, base, page } = await startOperator(t);
  const { id: staging } = await createTenant(admin.db, { name: "Shop, staging" });
  const sale = { eventType: "sale.began", channel: "SMS" } as const;
  await putTemplate(admin.db, { ...sale, tenantId: id, content: "The sale begins." });
  await putTemplate(admin.db, { ...sale, tenantId: staging, content: "The sale has begun." });
  const family = "shop";
  await actsIn(admin.db, staging)(setEnvironment, { family, environment: "staging" });

  await page.goto(`${base}/settings`);
  await page.getByRole("link", { name: /Environment/ }).click();
  await page.getByLabel("Family").fill(family);
  await page.getByLabel("Environment", { exact: true }).fill("production");
  await page.getByLabel("Promotes from").selectOption(staging);
  await page.getByLabel(/Locked/).check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();

  await page.getByRole("link", { name: "See the differences" }).click();
  const diff = page.getByRole("region", { name: /sale\.began\/SMS\.txt/ });
  assert.match((await diff.textContent()) ?? "", /− The sale begins\..*\+ The sale has begun\./s);

  // Somebody publishes in staging while the page is looked at.
  await putTemplate(admin.db, { ...sale, tenantId: staging, content: "The sale is on." });
  await page.getByRole("button", { name: "Promote" }).click();
  await page.getByText("Something changed a moment ago").waitFor();
  assert.match((await diff.textContent()) ?? "", /\+ The sale is on\./);
  await page.getByRole("button", { name: "Promote" }).click();
  await page.getByText("Published. It is live everywhere within 5 seconds.").waitFor();
  const { rows } = await admin.pool.query(
    "select v.content from templates t join template_variants l on l.template_id = t.id join template_versions v on v.id = l.current_version_id where t.tenant_id = $1",
    [id],
  );
  assert.deepEqual(rows, [{ content: "The sale is on." }]);
  await page.getByRole("link", { name: "See the differences" }).click();
  await page.getByText("Nothing to promote").waitFor();

  await page.goto(`${base}/categories`);
  await page.getByText("Edit them in Shop, staging, and promote them").waitFor();
  assert.equal(await page.getByRole("button", { name: /Add|Create/ }).count(), 0);
});
