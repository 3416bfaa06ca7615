import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { eventually } from "@belfry/testing/eventually";
import type { Page } from "playwright-core";
import { test } from "./open-page.ts";
import { KEYS, startPushSite, startWorker, subscriptionIn } from "./push-site.ts";

/** A push service accepts 4,096 bytes of body, of which the encryption takes 103 (RFC 8291). */
const MAX_PAYLOAD_BYTES = 3_993;
const DEVICES = "/api/v1/users/user-1/devices";

/** Runs a function of the module with the options of a page, and returns its result or the code of its error. */
const run = (page: Page, name: string, more = "") =>
  page.evaluate(`(async () => {
    window.asked = [];
    const options = {
      applicationServerKey: "${KEYS[0]}",
      serviceWorkerUrl: "/web-push-worker.js",
      register: async (device) => void asked.push(device.deviceId),
      unregister: async (deviceId) => void asked.push(deviceId),
      ${more}
    };
    return await push.${name}(options).catch((error) => error.code ?? error.message);
  })()`);
const idOf = (endpoint = "") => hash("sha256", endpoint, "base64url").slice(0, 22);

test("the page of the documentation registers the browser at a click, and again at each load", async (t) => {
  const { api, open } = await startPushSite(t);
  const { page, faults } = await open("/example");
  const puts = () => api.calls.filter(({ call }) => call.startsWith("PUT"));
  await eventually(async () => assert.equal(api.calls.length, 1));
  await page.getByRole("button", { name: "Notify me in this browser" }).click();
  await eventually(async () => assert.equal(puts().length, 1));
  const endpoint = "https://push.example/1";
  const body = {
    kind: "webpush",
    subscription: { endpoint, keys: { p256dh: "p", auth: "a" } },
    applicationServerKey: KEYS[0],
  };
  const first = { call: `PUT ${DEVICES}/${idOf(endpoint)}`, key: "bf_key", body };
  assert.deepEqual(puts(), [first]);

  await page.reload();
  await eventually(async () => assert.equal(puts().length, 2));
  assert.deepEqual(puts()[1], first);

  api.webPushKey = KEYS[1];
  await page.reload();
  await eventually(async () => assert.equal(puts().length, 3));
  const renewed = await subscriptionIn(page);
  assert.deepEqual(renewed, { endpoint: "https://push.example/2", applicationServerKey: KEYS[1] });
  assert.equal(puts()[2]?.call, `PUT ${DEVICES}/${idOf(renewed?.endpoint)}`);
  assert.equal(puts()[2]?.body?.applicationServerKey, KEYS[1]);
  assert.deepEqual(faults, []);
});

test("push is on after the click until it is turned off, and a changed key counts as off", async (t) => {
  const { open } = await startPushSite(t);
  const { page } = await open("/");
  assert.equal(await run(page, "pushState"), "off");
  assert.equal(await run(page, "renewPush"), undefined);
  const id = idOf("https://push.example/1");
  assert.equal(await run(page, "turnOnPush"), id);
  assert.deepEqual(await page.evaluate("asked"), [id]);
  assert.equal(await run(page, "pushState"), "on");
  assert.equal(await run(page, "turnOnPush"), id, "a second click does not subscribe again");
  assert.equal(await run(page, "pushState", `applicationServerKey: "${KEYS[1]}"`), "off");
  await run(page, "turnOffPush");
  assert.deepEqual(await page.evaluate("asked"), [id]);
  assert.equal(await run(page, "pushState"), "off");
  await run(page, "turnOffPush");
  assert.deepEqual(await page.evaluate("asked"), []);
});

