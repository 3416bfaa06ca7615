import assert from "node:assert/strict";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { startDemoServer } from "@belfry/local/demo/demo-server";
import { eventually } from "@belfry/testing/eventually";
import { freePort } from "@belfry/testing/free-port";
import { listen } from "@belfry/testing/listen";
import { openBrowser, test, watchPage } from "./open-page.ts";
import { FAKE_PUSH_SERVICE, KEYS } from "./push-site.ts";

const DEVICES = "/api/v1/users/demo-user/devices";
const KEY = "bf_the_key_that_no_page_may_hold";

test("the demo page's button registers the browser, and removes it", async (t) => {
  const { calls, page, received } = await openDemo(t, KEYS[0] ?? null);
  const on = page.getByRole("button", { name: "Push to this browser", exact: true });
  const off = page.getByRole("button", { name: "No more push to this browser" });
  await on.click();
  await off.waitFor();
  const [, put] = calls;
  assert.match(put?.call ?? "", new RegExp(`^PUT ${DEVICES}/[\\w-]{22}$`));
  assert.equal(put?.key, KEY);
  const { kind, subscription, applicationServerKey, name } = JSON.parse(put?.body ?? "");
  assert.deepEqual([kind, applicationServerKey, name], ["webpush", KEYS[0], "The demo page"]);
  assert.equal(subscription.endpoint, "https://push.example/1");
  await off.click();
  await on.waitFor();
  assert.deepEqual(calls.at(-1), { call: put?.call.replace("PUT", "DELETE"), key: KEY, body: "" });
  assert.ok(received.every((one) => !one.includes(KEY)));
});

test("the demo page says why the API did not store the browser, and stays off", async (t) => {
  const { page, refuse } = await openDemo(t, KEYS[0] ?? null);
  await page.locator("#push").waitFor();
  refuse("at most 20 devices");
  await page.locator("#push").click();
  await page.locator("#answer", { hasText: "at most 20 devices" }).waitFor();
  assert.equal(await page.locator("#push").textContent(), "Push to this browser");
});

test("the demo page has no button if the tenant has no Web Push", async (t) => {
  const { calls, page } = await openDemo(t, null);
  await eventually(async () => assert.equal(calls.length, 1));
  await page.waitForLoadState("networkidle");
  assert.equal(await page.locator("#push").isVisible(), false);
});

/** Opens the demo page before an API that knows devices alone; there is no gateway and no database. */
async function openDemo(t: TestContext, webPushKey: string | null) {
  const calls: { call: string; key: unknown; body: string }[] = [];
  let refusal: string | undefined;
  const api = createServer(async (request, response) => {
    const { method, url = "", headers } = request;
    const body = await text(request);
    if (url.startsWith(DEVICES)) {
      calls.push({ call: `${method} ${url}`, key: headers["x-api-key"], body });
    }
    if (refusal !== undefined) response.statusCode = 422;
    response.end(JSON.stringify({ message: refusal, data: { devices: [], webPushKey } }));
  });
  const apiUrl = `http://127.0.0.1:${await listen(t, api)}`;
  const port = await freePort();
  const demoUrl = `http://127.0.0.1:${port}`;
  const demo = await startDemoServer({
    port,
    signingSecret: `whsec_${Buffer.alloc(32, 7).toString("base64")}`,
    local: {
      apiUrl,
      demoUrl,
      wsUrl: "ws://127.0.0.1:1/connection/websocket",
      adminUrl: "http://127.0.0.1:1",
      databaseUrl: "postgres://127.0.0.1:1/none",
      natsUrl: "nats://127.0.0.1:1",
      tenant: { id: "demo", name: "Demo", apiKey: KEY },
    },
  });
  t.after(() => demo.close());
  const context = await (await openBrowser(t)).newContext();
  await context.addInitScript({ path: FAKE_PUSH_SERVICE });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const { received } = await watchPage(page);
  await page.goto(demoUrl);
  return {
    calls,
    page,
    received,
    refuse(why: string): void {
      refusal = why;
    },
  };
}
