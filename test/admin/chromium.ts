import { type Browser, chromium } from "playwright-core";

interface Cleanup {
  after(fn: () => Promise<void>): void;
}

/** Debian's chromium, without a sandbox: the pages are ours. */
export async function startChromium(t: Cleanup): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  t.after(() => browser.close());
  return browser;
}