test("a backend that fails leaves no subscription after a click, and keeps one that there was", async (t) => {
  const { open } = await startPushSite(t);
  const { page } = await open("/");
  const fails = 'register: () => Promise.reject(new Error("away")),';
  assert.equal(await run(page, "turnOnPush", fails), "away");
  assert.equal(await subscriptionIn(page), undefined);
  await run(page, "turnOnPush");
  await page.evaluate("localStorage.permission = 'default'");
  assert.equal(await run(page, "renewPush"), undefined, "the user has taken the permission back");
  assert.equal(await run(page, "pushState"), "off");
  await page.evaluate("localStorage.permission = 'granted'");
  assert.equal(await run(page, "renewPush", fails), "away");
  assert.equal(await run(page, "pushState"), "on");
  const unregister = 'unregister: () => Promise.reject(new Error("away")),';
  assert.equal(await run(page, "turnOffPush", unregister), "away");
  assert.equal(await subscriptionIn(page), undefined);
});

test("errors have a code: denied, failed, unsupported", async (t) => {
  const { open } = await startPushSite(t);
  const { page } = await open("/");
  await page.evaluate("localStorage.answer = 'default'");
  assert.equal(await run(page, "turnOnPush"), "denied");
  assert.equal(await run(page, "pushState"), "off");
  await page.evaluate("localStorage.answer = 'denied'");
  assert.equal(await run(page, "turnOnPush"), "denied");
  assert.equal(await run(page, "pushState"), "denied");
  await page.evaluate("delete localStorage.answer");
  for (const [fault, code] of [
    ["AbortError", "failed"],
    ["NotAllowedError", "denied"],
  ]) {
    await page.evaluate(`localStorage.fault = "${fault}"`);
    assert.equal(await run(page, "turnOnPush"), code, fault);
  }
  await page.evaluate("delete localStorage.fault");
  assert.deepEqual(await page.evaluate("asked"), []);
  await page.evaluate("delete window.PushManager");
  assert.equal(await run(page, "turnOnPush"), "unsupported");
  assert.equal(await run(page, "pushState"), "unsupported");
  assert.equal(await run(page, "renewPush"), undefined);
  assert.equal(await run(page, "turnOffPush"), undefined);
});

test("a service worker that is missing or cannot be installed is an error, not a wait", async (t) => {
  const { open } = await startPushSite(t);
  const { page } = await open("/");
  for (const url of ["/broken.js", "/no-script"]) {
    assert.equal(await run(page, "turnOnPush", `serviceWorkerUrl: "${url}",`), "failed", url);
  }
  assert.equal(await subscriptionIn(page), undefined);
});

test("a push is shown as it was sent", async (t) => {
  const { url, open } = await startPushSite(t);
  const { shown } = await startWorker(await open("/"));
  const push = { id: "e1", title: "Order A-1", body: "On its way", url: "/orders/1?a=b#c" };
  assert.deepEqual(await shown(JSON.stringify(push)), {
    title: "Order A-1",
    body: "On its way",
    tag: "e1",
    data: { belfry: { id: "e1", url: `${url}/orders/1?a=b#c` } },
  });
  const more = { image: "https://shop.example/a.png", data: { order: "A-1" }, tag: "order-1" };
  const full = await shown(JSON.stringify({ ...push, ...more, url: "https://shop.example/" }));
  assert.equal(full.image, more.image);
  assert.equal(full.tag, "order-1");
  const belfry = { id: "e1", url: "https://shop.example/", data: { order: "A-1" } };
  assert.deepEqual(full.data, { belfry });
});

test("a push of the largest size is shown whole, and one cut anywhere is shown", async (t) => {
  const { open } = await startPushSite(t);
  const { shown } = await startWorker(await open("/"));
  const title = "\u{1f514}".repeat(100);
  const left = MAX_PAYLOAD_BYTES - Buffer.byteLength(JSON.stringify({ title, body: "…" }));
  const body = `${"x".repeat(left)}…`;
  const whole = await shown(JSON.stringify({ title, body }));
  assert.deepEqual([whole.title, whole.body], [title, body]);
  assert.equal((await shown('{"title":"Half \\ud83d","body":"\\udd14"}')).title, "Half \ud83d");
});

test("a push that cannot be read still shows the name of the site", async (t) => {
  const { url, open } = await startPushSite(t);
  const { shown } = await startWorker(await open("/"));
  const { host } = new URL(url);
  const unreadable = ["", "not json", '{"title":', "null", "7", '"text"', "[]", "{}"];
  for (const data of [...unreadable, '{"title":"","body":7}', '{"title":{},"tag":[],"id":1}']) {
    const { title, body, tag } = await shown(data);
    assert.deepEqual({ title, body, tag }, { title: host, body: "", tag: "" }, data);
  }
});

