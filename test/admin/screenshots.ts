import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { test } from "node:test";
import { startForOperator } from "@belfry/admin/test/start-admin";
import { PLATFORM_PAGES, tenantPages } from "./admin-pages.ts";
import { pageStates } from "./page-states.ts";
import { sampleFacts } from "./sample-facts.ts";
import { sampleTenant } from "./sample-tenant.ts";
import { signedIn } from "./signed-in.ts";

/**
 * `node test/run.ts test/admin/screenshots.ts`: draws the pictures of the documents into docs/screenshots.
 * With `SCREENSHOTS=folder` every page goes there, in all four looks.
 */
const LOOKS = {
  "": { width: 1200, height: 720, colorScheme: "light" },
  "-dark": { width: 1200, height: 720, colorScheme: "dark" },
  "-phone": { width: 375, height: 780, colorScheme: "light" },
  "-phone-dark": { width: 375, height: 780, colorScheme: "dark" },
} as const;
const OF_THE_DOCUMENTS: [string, keyof typeof LOOKS][] = [
  ["overview", ""],
  ["overview", "-dark"],
  ["message", ""],
  ["message", "-phone"],
  ["message-new", ""],
  ["message-new", "-phone"],
  ["event", ""],
  ["activity", "-dark"],
  ["dead-letters", ""],
  ["overview", "-phone"],
  ["template-sms", "-phone-dark"],
];

test("screenshots", { timeout: 600_000 }, async (t) => {
  const { admin, operator } = await startForOperator(t, { facts: sampleFacts() });
  const tenant = await sampleTenant(admin);
  const context = await signedIn(t, admin.url, operator, {
    ...{ timezoneId: "UTC", reducedMotion: "reduce" },
  });
  const pages: Record<string, string> = { ...tenantPages(tenant), ...PLATFORM_PAGES };
  const states = pageStates(tenant);
  // biome-ignore lint/style/noProcessEnv: a script's own argument
  const everything = process.env.SCREENSHOTS;
  const folder = everything ?? resolve(import.meta.dirname, "../../docs/screenshots");
  await mkdir(folder, { recursive: true });
  // Its banner would cover every screenshot.
  if (everything === undefined) {
    await admin.db.deleteFrom("webhooks").where("disabled_at", "is not", null).execute();
  }
  const wanted =
    everything === undefined
      ? OF_THE_DOCUMENTS
      : [...Object.keys(pages), ...Object.keys(states)].flatMap((name) =>
          (Object.keys(LOOKS) as (keyof typeof LOOKS)[]).map((look) => [name, look] as const),
        );
  const page = await context.newPage();
  let shown: string | undefined;
  for (const [name, look] of wanted) {
    const { width, height, colorScheme } = LOOKS[look];
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    if (name !== shown) {
      await page.goto(admin.url + (pages[name] ?? states[name]?.path));
      await states[name]?.act?.(page);
      // Frames and the live preview must have loaded.
      if (/^(template|message|design|event|outbox-)/.test(name)) await page.waitForTimeout(700);
    }
    shown = name;
    const path = resolve(folder, `admin-${name}${look}.png`);
    await page.screenshot({ path, fullPage: everything !== undefined });
  }
});
