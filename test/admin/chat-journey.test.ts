import assert from "node:assert/strict";
import { startVendor } from "../../packages/providers/test/loopback-vendor.ts";
import { openBrowser, test, watchPage } from "../browser/open-page.ts";
import { firstLink, startAdminStack } from "./admin-stack.ts";
import { countEffort } from "./count-effort.ts";
import { join } from "./signed-in.ts";

test("who pastes a webhook of Slack and presses Send sees the message there, in four clicks; two more tell it of alerts", async (t) => {
  const stack = await startAdminStack(t);
  const { adminUrl, tenant } = stack.local;
  const slack = await startVendor(t, (response) => response.end("ok"));
  const context = await (await openBrowser(t)).newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  const { faults } = await watchPage(page);
  await page.goto(adminUrl + firstLink(stack));
  await join(page, "Pam", "pam@example.com");
  await page.getByRole("heading", { name: "Tenants" }).waitFor();
  const effort = await countEffort(context);
  await page.goto(`${adminUrl}/tenants/${tenant.id}`);

  await page.getByRole("link", { name: "Providers" }).click();
  await page.getByRole("link", { name: "Slack" }).click();
  await page.getByLabel("Addresses").fill(`ops=${slack.url}/services/T0/B0/secret`);
  await page.getByRole("button", { name: "Add provider" }).click();
  await page.locator("#test input[name=to]").fill("slack:#ops");
  await page.locator("#test").getByRole("button", { name: "Send" }).click();
  await page.getByText("It is in use now").waitFor();

  t.diagnostic(`${effort.clicks} clicks, ${effort.fields.size} fields typed`);
  assert.deepEqual([effort.clicks, effort.fields.size], [4, 2]);
  const [post, ...more] = slack.received;
  assert.deepEqual([post?.path, more.length], ["/services/T0/B0/secret", 0]);
  assert.ok((await page.content()).indexOf("B0/secret") === -1, "the address stays secret");

  await page.goto(`${adminUrl}/alerts`);
  await page.getByLabel("Send through the tenant").selectOption(tenant.id);
  await page.getByRole("button", { name: "Save sender" }).click();
  await page.getByText("Saved.").waitFor();
  await page.goto(`${adminUrl}/tenants`);
  const { clicks } = effort;
  await page.getByRole("link", { name: "Alerts", exact: true }).click();
  const chat = page.getByLabel("Also tell this chat address");
  await chat.fill("slack:#ops");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved.").waitFor();
  assert.equal(await chat.inputValue(), "slack:#ops");
  assert.equal(effort.clicks - clicks, 2);
  assert.deepEqual(faults, []);
}, 600_000);
