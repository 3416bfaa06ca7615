import assert from "node:assert/strict";
import { eventually } from "@belfry/testing/eventually";
import type { Page } from "playwright-core";
import { openBrowser, test, watchPage } from "../browser/open-page.ts";
import { faultsInLooks } from "./accessible-pages.ts";
import { firstLink, startAdminStack } from "./admin-stack.ts";
import { join } from "./signed-in.ts";

const WIDTHS = [1280, 320];

test("Belfry mails an invitation and a reset link once a tenant sends its mail; an owner chooses alerts by switches", async (t) => {
  const stack = await startAdminStack(t);
  const { adminUrl, tenant } = stack.local;
  const members = `${adminUrl}/tenants/${tenant.id}/members`;
  const browser = await openBrowser(t);
  const faults: string[] = [];
  const errors: string[][] = [];
  const open = async () => {
    const page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(120_000);
    errors.push((await watchPage(page)).faults);
    return page;
  };
  const operator = await open();
  await operator.goto(adminUrl + firstLink(stack));
  await join(operator, "Olga", "olga@example.com");

  // No tenant sends it yet: the page says so, and an invitation is a link to copy.
  await operator.getByRole("link", { name: "Alerts", exact: true }).click();
  await operator.getByText("No emails are sent yet: choose the tenant that sends them").waitFor();
  await invite(operator, members, "vera@example.com", "viewer");
  await operator.getByText("Send this link to vera@example.com").waitFor();

  await operator.goto(`${adminUrl}/tenants/new`);
  await operator.getByLabel("Name", { exact: true }).fill("Our platform");
  await operator.getByRole("button", { name: "Create tenant" }).click();
  await operator.locator("#api-key").waitFor();
  const platform = new URL(operator.url()).pathname.replace("/keys", "");
  await operator.goto(`${adminUrl}${platform}/providers/new?channel=EMAIL&kind=sandbox`);
  await operator.getByRole("button", { name: "Add provider" }).click();
  await operator.getByLabel("Email address").fill("test@example.com");
  await operator.getByRole("button", { name: "Send" }).click();
  await operator.getByText("Accepted:").waitFor();
  await operator.goto(`${adminUrl}/alerts`);
  await operator.getByLabel("Send through the tenant").selectOption("Our platform");
  await operator.getByRole("button", { name: "Save sender" }).click();
  await operator.getByText("Saved.").waitFor();
  assert.equal(await operator.locator("#no-mail").count(), 0);
  faults.push(...(await faultsInLooks("alerts of all tenants", operator, WIDTHS)));

  /** Of the sandbox message with this subject: where its button leads. */
  const linkOf = async (subject: string, button: string): Promise<string> => {
    await eventually(async () => {
      await operator.goto(`${adminUrl}${platform}/outbox`);
      assert.equal(await operator.getByRole("link", { name: subject }).count(), 1);
    });
    await operator.getByRole("link", { name: subject }).click();
    const link = operator.frameLocator("iframe").getByRole("link", { name: button });
    return (await link.getAttribute("href")) ?? "";
  };

  await invite(operator, members, "olive@example.com", "owner");
  await operator.getByText("We have emailed this link to olive@example.com").waitFor();
  const shown = await operator.locator("#link").textContent();
  const invitation = await linkOf("You've been invited to join", "Accept the invitation");
  assert.equal(invitation, shown);
  // Its variables are gone: the link is a secret.
  await operator.locator('a[href*="/activity/"]').click();
  await operator.getByRole("heading", { name: "global.belfry-invitation" }).waitFor();
  assert.ok(!(await operator.content()).includes(invitation.split("/").at(-1)!));

  const owner = await open();
  await owner.goto(invitation);
  await join(owner, "Olive");
  await owner.getByText("Welcome.").waitFor();
  await owner.goto(members);
  await owner.getByRole("link", { name: "Choose which alerts you get by email" }).click();
  const alert = (name: string, checked: boolean) => owner.getByRole("switch", { name, checked });
  await alert("A provider is paused", true).click();
  await alert("Messages were not delivered", true).waitFor();
  await owner.getByRole("button", { name: "Save" }).click();
  await owner.getByText("Saved.").waitFor();
  await alert("A provider is paused", false).waitFor();
  await alert("Messages were not delivered", true).waitFor();
  faults.push(...(await faultsInLooks("alerts of a tenant", owner, WIDTHS)));
  await owner.goto(`${adminUrl}/account`);
  await owner.getByRole("link", { name: /Choose your alerts of/ }).click();
  await alert("A provider is paused", false).waitFor();

  await operator.goto(members);
  await operator.getByRole("button", { name: "Create reset link for Olive" }).click();
  await operator.getByRole("dialog").getByRole("button", { name: "Create reset link" }).click();
  await operator.getByText("We have emailed this link to olive@example.com").waitFor();
  await owner.goto(await linkOf("Set a new password for Belfry", "Set a new password"));
  await owner.getByLabel("New password", { exact: true }).waitFor();
  assert.equal(await owner.getByLabel("Email address").inputValue(), "olive@example.com");
  assert.deepEqual(faults, []);
  assert.deepEqual(errors.flat(), []);
});

async function invite(page: Page, members: string, email: string, role: string): Promise<void> {
  await page.goto(members);
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Role", { exact: true }).selectOption(role);
  await page.getByRole("button", { name: "Create invitation link" }).click();
}
