import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { BrowserContext, Page } from "playwright-core";

const AXE = await readFile(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** A page to look at, after something was done on it where `act` says what. */
export interface Visit {
  name: string;
  /** Signed in as somebody, or as nobody. */
  context: BrowserContext;
  url: string;
  act?: ((page: Page) => Promise<void>) | undefined;
}

/** For all pages of a test, on a machine that has much else to do. */
export const MOST_MS = 300_000;

/** Pages that are looked at side by side. */
const AT_ONCE = 2;
const EXPECTED_ERRORS = /404|422|409|ws:\/\/|fonts\.googleapis/;

/** The scheme changes colours and nothing else; all other rules have judged the page in the light one. */
const RULES_BY_SCHEME = { light: {}, dark: { runOnly: ["color-contrast", "link-in-text-block"] } };

interface Violation {
  id: string;
  nodes: { target: unknown[]; failureSummary: string }[];
}

/**
 * Every fault of these pages: what axe finds with all its rules 1280 and 375 px wide, and with those on
 * colours in the dark as well, pages wider than their window, errors of scripts and of the content policy.
 */
export async function faultsOf(visits: readonly Visit[]): Promise<string[]> {
  const faults: string[] = [];
  const work = [...visits];
  const visitAll = async () => {
    for (let next = work.shift(); next !== undefined; next = work.shift()) {
      faults.push(...(await faultsOfVisit(next)));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, visitAll));
  return faults;
}

async function faultsOfVisit({ name, context, url, act }: Visit): Promise<string[]> {
  const faults: string[] = [];
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.on("console", (message) => {
    if (message.type() === "error" && !EXPECTED_ERRORS.test(message.text())) {
      faults.push(`${name}: ${message.text()}`);
    }
  });
  page.on("pageerror", (error) => faults.push(`${name}: ${error.message}`));
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(url);
  await act?.(page);
  faults.push(...(await faultsInLooks(name, page)));
  await page.close();
  return faults;
}

/** Of a page as it stands: in light and dark, at these widths. */
export async function faultsInLooks(
  name: string,
  page: Page,
  widths: readonly number[] = [1280, 375],
): Promise<string[]> {
  const faults: string[] = [];
  await page.evaluate(AXE);
  for (const width of widths) {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      if (await page.evaluate("document.documentElement.scrollWidth > innerWidth")) {
        faults.push(`${name} at ${width}: wider than the window`);
      }
      for (const { id, nodes } of await violations(page, RULES_BY_SCHEME[colorScheme])) {
        const where = nodes.map(({ target }) => target.join(" ")).slice(0, 3);
        const why = nodes[0]?.failureSummary;
        faults.push(`${name} ${width} ${colorScheme}: ${id} at ${where.join(", ")}: ${why}`);
      }
    }
  }
  return faults;
}

async function violations(page: Page, rules: object): Promise<Violation[]> {
  // What is in a mail is the tenant's.
  const options = { resultTypes: ["violations"], iframes: false, ...rules };
  const { violations: found } = (await page.evaluate(
    `axe.run(document, ${JSON.stringify(options)})`,
  )) as { violations: Violation[] };
  return found;
}
