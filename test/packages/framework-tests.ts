import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { eventually } from "@belfry/testing/eventually";
import { listen } from "@belfry/testing/listen";
import { type BuildOptions, build, type Plugin } from "esbuild";
import type { Browser, WebSocket } from "playwright-core";
import { compileScript, parse } from "vue/compiler-sfc";
import { inboxOn } from "../browser/inbox-page.ts";
import { openBrowser, test, watchPage } from "../browser/open-page.ts";
import { createWorld, TENANTS, type World } from "../realtime/gateway-under-test.ts";
import { ROOT, write } from "./packed.ts";

export const TOKEN_SECONDS = 200;
const NODE_ENV = JSON.stringify("development");

/** Renders the documented sample of each framework with the props that the test passes to `show`; null renders nothing. */
const FRAMEWORKS = {
  "inbox-react.jsx": `
    import { createElement, StrictMode } from "react";
    import { createRoot } from "react-dom/client";
    import { Inbox } from "./inbox-react.jsx";
    const root = createRoot(document.getElementById("app"));
    const drawn = (user) => createElement(StrictMode, null, createElement(Inbox, { ...window.shop, user }));
    window.show = (user) => root.render(user && drawn(user));`,
  "inbox-vue.vue": `
    import { createApp, h, shallowRef } from "vue";
    import Inbox from "./inbox-vue.vue";
    const user = shallowRef(null);
    createApp({ render: () => user.value && h(Inbox, { ...window.shop, user: user.value }) }).mount("#app");
    window.show = (one) => { user.value = one; };`,
};

/** Tests of the packed inbox in other frameworks, bundled as their pages are. */
export function frameworkTests(project: () => string): void {
  test("the samples for React and Vue: live, their own words and router, one socket and none too many", async (t) => {
    const world = await createWorld(t);
    // A page that puts its own clock forward must not miss a ping meanwhile.
    const gateway = await world.startGateway({ PING_INTERVAL_MS: "600000" });
    const browser = await openBrowser(t);
    const folder = join(project(), "src");
    for (const [sample, entry] of Object.entries(FRAMEWORKS)) {
      const text = await readFile(join(ROOT, "examples", sample), "utf8");
      await write(folder, { [sample]: text });
      const script = await bundle(folder, entry);
      await t.test(sample, async (t) => {
        await visit(t, { world, wsUrl: gateway.url, browser, script, name: sample });
      });
    }
  });
}

