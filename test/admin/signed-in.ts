import type { TestBrowser } from "@belfry/admin/test/browser";
import { startForTenant } from "@belfry/admin/test/start-admin";
import type { Cleanup } from "@belfry/testing/cleanup";
import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { openBrowser } from "../browser/open-page.ts";

/** Signs in the first operator and creates a tenant; the URLs of its pages start with `base`. */
export async function startOperator(t: Cleanup, options?: BrowserContextOptions) {
  const { admin, operator, id } = await startForTenant(t);
  const context = await signedIn(t, admin.url, operator, options);
  const page = await context.newPage();
  return { admin, id, base: `${admin.url}/tenants/${id}`, context, page };
}

/** A browser context in which the person is signed in. */
export async function signedIn(
  t: Cleanup,
  url: string,
  person: TestBrowser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await (await openBrowser(t)).newContext(options);
  context.setDefaultTimeout(60_000);
  await context.addCookies([...person.cookies].map(([name, value]) => ({ name, value, url })));
  return context;
}

const PASSWORD = "a quiet bell in the tower";

/** Accepts an invitation on its page: enters name and password, and for the first operator the email address. */
export async function join(page: Page, name: string, email?: string): Promise<void> {
  if (email !== undefined) await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Your name").fill(name);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByLabel("Confirm password").fill(PASSWORD);
  await page.getByRole("button", { name: "Create account" }).click();
}
