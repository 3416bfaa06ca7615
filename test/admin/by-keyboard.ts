import type { Locator, Page } from "playwright-core";
import { faultsInLooks } from "./accessible-pages.ts";

/** The narrowest phone. */
export const NARROW = { width: 320, height: 640 };

/** The faults of a page as it stands, on a desk and on that phone, which it is left on. */
export async function faultsByKeyboard(name: string, page: Page): Promise<string[]> {
  const faults = await faultsInLooks(name, page, [1280, NARROW.width]);
  await page.setViewportSize(NARROW);
  await page.emulateMedia({ colorScheme: "light" });
  return faults;
}

/** By the key alone, as far as it takes. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press("Tab");
    if (await target.evaluate((node) => node === node.ownerDocument.activeElement)) return;
  }
  throw new Error(`no way by the keyboard to ${target}`);
}

/** Into a field that the key leads to. */
export async function typeInto(page: Page, field: Locator, text: string): Promise<void> {
  await tabTo(page, field);
  await page.keyboard.type(text);
}
