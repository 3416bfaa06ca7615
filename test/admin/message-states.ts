import type { Page } from "playwright-core";
import { mailIn } from "./editor-page.ts";
import type { SampleTenant } from "./sample-tenant.ts";

/** States of a page after an action: with faults, just created, asking for confirmation. */
export interface PageState {
  path: string;
  act: ((page: Page) => Promise<void>) | undefined;
}

export const at = (path: string, act?: PageState["act"]): PageState => ({ path, act });

/** The pages of a message while somebody edits it. Each state uses its own event type. */
export function messageStates(tenant: SampleTenant): Record<string, PageState> {
  const base = `/tenants/${tenant.id}`;
  const path = `${base}/templates/new`;
  return {
    "message-new": at(path, async (page) => {
      await drawPictures(page);
      await page.getByRole("radio", { name: "Receipt" }).check();
      await page.evaluate("scrollTo(0, 0)");
    }),
    message: at(path, async (page) => {
      await beginReceipt(page, "order.paid");
      await page.getByRole("textbox", { name: "orderNumber", exact: true }).fill("A-1002");
      await page.getByText("Draft saved at").waitFor();
      await page.evaluate("document.activeElement.blur()");
      await page.evaluate("scrollTo(0, 0)");
    }),
    "message-unfilled": at(path, async (page) => {
      await beginReceipt(page, "order.paid.again");
      await page.getByRole("textbox", { name: "name", exact: true }).fill("");
      await page.getByRole("textbox", { name: "orderNumber", exact: true }).fill("");
      await page.locator("#preview-subject .unfilled").waitFor();
    }),
    "message-asked": at(path, async (page) => {
      await beginReceipt(page, "order.asked");
      await page.getByRole("button", { name: "Show a part only if …" }).click();
      await page.getByRole("dialog").waitFor();
    }),
    "message-translation": at(path, async (page) => {
      await beginReceipt(page, "order.translated");
      await page.goto(`${page.url()}?locale=de`);
      await page.getByText("+ Add a language").click();
    }),
    "message-publish": at(`${base}/templates/${tenant.templates.PUSH}`, async (page) => {
      await page.getByLabel("Title").fill("Thank you for order {{ order }}");
      await page.getByText("Draft saved at").waitFor();
      await page.getByRole("button", { name: "Publish …" }).click();
      await page.getByText("What happens").waitFor();
    }),
    "design-faults": at(`${base}/design`, async (page) => {
      await page.getByLabel("Buttons and links", { exact: true }).fill("green");
      await page.getByRole("button", { name: "Publish design" }).click();
      await page.locator("#primaryColor-fault").waitFor();
    }),
  };
}

async function beginReceipt(page: Page, eventType: string): Promise<void> {
  await page.getByRole("radio", { name: "Receipt" }).check();
  await page.getByLabel("Event type").fill(eventType);
  await page.getByRole("button", { name: "Create draft" }).click();
  await mailIn(page).getByText("Thank you, Ada").first().waitFor({ state: "attached" });
}

/** These elements are rendered when they scroll into view. */
async function drawPictures(page: Page): Promise<void> {
  for (const frame of await page.locator(".picture iframe").all()) {
    await frame.scrollIntoViewIfNeeded();
    await frame.contentFrame().locator("body *").first().waitFor({ state: "attached" });
  }
}