async function visit(
  t: TestContext,
  given: { world: World; wsUrl: string; browser: Browser; script: string; name: string },
): Promise<void> {
  const { world, wsUrl, browser, script, name } = given;
  const [ann, bob] = ["ann", "bob"].map((one) => ({
    tenant: TENANTS[0] ?? "",
    user: `${one} of ${name}`,
  }));
  assert.ok(ann && bob);
  const site = await startShop(t, world, script);
  const context = await browser.newContext();
  t.after(() => context.close());
  await context.clock.install();
  const page = await context.newPage();
  const { faults } = await watchPage(page);
  const made: WebSocket[] = [];
  page.on("websocket", (socket) => made.push(socket));
  const open = () => made.filter((socket) => !socket.isClosed()).length;
  await page.addInitScript(`
    window.asked = [];
    window.went = [];
    window.shop = {
      wsUrl: ${JSON.stringify(wsUrl)},
      navigate: (url) => window.went.push(url),
      async getToken({ id }) {
        window.asked.push(id);
        const answer = await fetch("/token?user=" + encodeURIComponent(id), { method: "POST" });
        return answer.json();
      },
    };`);
  await page.goto(site);
  // Renders again with new objects and functions, as after a click.
  const show = (who: typeof ann | null, isGuest = false) =>
    page.evaluate(`window.show(${JSON.stringify(who && { id: who.user, isGuest })})`);
  const asked = () => page.evaluate<string[]>("window.asked");
  const inbox = inboxOn(page);

  await show(ann);
  await inbox.state("connected");
  await world.publish(ann, { title: "Your order is on its way", url: "/orders/1" });
  await inbox.unread(1);
  await eventually(async () => assert.equal(await page.title(), "(1) Shop"));
  await inbox.bell.click();
  await inbox.element.getByRole("heading", { name: "Your messages" }).waitFor();

  // A re-render of the page keeps the connection and the open panel.
  await show(ann, true);
  await page.locator("belfry-inbox[no-preferences]").waitFor();
  await show(ann);
  await page.locator("belfry-inbox:not([no-preferences])").waitFor();
  assert.deepEqual([made.length, await asked()], [1, [ann.user]]);
  await inbox.element.getByRole("dialog").waitFor();

  // The page's router navigates, not the browser.
  await inbox.items.first().click();
  await inbox.unread(0);
  assert.deepEqual(await page.evaluate("window.went"), ["/orders/1"]);
  assert.equal(page.url(), site);
  await eventually(async () => assert.equal(await page.title(), "Shop"));

  await page.clock.fastForward(TOKEN_SECONDS * 1000);
  await eventually(async () => assert.deepEqual(await asked(), [ann.user, ann.user]));
  assert.equal(made.length, 1, "a new token, on the same connection");

  await show(bob);
  await eventually(async () => assert.equal((await asked()).at(-1), bob.user));
  await inbox.state("connected");
  await world.publish(ann, { title: "not hers any more" });
  await world.publish(bob, { title: "hers" });
  await inbox.unread(1);
  await eventually(() => assert.deepEqual([made.length, open()], [2, 1]));

  await show(null);
  await eventually(() => assert.equal(open(), 0));
  for (let round = 0; round < 3; round++) {
    await show(ann);
    await show(null);
  }
  await show(ann);
  await inbox.unread(1);
  await eventually(() => assert.equal(open(), 1));
  await show(null);
  await eventually(() => assert.equal(open(), 0));
  await inbox.element.waitFor({ state: "detached" });
  // Removes the element while it connects.
  const own = /WebSocket is closed before the connection is established/;
  assert.deepEqual(
    faults.filter((fault) => !own.test(fault)),
    [],
  );
}

/** A tenant's site with one page, which may hold what a server drew, and a token endpoint. */
export async function startShop(
  t: TestContext,
  world: World,
  script: string,
  drawn = "",
): Promise<string> {
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,"></head>
    <body><div id="app">${drawn}</div><script type="module" src="/shop.js"></script></body></html>`;
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://shop.example");
    if (pathname === "/shop.js") {
      return response.setHeader("content-type", "text/javascript").end(script);
    }
    if (pathname !== "/token") return response.setHeader("content-type", "text/html").end(html);
    const user = searchParams.get("user") ?? "";
    const token = await world.token({ tenant: TENANTS[0] ?? "", user }, TOKEN_SECONDS);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ token, channels: [`personal#${user}`] }));
  });
  return `http://127.0.0.1:${await listen(t, server)}/`;
}

/** Resolves frameworks from the tests' dependencies and `@belfry/inbox` from the installed package. */
export async function bundle(
  folder: string,
  entry: string,
  more: BuildOptions = {},
): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: folder },
    ...{ bundle: true, format: "esm", write: false, jsx: "automatic" },
    define: {
      "process.env.NODE_ENV": NODE_ENV,
      __VUE_OPTIONS_API__: "true",
      __VUE_PROD_DEVTOOLS__: "false",
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false",
    },
    nodePaths: [join(ROOT, "test/node_modules")],
    plugins: [VUE],
    ...more,
  });
  return outputFiles?.[0]?.text ?? "";
}

/** What `@vitejs/plugin-vue` does with `isCustomElement`, for a component without styles. */
const VUE: Plugin = {
  name: "vue",
  setup({ onLoad }) {
    onLoad({ filter: /\.vue$/ }, async ({ path: filename }) => {
      const { descriptor } = parse(await readFile(filename, "utf8"), { filename });
      const { content } = compileScript(descriptor, {
        id: "inbox",
        inlineTemplate: true,
        templateOptions: { compilerOptions: { isCustomElement: (tag) => tag.includes("-") } },
      });
      return { contents: content, loader: "js" };
    });
  },
};
