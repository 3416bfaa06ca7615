import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { BrowserContext, Locator, Page } from "playwright-core";

const AXE = await readFile(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** A page to check; `act` performs an action on it first. */
export interface Visit {
  name: string;
  /** The browser context: signed in or anonymous. */
  context: BrowserContext;
  url: string;
  act?: ((page: Page) => Promise<void>) | undefined;
}

/** The number of pages checked in parallel. */
const AT_ONCE = 2;
const EXPECTED_ERRORS = /404|422|409|ws:\/\/|fonts\.googleapis/;

const DESK = 1280;
const PHONE = 375;
/** The axe rules whose result depends on the dark color scheme. */
const COLOURS = ["color-contrast", "link-in-text-block"];
/** The axe rules whose result depends on width or color scheme; names, roles and structure do not. */
const LAYOUT = [...COLOURS, "target-size", "scrollable-region-focusable", "css-orientation-lock"];

interface Look {
  width: number;
  colorScheme: "light" | "dark";
  /** Run only these axe rules. */
  runOnly?: string[];
}
/**
 * Of many pages each has one of these in turn: what all of them share is judged by every rule at both widths, and what
 * is a page's own at one of them, and at the other, in the other scheme, by what can differ there.
 */
const IN_TURN: readonly (readonly Look[])[] = [
  [
    { width: DESK, colorScheme: "light" },
    { width: PHONE, colorScheme: "dark", runOnly: LAYOUT },
  ],
  [
    { width: PHONE, colorScheme: "light" },
    { width: DESK, colorScheme: "dark", runOnly: LAYOUT },
  ],
];

interface Violation {
  id: string;
  nodes: { target: unknown[]; failureSummary: string }[];
}

/**
 * Every fault of these pages: what axe finds 1280 and 375 px wide, at one of them light and with all its rules, at the
 * other dark; pages wider than their window, errors of scripts and of the content policy.
 */
export async function faultsOf(visits: readonly Visit[]): Promise<string[]> {
  const faults: string[] = [];
  const work = [...visits.entries()];
  const visitAll = async () => {
    let visiting = "";
    const note = (fault: string) => faults.push(`${visiting}: ${fault}`);
    const pages = new Map<BrowserContext, Page>();
    for (let next = work.shift(); next !== undefined; next = work.shift()) {
      const [at, { name, context, url, act }] = next;
      visiting = name;
      // Navigating an open page keeps its renderer process and compiled scripts.
      const page = pages.get(context) ?? (await watchedPage(context, note));
      pages.set(context, page);
      await page.setViewportSize({ width: DESK, height: 900 });
      await page.goto(url);
      await act?.(page);
      faults.push(...(await faultsOfPage(name, page, IN_TURN[at % IN_TURN.length]!)));
    }
    await Promise.all([...pages.values()].map((page) => page.close()));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, visitAll));
  return faults;
}

async function watchedPage(context: BrowserContext, note: (fault: string) => void): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  noteFaults(page, EXPECTED_ERRORS, note);
  return page;
}

/** Script errors and unexpected console errors. */
export function noteFaults(page: Page, expected: RegExp, note: (fault: string) => void): void {
  page.on("console", (message) => {
    if (message.type() === "error" && !expected.test(message.text())) note(message.text());
  });
  page.on("pageerror", (error) => note(error.message));
}

/** The accessibility faults of the current page, in light and dark, at these widths. */
export function faultsInLooks(name: string, page: Page, widths: readonly number[]) {
  const looks = widths.flatMap((width): Look[] => [
    { width, colorScheme: "light" },
    { width, colorScheme: "dark", runOnly: COLOURS },
  ]);
  return faultsOfPage(name, page, looks);
}

/** From the narrowest phone to a desktop. */
const WIDTHS = [320, 375, 768, 1280];

/** What a reader expects on one line: longer words and numbers are ids and addresses. */
const WORD = String.raw`/(?<![\p{L}\p{N}_.@/:-])\p{L}{2,16}(?![\p{L}\p{N}_.@/:-])/gu`;

/** What sticks out of the window or of its card, and words of a cell or row that are broken into several lines. */
const LAYOUT_FAULTS = `(() => {
  const faults = [];
  const named = (element) => element.tagName.toLowerCase() + (element.id ? "#" + element.id : "." + element.className);
  if (document.documentElement.scrollWidth > innerWidth) faults.push("wider than the window");
  for (const card of document.querySelectorAll(".card")) {
    const edge = card.getBoundingClientRect().right + 1;
    const out = [...card.querySelectorAll("input, select, button, a, p, label")].find(
      (one) =>
        one.checkVisibility() && !one.closest(".scroll, .visually-hidden, [hidden]") &&
        one.getBoundingClientRect().right > edge,
    );
    if (out) faults.push(named(out) + " sticks out of its card");
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const broken = new Set();
  const range = document.createRange();
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    const parent = text.parentElement;
    const cell = parent.closest("td, th, li, dt, dd");
    if (cell === null || parent.closest("code, pre, .visually-hidden, option") || !parent.checkVisibility()) continue;
    for (const { 0: word, index } of text.data.matchAll(${WORD})) {
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (lines.size > 1) broken.add(named(cell) + " breaks the word " + word);
    }
  }
  faults.push(...broken);
  return faults;
})()`;

async function faultsOfPage(name: string, page: Page, looks: readonly Look[]): Promise<string[]> {
  const faults: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    const found = (await page.evaluate(LAYOUT_FAULTS)) as string[];
    faults.push(...found.map((fault) => `${name} at ${width}: ${fault}`));
  }
  await page.evaluate(AXE);
  for (const { width, colorScheme, ...rules } of looks) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const { id, nodes } of await violations(page, rules)) {
      const where = nodes.map(({ target }) => target.join(" ")).slice(0, 3);
      const why = nodes[0]?.failureSummary;
      faults.push(`${name} ${width} ${colorScheme}: ${id} at ${where.join(", ")}: ${why}`);
    }
  }
  return faults;
}

async function violations(page: Page, rules: object): Promise<Violation[]> {
  // The tenant is responsible for a mail's content.
  const options = { resultTypes: ["violations"], iframes: false, ...rules };
  const { violations: found } = (await page.evaluate(
    `axe.run(document, ${JSON.stringify(options)})`,
  )) as { violations: Violation[] };
  return found;
}

/** The size of the narrowest phone. */
export const NARROW = { width: 320, height: 640 };

/** The faults of the current page at desktop and phone width. The page keeps the phone size. */
export async function faultsByKeyboard(name: string, page: Page): Promise<string[]> {
  const faults = await faultsInLooks(name, page, [1280, NARROW.width]);
  await page.setViewportSize(NARROW);
  await page.emulateMedia({ colorScheme: "light" });
  return faults;
}

/** Presses the key until the element has the focus. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press("Tab");
    if (await target.evaluate((node) => node === node.ownerDocument.activeElement)) return;
  }
  throw new Error(`no way by the keyboard to ${target}`);
}

/** Moves the focus to a field by the keyboard and types into it. */
export async function typeInto(page: Page, field: Locator, text: string): Promise<void> {
  await tabTo(page, field);
  await page.keyboard.type(text);
}
