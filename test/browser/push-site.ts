import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { Cleanup } from "@belfry/testing/cleanup";
import { eventually } from "@belfry/testing/eventually";
import { freePort } from "@belfry/testing/free-port";
import { listen } from "@belfry/testing/listen";
import type { BrowserContext, Page } from "playwright-core";
import { openBrowser, watchPage } from "./open-page.ts";

const PATIENCE_MS = 60_000;
const EXAMPLES = fileURLToPath(new URL("../../examples/", import.meta.url));
const PAGE = `<!doctype html><meta charset="utf-8"><title>Shop</title><link rel="icon" href="data:,">
<belfry-inbox></belfry-inbox><script>
window.marked = [];
document.querySelector("belfry-inbox").feed = { change: async (...mark) => void marked.push(mark) };
</script>`;

export const FAKE_PUSH_SERVICE = fileURLToPath(new URL("fake-push-service.js", import.meta.url));
/** Imports the module as `push`, and keeps what it tells the page in `told`. */
const LOAD_MODULE = `import("/inbox/web-push.js").then((push) => {
  const told = [];
  push.onPushClick((click) => told.push(click));
  push.onPushChange((change) => told.push(change));
  Object.assign(window, { push, told });
})`;

/** The worker of the package in a worker of the site, where what a headless browser refuses to do is kept instead. */
const WORKER = `self.did = [];
registration.constructor.prototype.showNotification = async (title, options) => {
  did.push(["show", JSON.parse(JSON.stringify(structuredClone({ title, ...options })))]);
};
WindowClient.prototype.focus = async function () {
  did.push(["focus", this.url]);
  return this;
};
clients.openWindow = async (url) => void did.push(["open", url]);
PushManager.prototype.subscribe = async (options) => void did.push(["subscribe", options]);
importScripts("/web-push-worker.js");`;

/** Two keys of the tenant: 65 bytes in base64url. */
export const KEYS = [1, 2].map((byte) => Buffer.alloc(65, byte).toString("base64url"));

export interface ApiCall {
  call: string;
  key: string | undefined;
  body: Record<string, unknown> | undefined;
}

/** A site with the page of the documentation, before its backend and an API that keeps what it is asked. */
export async function startPushSite(t: Cleanup) {
  const api = { calls: [] as ApiCall[], webPushKey: KEYS[0], status: 200 };
  const apiServer = createServer(async (request, response) => {
    const body = await text(request);
    const call = `${request.method} ${request.url}`;
    const key = request.headers["x-api-key"]?.toString();
    api.calls.push({ call, key, body: body === "" ? undefined : JSON.parse(body) });
    const status = request.method === "GET" ? 200 : api.status;
    const data = { devices: [], webPushKey: api.webPushKey };
    response.writeHead(status).end(JSON.stringify({ success: status === 200, data }));
  });
  const apiUrl = `http://127.0.0.1:${await listen(t, apiServer)}`;
  const backendPort = await freePort();
  const backend = spawn(process.execPath, ["web-push.mjs"], {
    cwd: EXAMPLES,
    env: { BELFRY_URL: apiUrl, BELFRY_API_KEY: "bf_key", PORT: String(backendPort) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(async () => void backend.kill());
  await once(backend.stdout, "data");

  const example = await readFile(`${EXAMPLES}web-push.html`, "utf8");
  const files: Record<string, string> = {
    "/inbox/web-push.js": await packageFile("web-push"),
    "/web-push-worker.js": await packageFile("web-push-worker"),
    "/worker.js": WORKER,
    "/broken.js": 'addEventListener("install", (event) => event.waitUntil(Promise.reject()));',
  };
  const site = createServer(async (request, response) => {
    const { method = "", url = "/" } = request;
    if (url.startsWith("/devices")) {
      const body = (await text(request)) || null;
      const asked = fetch(`http://127.0.0.1:${backendPort}${url}`, { method, body });
      // A page may still ask when the test has ended and its backend with it.
      const answer = await asked.catch(() => undefined);
      if (answer === undefined) return response.destroy();
      return response.writeHead(answer.status).end(await answer.text());
    }
    const script = files[url];
    response.setHeader("content-type", script === undefined ? "text/html" : "text/javascript");
    response.end(script ?? (url === "/example" ? PAGE + example : PAGE));
  });
  const url = `http://127.0.0.1:${await listen(t, site)}`;

  /** Opens a page in a browser of its own, with a push service that stays on this machine. */
  const open = async (path: string, { isExample = path === "/example" } = {}) => {
    const context = await (await openBrowser(t)).newContext();
    await context.addInitScript({ path: FAKE_PUSH_SERVICE });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const { faults } = await watchPage(page);
    await page.goto(url + path);
    if (!isExample) await page.evaluate(LOAD_MODULE);
    return { page, context, faults };
  };
  return { url, api, open };
}

export const packageFile = (name: string) =>
  readFile(fileURLToPath(import.meta.resolve(`@belfry/inbox/${name}`)), "utf8");

/** Returns the subscription that the browser has, or undefined. */
export async function subscriptionIn(page: Page): Promise<Record<string, string> | undefined> {
  const stored = await page.evaluate<string | undefined>("localStorage.subscription");
  return stored === undefined ? undefined : JSON.parse(stored);
}

/** Installs the service worker and returns what pushes to it and clicks on its notifications. */
export async function startWorker({ page, context }: { page: Page; context: BrowserContext }) {
  const cdp = await context.newCDPSession(page);
  const found = new Promise<{ registrationId: string; origin: string }>((resolve) => {
    cdp.on("ServiceWorker.workerRegistrationUpdated", ({ registrations: [one] }) => {
      if (one === undefined) return;
      resolve({ registrationId: one.registrationId, origin: new URL(one.scopeURL).origin });
    });
  });
  await cdp.send("ServiceWorker.enable");
  const started = context.waitForEvent("serviceworker");
  await page.evaluate(
    'navigator.serviceWorker.register("/worker.js").then(() => navigator.serviceWorker.ready).then(() => undefined)',
  );
  const [worker, target] = await Promise.all([started, found]);
  /** Dispatches an event as a browser would, whose notifications and clicks are not here, and waits for its end. */
  const dispatch = (type: string, fields: object) =>
    worker.evaluate(`(async () => {
      let end;
      const event = new ExtendableEvent("${type}");
      const fields = ${JSON.stringify(fields)};
      if (fields.notification) fields.notification.close = () => did.push(["close"]);
      for (const [name, value] of Object.entries({ ...fields, waitUntil: (work) => { end = work; } })) {
        Object.defineProperty(event, name, { value });
      }
      dispatchEvent(event);
      await end;
    })()`);
  /** Returns what the worker has done since the last call. */
  const did = () => worker.evaluate<[what: string, value: unknown][]>("did.splice(0)");
  return {
    did,
    dispatch,
    /** Pushes and returns the notification that is shown. */
    async shown(data: string): Promise<Record<string, unknown>> {
      await cdp.send("ServiceWorker.deliverPushMessage", { ...target, data });
      const [[what, notification] = []] = await eventually(async () => {
        const done = await did();
        assert.equal(done.length, 1);
        return done;
      });
      assert.equal(what, "show");
      return notification as Record<string, unknown>;
    },
    click: (data: unknown) => dispatch("notificationclick", { notification: { data } }),
  };
}
