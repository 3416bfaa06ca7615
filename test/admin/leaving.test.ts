import assert from "node:assert/strict";
import { createKey } from "@belfry/administration/tenants/tenant-credentials";
import { actsIn } from "@belfry/administration/test/acts";
import type { Page } from "playwright-core";
import { test } from "../browser/open-page.ts";
import { startOperator } from "./signed-in.ts";

test("what a page of the Admin UI asks, and what leaving and reloading it does", async (t) => {
  const { admin, id, base, page } = await startOperator(t);
  for (const name of ["first key", "the shop"]) await actsIn(admin.db, id)(createKey, { name });
  /** Every POST that left the browser. */
  const posts: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST") posts.push(new URL(request.url()).pathname);
  });
  const asked = asks(page);
  const open = (path: string) => page.goto(base + path);

  await t.test("a dialog's button says what it does, in the colour of danger", async () => {
    await open("/keys");
    await page.getByRole("button", { name: "Revoke key the shop" }).click();
    const dialog = page.getByRole("dialog");
    const yes = dialog.getByRole("button", { name: "Revoke key", exact: true });
    const colour = (locator: typeof yes) =>
      locator.evaluate(
        (node) => node.ownerDocument.defaultView?.getComputedStyle(node).color ?? "",
      );
    const danger = await colour(page.getByRole("button", { name: "Revoke key the shop" }));
    assert.notEqual(danger, await colour(dialog.getByRole("button", { name: "Cancel" })));
    assert.equal(await colour(yes), danger);
    assert.equal(posts.length, 0);
    await yes.click();
    await page.getByText("Key revoked").waitFor();
    assert.equal(await page.getByText("the shop").count(), 0);
    assert.equal(posts.length, 1);
  });

  await t.test("a reload after a form does not send it again, accepted or refused", async () => {
    await page.getByLabel("Name of the new key").fill("another");
    await page.getByRole("button", { name: "Create key" }).click();
    await page.locator("#api-key").waitFor();
    posts.length = 0;
    for (let n = 0; n < 2; n += 1) {
      await page.reload();
      await page.getByText("another", { exact: true }).waitFor();
    }
    assert.equal(await page.locator("#api-key").count(), 0);
    assert.deepEqual(posts, []);

    for (const _ of ["once", "refused, and sent again as it is"]) {
      await page.getByLabel("Old keys stop working after (hours)").fill("soon");
      await page.getByRole("button", { name: "Rotate" }).click();
      await page.locator("#overlapHours-fault").waitFor();
    }
    posts.length = 0;
    asked.answer = true;
    await page.reload();
    assert.equal(await page.getByLabel("Old keys stop working after (hours)").inputValue(), "24");
    assert.equal(new URL(page.url()).pathname, `/tenants/${id}/keys`);
    assert.deepEqual(posts, []);
  });

  await t.test("leaving with something unsaved asks, and staying keeps it", async () => {
    await open("/settings");
    asked.begin();
    const field = page.getByLabel("Events a minute");
    await field.fill("77");
    asked.answer = false;
    await page.getByRole("link", { name: "Members" }).click();
    await asked.once();
    assert.equal(new URL(page.url()).pathname, `/tenants/${id}/settings`);
    assert.equal(await field.inputValue(), "77");
    asked.answer = true;
    await page.getByRole("link", { name: "Members" }).click();
    await page.getByRole("heading", { name: "Members" }).waitFor();
    assert.equal(asked.count, 2);
  });

  await t.test("nobody is asked after saving, of what is as it was, or of a test", async () => {
    asked.begin();
    await open("/settings");
    const field = page.getByLabel("Events a minute");
    await field.fill("77");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    await field.fill("78");
    await field.fill("77");
    await open("/providers/new?channel=EMAIL&kind=sandbox");
    await page.getByRole("button", { name: "Add provider" }).click();
    await page.getByText("Not active yet.").waitFor();
    await page.getByLabel("Email address").fill("ada@example.com");
    await page.getByRole("link", { name: "Members" }).click();
    await page.getByRole("heading", { name: "Members" }).waitFor();
    assert.equal(asked.count, 0);
  });

  await t.test("another form's button asks too; what was refused is not saved either", async () => {
    await open("/providers");
    await page.getByRole("link", { name: "Sandbox", exact: true }).first().click();
    await page.getByLabel("Name", { exact: true }).fill("renamed");
    await page.getByLabel("Email address").fill("ada@example.com");
    asked.answer = false;
    asked.begin();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await asked.once();
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "renamed");
    await page.getByLabel("Maximum calls per second").fill("many");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator("#maxPerSecond-fault").waitFor();
    assert.equal(asked.count, 1);
    asked.answer = true;
    await page.getByRole("link", { name: "Members" }).click();
    await page.getByRole("heading", { name: "Members" }).waitFor();
    assert.equal(asked.count, 2);
  });
});

/** Answers the browser's own question whether to leave, and counts how often it came. */
function asks(page: Page) {
  let told = Promise.withResolvers<void>();
  const asked = {
    answer: true,
    count: 0,
    begin() {
      asked.count = 0;
      told = Promise.withResolvers<void>();
    },
    /** Since the beginning. */
    once: () => told.promise,
  };
  page.on("dialog", async (dialog) => {
    assert.equal(dialog.type(), "beforeunload");
    asked.count += 1;
    await (asked.answer ? dialog.accept() : dialog.dismiss());
    told.resolve();
  });
  return asked;
}
