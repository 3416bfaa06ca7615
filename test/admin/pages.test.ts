import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { startAdmin } from "@belfry/admin/admin-under-test";
import type { Page } from "playwright-core";
import { openBrowser } from "../browser/open-page.ts";
import { adminPages } from "./admin-pages.ts";
import { sampleTenant } from "./sample-tenant.ts";

const AXE = await readFile(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

// biome-ignore lint/style/noProcessEnv: how a machine without a browser says so
const skip = process.env.BELFRY_WITHOUT_BROWSER === "1" && "BELFRY_WITHOUT_BROWSER=1";

interface Violation {
  id: string;
  help: string;
  nodes: { target: unknown[]; failureSummary: string }[];
}

test("axe finds no fault on any page, light and dark, on a desk and on a phone; no page scrolls sideways or breaks the content policy", {
  skip,
}, async (t) => {
  const admin = await startAdmin(t);
  const operator = await admin.operator();
  const tenant = await sampleTenant(admin.db);
  const browser = await openBrowser(t);
  const signedIn = await browser.newContext();
  await signedIn.addCookies(
    [...operator.cookies].map(([name, value]) => ({ name, value, url: admin.url })),
  );
  const guest = await browser.newContext();
  const work = [
    ...Object.entries(adminPages(tenant)).map(([name, path]) => ({
      name,
      path,
      context: signedIn,
    })),
    { name: "sign-in", path: "/sign-in", context: guest },
  ];
  const faults: string[] = [];
  const visit = async () => {
    for (let next = work.shift(); next !== undefined; next = work.shift()) {
      const page = await next.context.newPage();
      const { name } = next;
      page.on("console", (message) => {
        if (message.type() === "error" && !/404|ws:\/\/|fonts\.googleapis/.test(message.text())) {
          faults.push(`${name}: ${message.text()}`);
        }
      });
      page.on("pageerror", (error) => faults.push(`${name}: ${error.message}`));
      await page.goto(admin.url + next.path);
      faults.push(...(await faultsOf(page, name)));
      await page.close();
    }
  };
  await Promise.all([visit(), visit()]);
  assert.deepEqual(faults, []);
});

async function faultsOf(page: Page, name: string): Promise<string[]> {
  const faults: string[] = [];
  for (const width of [1280, 375]) {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      if (await page.evaluate("document.documentElement.scrollWidth > innerWidth")) {
        faults.push(`${name} at ${width}: wider than the window`);
      }
      if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(AXE);
      // The colours are what changes with the scheme.
      const rules = colorScheme === "dark" ? ["color-contrast"] : undefined;
      for (const { id, nodes } of await violations(page, rules)) {
        const where = nodes.map(({ target }) => target.join(" ")).slice(0, 3);
        faults.push(
          `${name} ${width} ${colorScheme}: ${id} at ${where.join(", ")}: ${nodes[0]?.failureSummary}`,
        );
      }
    }
  }
  return faults;
}

async function violations(page: Page, rules: string[] | undefined): Promise<Violation[]> {
  const options = {
    resultTypes: ["violations"],
    // What is in a mail is the tenant's.
    iframes: false,
    ...(rules === undefined ? {} : { runOnly: { type: "rule", values: rules } }),
  };
  const { violations: found } = (await page.evaluate(
    `axe.run(document, ${JSON.stringify(options)})`,
  )) as { violations: Violation[] };
  return found;
}
