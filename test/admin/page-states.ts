import { replaceText } from "./editor-page.ts";
import { at, messageStates, type PageState } from "./message-states.ts";
import type { SampleTenant } from "./sample-tenant.ts";

export function pageStates(tenant: SampleTenant): Record<string, PageState> {
  const base = `/tenants/${tenant.id}`;
  return {
    ...messageStates(tenant),
    "tenant-faults": at("/tenants/new", async (page) => {
      await page.getByLabel("Name").fill("Acme");
      await page.getByLabel("Events a minute").fill("many");
      await page.getByRole("button", { name: "Create tenant" }).click();
      await page.locator("#perMinute-fault").waitFor();
    }),
    "provider-faults": at(`${base}/providers/new?channel=EMAIL&kind=sendgrid`, async (page) => {
      await page.getByLabel("Name", { exact: true }).fill("second");
      await page.getByLabel("API key").fill("with a space");
      await page.getByLabel("From", { exact: true }).fill("nobody");
      await page.getByRole("button", { name: "Add provider" }).click();
      await page.getByText("must be an email address").waitFor();
    }),
    "provider-tested": at(`${base}/providers`, async (page) => {
      const ofChannel = page.locator("section", {
        has: page.getByRole("heading", { name: "SMS" }),
      });
      await ofChannel.getByRole("link", { name: "Sandbox", exact: true }).first().click();
      await page.getByLabel("Phone number").fill("+12025550123");
      await page.getByRole("button", { name: "Send" }).click();
      await page.getByText("Accepted:").waitFor();
    }),
    "template-faults": at(`${base}/templates/new?eventType=order.sent`, async (page) => {
      await page.getByRole("button", { name: "Create draft" }).click();
      await page.getByLabel("HTML").check();
      await replaceText(page, "<p>Hello {{ name</p>");
      await page.locator("#faults li").first().waitFor();
    }),
    "template-conflict": at(`${base}/templates/${tenant.templates.SMS}`, async (page) => {
      const other = await page.context().newPage();
      await other.goto(page.url());
      await replaceText(other, "Northwind: order {{ order }} leaves {{ delivery }}.");
      await other.getByText("Draft saved at").waitFor();
      await other.close();
      await replaceText(page, "Northwind: {{ order }} is on its way.");
      await page.getByRole("button", { name: "Compare" }).click();
      await page.getByText("while you were writing").first().waitFor();
    }),
    "key-made": at(`${base}/keys`, async (page) => {
      await page.getByRole("button", { name: "Create key" }).click();
      await page.locator("#curl").waitFor();
    }),
    "webhook-secret-made": at(`${base}/keys`, async (page) => {
      await page.getByRole("button", { name: /(Create|Replace) secret/ }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Create secret" }).click();
      await page.locator("#webhook-secret").waitFor();
    }),
    "asked-once-more": at(`${base}/keys`, async (page) => {
      await page
        .getByRole("button", { name: /^Revoke/ })
        .first()
        .click();
      await page.getByRole("dialog").waitFor();
    }),
    invited: at(`${base}/members`, async (page) => {
      await page.getByLabel("Email address").fill("new@books.example.com");
      await page.getByRole("button", { name: "Create invitation link" }).click();
      await page.locator("#link").waitFor();
    }),
    "last-owner": at(`${base}/members`, async (page) => {
      await page.getByRole("button", { name: "Remove member Olive Owner" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove member" }).click();
      await page.getByText("the tenant would have no owner").waitFor();
    }),
    "menu-open": at(base, async (page) => {
      await page.setViewportSize({ width: 375, height: 900 });
      await page.getByRole("button", { name: "Menu" }).click();
    }),
    "figures-open": at(base, async (page) => {
      for (const table of await page.getByText("As a table").all()) await table.click();
    }),
    "event-unknown": at(`${base}/activity?event=nothing`),
    "events-found": at(`${base}/activity?status=failed&channel=EMAIL`),
    "events-not-found": at(`${base}/activity?user=nobody&from=x`),
    "import-faults": at(`${base}/users/import`, async (page) => {
      await page.getByLabel("CSV file").setInputFiles({
        name: "unsubscribes.csv",
        mimeType: "text/csv",
        buffer: Buffer.from("user,category,channel\nann,none,EMAIL\n"),
      });
      await page.getByText("unsubscribes.csv is in the field below").waitFor();
      await page.getByRole("button", { name: "Import" }).click();
      await page.getByText("line 2: category must be").waitFor();
    }),
    "category-not-deleted": at(`${base}/categories/offers`, async (page) => {
      await page.getByRole("button", { name: "Delete category" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete category" }).click();
      await page.getByText("Not deleted").waitFor();
    }),
    "category-faults": at(`${base}/categories`, async (page) => {
      await page.getByLabel("Name", { exact: true }).fill("Offers");
      await page.getByRole("button", { name: "Create category" }).click();
      await page.getByText("is that of another category").waitFor();
    }),
    "turned-off-by-hand": at(`${base}/users?user=ada`, async (page) => {
      await page.getByRole("switch", { name: "All categories, SMS" }).click();
      await page.getByText("Turned off. It applies").waitFor();
    }),
    "quiet-hours-faults": at(`${base}/settings`, async (page) => {
      await page.getByLabel("From", { exact: true }).fill("22:00");
      await page.getByRole("button", { name: "Save" }).click();
      await page.locator("#quiet-fault").waitFor();
    }),
    "replies-fault": at(`${base}/replies?number=nobody`),
    "user-fault": at(`${base}/users?user=a%00b`),
  };
}
