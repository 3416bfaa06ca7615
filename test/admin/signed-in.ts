import type { TestBrowser } from "@belfry/admin/test-browser";
import type { Browser, BrowserContext, BrowserContextOptions } from "playwright-core";

/** A browser in which somebody is signed in already. */
export async function signedIn(
  browser: Browser,
  url: string,
  person: TestBrowser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(60_000);
  await context.addCookies([...person.cookies].map(([name, value]) => ({ name, value, url })));
  return context;
}