test("no address is opened or loaded but https and paths of the site", async (t) => {
  const { open } = await startPushSite(t);
  const { shown } = await startWorker(await open("/"));
  for (const bad of [
    "javascript:alert(1)",
    " javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "http://evil.example/",
    "//evil.example/",
    "/\\evil.example/",
    "/\t/evil.example/",
    "https://",
    "https://[",
    "orders/1",
    "",
    7,
    ["https://evil.example/"],
  ]) {
    const { title, image, data } = await shown(
      JSON.stringify({ title: "T", url: bad, image: bad }),
    );
    assert.deepEqual(
      { title, image, data },
      { title: "T", image: undefined, data: { belfry: {} } },
    );
  }
});

test("a click opens its address, tells the open pages, and uses a page that is there", async (t) => {
  const { url, open } = await startPushSite(t);
  const opened = await open("/");
  const { page } = opened;
  const { click, did } = await startWorker(opened);
  const told = () => page.evaluate("told.splice(0)");
  const message = { type: "belfry-push-click", id: "e1", data: { order: "A-1" } };
  const clicked = async (address?: string) => {
    await click({ belfry: { id: "e1", url: address, data: { order: "A-1" } } });
    return await did();
  };

  // The page was loaded before the worker, which cannot navigate it.
  const other = `${url}/other`;
  assert.deepEqual(await clicked(other), [["close"], ["open", other]]);
  await eventually(async () => assert.deepEqual(await told(), [message]));
  const foreign = "https://shop.example/";
  assert.deepEqual(await clicked(foreign), [["close"], ["open", foreign]]);
  assert.deepEqual(await clicked(`${url}/`), [["close"], ["focus", `${url}/`]]);
  assert.deepEqual(await clicked(), [["close"], ["focus", `${url}/`]]);

  await click(null);
  await click({ another: "sender" });
  assert.deepEqual(await did(), [], "notifications of the site itself are left alone");

  await page.goto(`${url}/example`);
  assert.deepEqual(await clicked(other), [["close"], ["focus", `${url}/example`]]);
  await page.waitForURL(other);
  assert.deepEqual(await clicked(foreign), [["close"], ["open", foreign]]);
  await page.close();
  assert.deepEqual(await clicked(), [["close"], ["open", "/"]]);
  assert.deepEqual(await clicked(other), [["close"], ["open", other]]);
});

test("a click marks the notification as read, also in a page that it opens", async (t) => {
  const { url, open } = await startPushSite(t);
  const opened = await open("/example");
  const { page } = opened;
  const { click } = await startWorker(opened);
  const marked = async () =>
    assert.deepEqual(await page.evaluate("marked"), [["e1", { read: true }]]);
  await click({ belfry: { id: "e1" } });
  await eventually(marked);
  await page.goto(`${url}/other`);
  await click({ belfry: { id: "e1", url: `${url}/example` } });
  await page.waitForURL(`${url}/example`);
  await eventually(marked);
});

test("a subscription that the browser ends is made again, and the open pages are told", async (t) => {
  const { open } = await startPushSite(t);
  const opened = await open("/");
  const { dispatch, did } = await startWorker(opened);
  const options = { userVisibleOnly: true, applicationServerKey: "k" };
  const told = () => opened.page.evaluate("told.splice(0)");
  const change = [{ type: "belfry-push-change" }];
  await dispatch("pushsubscriptionchange", { oldSubscription: { options }, newSubscription: null });
  assert.deepEqual(await did(), [["subscribe", options]]);
  await eventually(async () => assert.deepEqual(await told(), change));
  for (const fields of [{}, { oldSubscription: { options }, newSubscription: {} }]) {
    await dispatch("pushsubscriptionchange", fields);
    assert.deepEqual(await did(), []);
    await eventually(async () => assert.deepEqual(await told(), change));
  }
});
