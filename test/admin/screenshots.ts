import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { test } from "node:test";
import { startAdmin } from "@belfry/admin/admin-under-test";
import { openBrowser } from "../browser/open-page.ts";
import { adminPages } from "./admin-pages.ts";
import { sampleTenant } from "./sample-tenant.ts";

/**
 * `node test/run.ts test/admin/screenshots.ts`: draws the pictures of the README into docs/screenshots.
 * With `SCREENSHOTS=folder` every page goes there, in all four looks.
 */
const LOOKS = {
  "": { width: 1200, height: 720, colorScheme: "light" },
  "-dark": { width: 1200, height: 720, colorScheme: "dark" },
  "-phone": { width: 375, height: 780, colorScheme: "light" },
  "-phone-dark": { width: 375, height: 780, colorScheme: "dark" },
} as const;
const OF_THE_README: [keyof ReturnType<typeof adminPages>, keyof typeof LOOKS][] = [
  ["overview", ""],
  ["overview", "-dark"],
  ["template-email", ""],
  ["event", ""],
  ["activity", "-dark"],
  ["dead-letters", ""],
  ["overview", "-phone"],
  ["template-sms", "-phone-dark"],
];

test("screenshots", async (t) => {
  const admin = await startAdmin(t);
  const operator = await admin.operator();
  const tenant = await sampleTenant(admin.db);
  const browser = await openBrowser(t);
  const context = await browser.newContext({ timezoneId: "UTC", reducedMotion: "reduce" });
  await context.addCookies(
    [...operator.cookies].map(([name, value]) => ({ name, value, url: admin.url })),
  );
  const pages = adminPages(tenant);
  // biome-ignore lint/style/noProcessEnv: a script's own argument
  const everything = process.env.SCREENSHOTS;
  const folder = everything ?? resolve(import.meta.dirname, "../../docs/screenshots");
  await mkdir(folder, { recursive: true });
  const wanted =
    everything === undefined
      ? OF_THE_README
      : Object.keys(pages).flatMap((name) =>
          (["", "-phone"] as const).map((look) => [name, look] as const),
        );
  const page = await context.newPage();
  for (const [name, look] of wanted) {
    const { width, height, colorScheme } = LOOKS[look];
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    await page.goto(admin.url + pages[name]);
    if (name.startsWith("template")) await page.waitForTimeout(700);
    const path = resolve(folder, `admin-${name}${look}.png`);
    await page.screenshot({ path, fullPage: everything !== undefined });
  }
});
