import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Cleanup } from "@belfry/testing/cleanup";
import { createOpenGate } from "@belfry/testing/gate";
import { listen } from "@belfry/testing/listen";
import type { BrowserContext, Page } from "playwright-core";
import { createWorld, type Recipient, TENANTS } from "../realtime/gateway-under-test.ts";
import { openBrowser, watchPage } from "./open-page.ts";

const PATIENCE_MS = 60_000;
const INBOX = dirname(fileURLToPath(import.meta.resolve("@belfry/inbox/belfry-inbox")));
const CENTRIFUGE = fileURLToPath(import.meta.resolve("centrifuge"));
/** What a desktop's window shows, without what moves. */
const DESKTOP = { viewport: { width: 900, height: 700 }, reducedMotion: "reduce" } as const;
/** The lines of the documentation, as they stand but for the addresses. */
const SAMPLE = await readFile(new URL("../../examples/inbox.html", import.meta.url), "utf8");
const SAMPLE_WS_URL = "wss://belfry.example.com/connection/websocket";
const LINES = SAMPLE.replace(/https:[^"]*centrifuge@[^"]*/, "/centrifuge.js");
const [, IMPORT_MAP = ""] = /<script type="importmap">(.*?)<\/script>/s.exec(LINES) ?? [];
/** As strict as a policy can be: no inline script or style, no evaluation. */
const POLICY = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${hash("sha256", IMPORT_MAP, "base64")}'`,
  "connect-src 'self' ws://127.0.0.1:*",
  "style-src 'self'",
  // The page's own empty icon.
  "img-src data:",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

interface Visit {
  tenant?: string;
  tokenSeconds?: number;
  token?: () => Promise<{ token: string; channels: string[] } | null>;
  wsUrl?: string;
  html?: string;
  attributes?: string;
}

/** A gateway behind a connection that can be cut, and users who visit the sites of its tenants. */
export async function startInboxWorld(t: Cleanup) {
  const world = await createWorld(t);
  // A page that puts its own clock forward must not miss a ping meanwhile.
  const gateway = await world.startGateway({ PING_INTERVAL_MS: "600000" });
  const gate = await createOpenGate(t, gateway.url);
  const browser = await openBrowser(t);
  /** Every fault that a page met. */
  const allFaults: string[] = [];
  /** A user of its own, its tenant's site, and as many tabs as are asked for. */
  const visit = async (t: Cleanup, user: string, options: Visit = {}) => {
    const who: Recipient = { tenant: options.tenant ?? TENANTS[0] ?? "", user };
    const site = await startInboxSite(t, {
      wsUrl: gate.url,
      token: async () => ({
        token: await world.token(who, options.tokenSeconds),
        channels: [`personal#${user}`, `orders#${user}`],
      }),
      ...options,
    });
    const context = await browser.newContext(DESKTOP);
    t.after(() => context.close());
    const open = (url = site.url) => openTab(context, url, allFaults);
    return { who, site, context, open };
  };
  return { world, gateway, gate, allFaults, visit };
}

/** A tenant's site with the element on a page of its own, and the backend that gives it tokens. */
export async function startInboxSite(
  t: Cleanup,
  options: {
    wsUrl: string;
    /** Null: nobody is logged in. What it throws with is a fault of the backend. */
    token(): Promise<{ token: string; channels: string[] } | null>;
    /** Of the page. */
    html?: string | undefined;
    /** Of the element. */
    attributes?: string | undefined;
  },
) {
  const html = `<!doctype html><html ${options.html ?? 'lang="en"'}><head><meta charset="utf-8"><title>Shop</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="icon" href="data:,"><link rel="stylesheet" href="/page.css">
    </head><body><header><h1>Shop</h1>
    ${LINES.replace(SAMPLE_WS_URL, options.wsUrl).replace("<belfry-inbox", `<belfry-inbox ${options.attributes ?? ""}`)}</header>
    <main><button id="elsewhere">Elsewhere</button></main></body></html>`;
  const css = `:root { color-scheme: light dark } body { margin: 0 }
    header { display: flex; justify-content: space-between; padding: 12px }`;
  /** `tokens`: answers of the token's address so far. */
  const site = { url: "", tokens: 0 };
  const server = createServer(async (request, response) => {
    const [path = ""] = (request.url ?? "").split("?");
    response.setHeader("content-security-policy", POLICY);
    const send = (type: string, body: string | Buffer) =>
      response.setHeader("content-type", `${type}; charset=utf-8`).end(body);
    if (path === "/realtime-token" && request.method === "POST") {
      site.tokens += 1;
      const answer = await options.token().catch(() => undefined);
      if (answer === undefined) return response.writeHead(500).end();
      if (answer === null) return response.writeHead(401).end();
      return send("application/json", JSON.stringify(answer));
    }
    if (path === "/") return send("text/html", html);
    if (path.startsWith("/orders/")) return send("text/html", "<title>Order</title>");
    if (path === "/page.css") return send("text/css", css);
    if (path === "/centrifuge.js") return send("text/javascript", await readFile(CENTRIFUGE));
    const [, file] = /^\/inbox\/([a-z-]+\.js)$/.exec(path) ?? [];
    if (file === undefined) return response.writeHead(404).end();
    send("text/javascript", await readFile(join(INBOX, file)));
  });
  site.url = `http://127.0.0.1:${await listen(t, server)}/`;
  return site;
}

/** A tab on the site, which waits as long as a slow machine takes; the faults that it met are kept when it closes. */
async function openTab(context: BrowserContext, url: string, keptFaults: string[]) {
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const { received, faults } = await watchPage(page);
  page.once("close", () => keptFaults.push(...faults));
  await page.addInitScript(
    "window.states = []; document.addEventListener('connectionchange', ({ detail }) => window.states.push(detail.state))",
  );
  await page.goto(url);
  return { page, inbox: inboxOn(page), received, states: () => page.evaluate("window.states") };
}

/** The element as its user meets it. */
export function inboxOn(page: Page) {
  const element = page.locator("belfry-inbox");
  return {
    element,
    bell: page.getByRole("button", { name: /^Notifications/ }),
    items: element.locator("article"),
    status: element.locator("[part=status]"),
    titles: () => element.locator("article strong").allTextContents(),
    /** Waits for the count of the bell. */
    async unread(count: number): Promise<void> {
      const name = count === 0 ? "Notifications" : `Notifications, ${count} unread`;
      await page.getByRole("button", { name, exact: true }).waitFor();
    },
    async state(state: "connecting" | "connected" | "disconnected"): Promise<void> {
      await page.locator(`belfry-inbox[data-state=${state}]`).waitFor();
    },
  };
}
