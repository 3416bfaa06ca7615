import type { TestContext } from "node:test";
import { startAdmin } from "@belfry/admin/test/start-admin";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { putActiveProvider } from "@belfry/administration/test/acts";
import type { Frame, FrameLocator, Page } from "playwright-core";
import { noteFaults } from "./accessible-pages.ts";
import { signedIn } from "./signed-in.ts";

/** A tenant whose editors have one browser context each. */
export async function startEditor(t: TestContext) {
  const admin = await startAdmin(t);
  const { id: tenantId } = await createTenant(admin.db, { name: "Northwind Books" });
  for (const channel of ["EMAIL", "SMS"] as const) {
    const sandbox = { tenantId, channel, kind: "sandbox", settings: {} };
    await putActiveProvider(admin.db, sandbox, { keys: admin.keys });
  }
  /** Adds an editor of the tenant; returns a function that opens a page and collects its unexpected errors. */
  const editor = async (name: string) => {
    const email = `${name.toLowerCase()}@books.example.com`;
    const of = { tenantId, role: "editor" } as const;
    const person = await admin.person({ email, name, of });
    const viewport = { width: 1280, height: 900 };
    const context = await signedIn(t, admin.url, person, { viewport });
    return async () => {
      const page = await context.newPage();
      const faults: string[] = [];
      noteFaults(page, /status of 4(09|22)|ERR_FAILED/, (fault) => faults.push(fault));
      return { page, context, faults };
    };
  };
  /** `base` is the URL of the tenant's pages. */
  return { admin, tenantId, base: `${admin.url}/tenants/${tenantId}`, editor };
}

/** The frame of the mail preview. */
export function mailIn(page: Page | Frame): FrameLocator {
  return page.frameLocator("#preview-frame").frameLocator("iframe");
}

/** To the text mode, where a simple mail is shown in the visual editor. */
export async function writeAsText(page: Page): Promise<void> {
  await page.locator(".cm-content, .ProseMirror").first().waitFor({ state: "attached" });
  const choice = page.locator("#writing-mode:visible [data-mode=text][aria-pressed=false]");
  if ((await choice.count()) > 0) await choice.dispatchEvent("click");
}

/**
 * Waits until the visual editor leaves the caret where it is: up to 20 ms after it gets the focus, it may set its own
 * caret again. On a page, a timer that starts later never ends earlier, however slow the machine is.
 */
export async function waitForCaret(page: Page): Promise<void> {
  await page.locator(".ProseMirror-focused").waitFor();
  await page.evaluate("new Promise((resolve) => setTimeout(resolve, 20))");
}

/** Types at the end of the text. */
export async function typeAtEnd(page: Page, text: string): Promise<void> {
  await writeAsText(page);
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText(text);
}

export async function replaceText(page: Page, text: string): Promise<void> {
  await writeAsText(page);
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
}

export async function waitUntilSaved(page: Page): Promise<void> {
  await page.locator("#draft-state", { hasText: "Draft saved at" }).waitFor();
}
