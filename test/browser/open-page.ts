import { access } from "node:fs/promises";
import nodeTest, { type TestContext } from "node:test";
import { type Browser, chromium, type Page } from "playwright-core";

/** The first has no windows, which cost more than the pages. */
const PLACES = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

interface Cleanup {
  after(fn: () => Promise<void>): void;
}

let launched: Promise<Browser> | undefined;

/**
 * Debian's chromium, headless: one for all tests of a process, as a start costs more than most pages; it
 * ends with the process. What was opened in it is closed after the test. Throws where there is none.
 */
export async function openBrowser(t: Cleanup): Promise<Browser> {
  launched ??= launch();
  const browser = await launched;
  const earlier = browser.contexts();
  t.after(async () => {
    const opened = browser.contexts().filter((context) => !earlier.includes(context));
    await Promise.all(opened.map((context) => context.close()));
  });
  return browser;
}

async function launch(): Promise<Browser> {
  return await chromium.launch({
    executablePath: await findChromium(),
    // Root's Chromium has no sandbox; what it opens here is ours.
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
}

/** A page that keeps all it received, and every fault that it met. */
export async function watchPage(page: Page): Promise<{ received: string[]; faults: string[] }> {
  const received: string[] = [];
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  page.on("response", async (response) => {
    received.push(JSON.stringify(response.headers()));
    received.push(await response.text().catch(() => ""));
  });
  page.on("websocket", (socket) => {
    const keep = ({ payload }: { payload: string | Buffer }) => received.push(String(payload));
    socket.on("framereceived", keep);
    socket.on("framesent", keep);
  });
  return { received, faults };
}

async function findChromium(): Promise<string> {
  for (const place of PLACES) {
    try {
      await access(place);
      return place;
    } catch {
      // Not here.
    }
  }
  throw new Error(
    "no Chromium for the browser tests: apt-get install chromium, or set BELFRY_WITHOUT_BROWSER=1 to go without them",
  );
}

// biome-ignore lint/style/noProcessEnv: how a machine without a browser says so
const { BELFRY_WITHOUT_BROWSER } = process.env;

/** Defines a test that needs a browser; a machine without one skips it. */
export function test(
  name: string,
  run: (t: TestContext) => void | Promise<void>,
  timeout = 300_000,
): void {
  const skip = BELFRY_WITHOUT_BROWSER === "1" && "BELFRY_WITHOUT_BROWSER=1";
  nodeTest(name, { skip, timeout }, run);
}
