import assert from "node:assert/strict";
import { startIngest } from "../fuzz/start-ingest.ts";
import { openBrowser, test, watchPage } from "./open-page.ts";

test("/docs lets a developer search, read, copy and try a request, and asks nobody else for anything", async (t) => {
  const ingest = await startIngest(t);
  const { apiKey } = await ingest.createTenant();
  const browser = await openBrowser(t);
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
  page.setDefaultTimeout(60_000);
  const { faults } = await watchPage(page);
  const elsewhere: string[] = [];
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== "data:" && origin !== ingest.url) elsewhere.push(request.url());
  });
  await page.goto(`${ingest.url}/docs`);
  await page
    .getByRole("button", { name: /Search/ })
    .first()
    .click();
  await page.getByRole("combobox").or(page.getByRole("searchbox")).last().fill("list packages");
  await page
    .getByRole("option", { name: /List the packages to install/ })
    .first()
    .click();
  await page.waitForURL(/#.*packages/i);
  const section = page.getByRole("region", { name: "Trigger an event" });
  const sample = section.getByRole("group", { name: /^Request Example/ }).locator("code");
  const curl = await sample.filter({ hasText: "order.confirmed" }).textContent();
  assert.match(curl ?? "", /^curl http:\/\/127/);
  assert.match(curl ?? "", /x-api-key/);
  assert.doesNotMatch(curl ?? "", /signature/i);

  await section.getByRole("button", { name: /^Test Request/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Value" }).first().fill(apiKey);
  const answered = page.waitForResponse((response) => response.request().method() === "POST");
  await dialog.getByRole("button", { name: /^Send Request/ }).click();
  const answer = await answered;
  assert.equal(answer.status(), 200, await answer.text());
  await dialog.getByText("dispatched securely").first().waitFor();
  assert.equal(await ingest.storedEvents(), 3, "the event, its key, its place in the queue");
  assert.deepEqual(faults, []);
  assert.deepEqual(elsewhere, []);
});
