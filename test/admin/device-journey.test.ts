import assert from "node:assert/strict";
import { createClient } from "@belfry/client";
import { eventually } from "@belfry/testing/eventually";
import { createBrowser, startPushService } from "../../packages/providers/test/push-judge.ts";
import { openBrowser, test, watchPage } from "../browser/open-page.ts";
import { firstLink, startAdminStack } from "./admin-stack.ts";
import { countEffort } from "./count-effort.ts";
import { replaceText, waitUntilSaved } from "./editor-page.ts";
import { join } from "./signed-in.ts";

const SOON = { everyMs: 500 };
const USER = "journey";
const MOST_CLICKS = 14;
const EVENT = "ticket.answered";

test("who turns on Web Push and publishes a message sees on which devices it arrived, and why not on the third", async (t) => {
  const stack = await startAdminStack(t);
  const { adminUrl, apiUrl, tenant } = stack.local;
  const base = `${adminUrl}/tenants/${tenant.id}`;
  const context = await (await openBrowser(t)).newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  const { faults } = await watchPage(page);
  await page.goto(adminUrl + firstLink(stack));
  await join(page, "Pam", "pam@example.com");
  await page.getByRole("heading", { name: "Tenants" }).waitFor();
  // Removes the accounts of the demo, so that the tenant is like a new one.
  const section = page.locator("section", { has: page.getByRole("heading", { name: "Device" }) });
  for (const account of ["Web Push", "Sandbox"]) {
    await page.goto(`${base}/providers`);
    await section.getByRole("link", { name: account, exact: false }).first().click();
    await page.getByRole("button", { name: "Delete provider" }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Delete/ })
      .click();
    await page.getByText("deleted").first().waitFor();
  }
  // The browsers of a user, as the tenant's backend registers them. The push service does not know the third any more.
  const service = await startPushService(t, {
    now: Date.now,
    answer: (response, { path }) => response.writeHead(path === "/old" ? 410 : 201).end(),
  });
  const { keys, read } = createBrowser();
  for (const name of ["laptop", "old", "desk"]) {
    const subscription = { endpoint: `${service.url}/${name}`, keys };
    const answer = await fetch(`${apiUrl}/api/v1/users/${USER}/devices/${name}`, {
      method: "PUT",
      headers: { "x-api-key": tenant.apiKey, "content-type": "application/json" },
      body: JSON.stringify({ kind: "webpush", subscription, name: `the ${name}` }),
    });
    assert.equal(answer.status, 200, await answer.text());
  }
  await page.goto(base);
  const effort = await countEffort(context);
  await page.reload();

  await page.getByRole("link", { name: "Providers" }).click();
  await page.getByRole("link", { name: "Web Push" }).click();
  await page.getByLabel("Contact").fill("mailto:ops@example.com");
  await page.getByRole("button", { name: "Add provider" }).click();
  await page.locator("#test input[name=to]").fill(USER);
  await page.locator("#test").getByRole("button", { name: "Send" }).click();
  await page.getByText("It is in use now").waitFor();
  assert.match(read(service.received[0]!.body), /This is a test from Belfry/);

  await page.getByRole("link", { name: "Templates" }).first().click();
  await page.getByRole("link", { name: "New message" }).click();
  await page.getByLabel("Event type").fill(EVENT);
  await page.getByRole("checkbox", { name: "Email" }).click();
  await page.getByRole("checkbox", { name: "Device" }).click();
  await page.getByRole("button", { name: "Create draft" }).click();
  await page.getByRole("textbox", { name: "Title" }).fill("Your ticket {{ number }}");
  await replaceText(page, "We have answered.");
  await waitUntilSaved(page);
  await page.getByRole("button", { name: "Publish …" }).click();
  await page.getByRole("button", { name: /^Publish English/ }).click();
  await page.getByText("Published.").waitFor();

  const client = createClient({ baseUrl: apiUrl, apiKey: tenant.apiKey });
  let count = 0;
  await eventually(async () => {
    count += 1;
    const payload = { userId: USER };
    const { id } = await client.trigger(
      { eventType: EVENT, payload, variables: { number: count } },
      { idempotencyKey: `ticket-${count}` },
    );
    const status = async () => (await client.event(id)).channels.DEVICE?.status;
    await eventually(async () => (await status()) !== undefined);
    // Until the template is in force, the event's type has none.
    return (await status()) !== "skipped";
  }, SOON);
  await page.getByRole("link", { name: "Activity" }).click();
  await page.getByRole("link", { name: EVENT }).first().click();
  await eventually(() => service.received.length === 4);
  await page.reload();
  for (const line of [
    /the laptop.*accepted/,
    /the desk.*accepted/,
    /device old, webpush: unknown to its vendor, so the device was deleted \(410\)/,
  ]) {
    await page.getByText(line).first().waitFor();
  }
  assert.ok(effort.clicks <= MOST_CLICKS, `${effort.clicks} clicks`);
  t.diagnostic(`${effort.clicks} clicks, ${effort.fields.size} fields typed`);
  assert.match(read(service.received.at(-1)!.body), /Your ticket/);
  assert.deepEqual(
    faults.filter((fault) => !fault.includes("422")),
    [],
  );
}, 600_000);
