import type { Page } from "playwright-core";

const PASSWORD = "a quiet bell in the tower";

/** On the page that an invitation's link leads to: as this person, with a password; the first says an address, too. */
export async function join(page: Page, name: string, email?: string): Promise<void> {
  if (email !== undefined) await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Your name").fill(name);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByLabel("Confirm password").fill(PASSWORD);
  await page.getByRole("button", { name: "Create account" }).click();
}
