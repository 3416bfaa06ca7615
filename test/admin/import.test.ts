import assert from "node:assert/strict";
import { actsIn } from "@belfry/administration/test/acts";
import { putCategory } from "@belfry/administration/users/categories";
import type { Page, Route } from "playwright-core";
import { openBrowser, test } from "../browser/open-page.ts";
import { startOperator } from "./signed-in.ts";

const LINES = 4_000;
const isImport = (url: URL) => url.pathname.endsWith("/import");
const state = (page: Page) => page.locator("#import-state");

/** Lets through as many imports as are asked for; the others wait. */
async function heldImports(page: Page) {
  const waiting: Route[] = [];
  let arrived = Promise.withResolvers<void>();
  await page.route(isImport, async (route) => {
    if (route.request().method() !== "POST") return await route.continue();
    waiting.push(route);
    arrived.resolve();
  });
  return async (then: "continue" | "abort" = "continue") => {
    await arrived.promise;
    arrived = Promise.withResolvers<void>();
    await waiting.shift()?.[then]();
  };
}

test("an import of unsubscribes shows how many of how many lines are done, then the outcome, without a reload", async (t) => {
  const { admin, id: tenantId, page, base } = await startOperator(t);
  await actsIn(admin.db, tenantId)(putCategory, { key: "offers", label: { "": "Offers" } });
  const count = async () =>
    (await admin.pool.query("select count(*)::integer as n from preferences")).rows[0].n;
  await page.goto(`${base}/users/import`);
  let loads = 0;
  page.on("load", () => (loads += 1));
  const rows = Array.from({ length: LINES }, (_, at) => `user-${at},offers,EMAIL`);
  const upload = async (lines: string[]) => {
    const buffer = Buffer.from(["user,category,channel", ...lines].join("\n"));
    await page
      .getByLabel("CSV file")
      .setInputFiles({ name: "off.csv", mimeType: "text/csv", buffer });
    await page.getByText("off.csv is in the field below.").waitFor();
    await page.getByRole("button", { name: "Import" }).click();
  };

  // A bad last line refuses all, before anything is written.
  await upload([...rows, "user-x,none,EMAIL"]);
  await page.getByText(`line ${LINES + 2}: category must be`).waitFor();
  assert.equal(await count(), 0);

  const next = await heldImports(page);
  await upload(rows);
  const bar = page.getByRole("progressbar");
  await next();
  await state(page).getByText("1,000 of 4,000 lines").waitFor();
  assert.equal(await bar.getAttribute("value"), "0.25");
  assert.equal(await count(), 1_000);
  await next();
  await state(page).getByText("2,000 of 4,000 lines").waitFor();
  await next("abort");
  await state(page).getByText("It stopped after 2,000 lines").waitFor();
  assert.equal(await count(), 2_000);

  // Once more: what is done stays as it is.
  await page.getByRole("button", { name: "Import" }).click();
  for (let share = 1; share <= 4; share += 1) await next();
  await state(page)
    .getByText("Done. Lines: 4,000. Newly turned off: 2,000. Already off: 2,000.")
    .waitFor();
  assert.deepEqual([await count(), await bar.isVisible(), loads], [LINES, false, 0]);
});

test("an import of suppressions without scripts is one form, with scripts it says which lines were left out", async (t) => {
  const { admin, context, page, base } = await startOperator(t);
  const count = async () =>
    (await admin.pool.query("select count(*)::integer as n from suppressions")).rows[0].n;
  await page.goto(`${base}/suppressions/import`);
  await page.getByLabel("Addresses").fill("ann@example.com\nann@example.com\nnobody");
  await page.getByRole("button", { name: "Suppress" }).click();
  await page.getByText("line 3: must be").waitFor();
  assert.equal(await count(), 0);
  await page.getByLabel("Skip lines with errors").check();
  await page.getByRole("button", { name: "Suppress" }).click();
  await state(page).getByText("Done. Lines: 3. Added: 1. Duplicates: 1. Left out: 1.").waitFor();
  await page.getByText("line 3: must be").waitFor();
  assert.equal(await count(), 1);

  const plain = await (await openBrowser(t)).newContext({ javaScriptEnabled: false });
  await plain.addCookies(await context.cookies());
  const form = await plain.newPage();
  await form.goto(`${base}/suppressions/import`);
  await form.getByLabel("Addresses").fill("ann@example.com\nbob@example.com");
  await form.getByRole("button", { name: "Suppress" }).click();
  await form.getByText("Done: 2 lines. 1 added").waitFor();
  assert.equal(await count(), 2);
});
