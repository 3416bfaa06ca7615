import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test as nodeTest, type TestContext } from "node:test";
import type {
  InboxActions,
  InboxState,
  PreferencesActions,
  PreferencesState,
} from "@belfry/inbox/feed-source";
import { sourcesOf } from "@belfry/inbox/feed-source";
import { InboxFeed } from "@belfry/inbox/inbox-feed";
import { eventually } from "@belfry/testing/eventually";
import type { Browser, Page, WebSocket } from "playwright-core";
import { inboxOn } from "../browser/inbox-page.ts";
import { openBrowser, test, watchPage } from "../browser/open-page.ts";
import { createWorld, TENANTS, type World } from "../realtime/gateway-under-test.ts";
import { bundle, startShop, TOKEN_SECONDS } from "./framework-tests.ts";
import { browserEntry, HOOK_PAGES, serverEntry } from "./hook-pages.ts";
import { ROOT, run, write } from "./packed.ts";

const TENANT = TENANTS[0] ?? "";
/** One more than a page of the list. */
const ITEMS = 31;
/** Counts the timers that are pending. */
const TIMERS = `
  window.timers = new Set();
  for (const kind of ["Timeout", "Interval"]) {
    const set = window["set" + kind];
    const clear = window["clear" + kind];
    window["set" + kind] = (work, ...more) => {
      const id = set(() => { if (kind === "Timeout") window.timers.delete(id); work(); }, ...more);
      window.timers.add(id);
      return id;
    };
    window["clear" + kind] = (id) => { window.timers.delete(id); clear(id); };
  }`;

/** Tests of the packed hooks of React and composables of Vue. */
export function hookTests(project: () => string): void {
  nodeTest("the types of the hooks name each part of the state and each action", () => {
    const { inbox, preferences } = sourcesOf(
      new InboxFeed({ wsUrl: "", getToken: async () => null }),
    );
    const names = (one: object) => Object.keys(one).sort();
    assert.deepEqual(names(inbox.initial), names(INBOX));
    assert.deepEqual(names(inbox.read()), names(INBOX));
    assert.deepEqual(names(inbox.actions), names(INBOX_ACTIONS));
    assert.deepEqual(names(preferences.initial), names(PREFERENCES));
    assert.deepEqual(names(preferences.read()), names(PREFERENCES));
    assert.deepEqual(names(preferences.actions), names(PREFERENCES_ACTIONS));
  });

  nodeTest("docs/inbox.md gives the size of both bundles, within a tenth", async () => {
    const text = await readFile(join(ROOT, "docs/inbox.md"), "utf8");
    for (const name of ["react", "vue"]) {
      const options = { minify: true, external: ["react", "vue", "centrifuge"] };
      const entry = `export * from "@belfry/inbox/${name}";`;
      const { length } = await bundle(project(), entry, options);
      const [, bytes = ""] = new RegExp(`/${name}\\W (?:has )?([\\d,]+) bytes`).exec(text) ?? [];
      assert.ok(Math.abs(Number(bytes.replace(",", "")) / length - 1) < 0.1, `${name}: ${length}`);
    }
  });

  test("hooks of React and composables of Vue draw a live inbox", async (t) => {
    const world = await createWorld(t);
    // A page that puts its own clock forward must not miss a ping meanwhile.
    const gateway = await world.startGateway({ PING_INTERVAL_MS: "600000" });
    const browser = await openBrowser(t);
    await world.category(TENANT, "offers", { "": "Offers" });
    const folder = join(project(), "hooks");
    for (const [sample, page] of Object.entries(HOOK_PAGES)) {
      await write(folder, { [sample]: await readFile(join(ROOT, "examples", sample), "utf8") });
      const server = await bundle(folder, serverEntry(page), { platform: "node", format: "cjs" });
      await write(folder, { "server.cjs": server });
      const script = await bundle(folder, browserEntry(page));
      await t.test(sample, async (t) => {
        const { out } = await run(process.execPath, ["server.cjs"], folder);
        const { html, calls } = JSON.parse(out);
        assert.equal(calls, 0, "a server asks for no token");
        assert.match(html, />Loading…</);
        await visit(t, { world, wsUrl: gateway.url, browser, script, html, sample });
      });
    }
  });
}

async function visit(
  t: TestContext,
  given: {
    world: World;
    wsUrl: string;
    browser: Browser;
    script: string;
    html: string;
    sample: string;
  },
): Promise<void> {
  const { world, wsUrl, browser, script, html, sample } = given;
  const [ann, bob] = ["ann", "bob"].map((one) => ({ tenant: TENANT, user: `${one} of ${sample}` }));
  assert.ok(ann && bob);
  for (let item = 0; item < ITEMS; item++) {
    await world.publish(ann, { title: `old ${item}`, lost: true });
  }
  const site = await startShop(t, world, script, html);
  const context = await browser.newContext();
  t.after(() => context.close());
  await context.clock.install();
  const allFaults: string[] = [];
  /** A tab that takes over the server's page for a user. */
  const openTab = async () => {
    const page = await context.newPage();
    const { faults } = await watchPage(page);
    page.once("close", () => allFaults.push(...faults));
    const made: WebSocket[] = [];
    page.on("websocket", (socket) => made.push(socket));
    await page.addInitScript(`${TIMERS}
      window.boxes = [{ user: ${JSON.stringify(ann.user)} }];
      window.asked = [];
      window.drawn = { count: 0, list: 0 };
      window.seen = new Set();
      window.shop = {
        wsUrl: ${JSON.stringify(wsUrl)},
        async getToken({ id }) {
          window.asked.push(id);
          const answer = await fetch("/token?user=" + encodeURIComponent(id), { method: "POST" });
          return answer.json();
        },
      };`);
    await page.goto(site);
    return {
      ...{ page, made },
      open: () => made.filter((socket) => !socket.isClosed()).length,
      show: (...boxes: { user: string; kind?: string }[]) =>
        page.evaluate(`window.show(${JSON.stringify(boxes)})`),
      asked: () => page.evaluate<string[]>("window.asked"),
      drawn: () => page.evaluate<{ count: number; list: number }>("({ ...window.drawn })"),
      box: (index = 0) => boxOn(page, index),
    };
  };
  const tab = await openTab();
  const box = tab.box();

  await t.test("the browser takes over the server's page, by one connection", async () => {
    await box.unread(ITEMS);
    assert.deepEqual([tab.made.length, await tab.asked()], [1, [ann.user]]);
    await tab.show({ user: ann.user });
    await world.publish(ann, { title: "On its way" });
    await box.unread(ITEMS + 1);
    assert.equal(await box.items.first().getByRole("button").first().textContent(), "On its way");

    const shop = "{ ...shop, getToken: (user) => getToken({ id: user.id }, asked.push('again')) }";
    await tab.page.evaluate(`{ const { getToken } = shop; window.shop = ${shop}; }`);
    await tab.show({ user: ann.user });
    await tab.page.clock.fastForward(TOKEN_SECONDS * 1000);
    await eventually(async () =>
      assert.deepEqual(await tab.asked(), [ann.user, "again", ann.user], "the last function"),
    );
    assert.equal(tab.made.length, 1, "no other connection");
  });

  await t.test("actions change what other tabs show", async () => {
    const other = await openTab();
    const otherBox = other.box();
    await box.press("On its way");
    await otherBox.unread(ITEMS);
    await box.items.nth(29).waitFor();
    await box.press("Earlier");
    await box.items.nth(ITEMS).waitFor();
    await box.items.first().getByRole("button", { name: "Move" }).click();
    await otherBox.item("On its way").waitFor({ state: "detached" });
    await otherBox.press("Archive");
    await otherBox.item("On its way").getByRole("button", { name: "Delete" }).click();
    await otherBox.item("On its way").waitFor({ state: "detached" });
    await box.press("Archive");
    await box.button("Inbox").waitFor();
    await box.items.first().waitFor({ state: "detached" });
    await box.press("Inbox");
    await box.press("Mark all read");
    await otherBox.unread(0);

    await box.switchOf("EMAIL").uncheck();
    await eventually(async () => assert.equal(await otherBox.switchOf("EMAIL").isChecked(), false));
    await world.db.query("alter table preferences rename to away");
    await box.switchOf("SMS").click();
    await box.alert("That was not saved.").waitFor();
    await eventually(async () => assert.equal(await box.switchOf("SMS").isChecked(), true));
    await world.db.query("alter table away rename to preferences");
    await box.switchOf("SMS").click();
    await eventually(async () => assert.equal(await otherBox.switchOf("SMS").isChecked(), false));
    await box.alert("").waitFor({ state: "detached" });
    await other.page.close();
  });

  await t.test("each user has a connection, and nothing is left after the last", async () => {
    await tab.show({ user: bob.user });
    await eventually(async () => assert.equal((await tab.asked()).at(-1), bob.user));
    await eventually(() => assert.deepEqual([tab.made.length, tab.open()], [2, 1]));
    await world.publish(ann, { title: "not his" });
    await world.publish(bob, { title: "his" });
    await box.unread(1);
    await eventually(async () => assert.deepEqual(await box.titles(), ["his"]));

    await tab.show({ user: bob.user }, { user: ann.user });
    await tab.box(1).unread(1);
    await box.press("his");
    await box.unread(0);
    // An action rejects if the connection ends before its answer, which the browser's console would tell.
    await eventually(async () => {
      const stored =
        "select from notifications where title = 'his' and user_id = $1 and read_at is not null";
      assert.equal((await world.db.query(stored, [bob.user])).rowCount, 1);
    });
    await tab.box(1).unread(1);
    assert.deepEqual([tab.made.length, tab.open()], [3, 2]);

    await isEmpty();
    for (let round = 0; round < 3; round++) {
      await tab.show({ user: ann.user });
      await tab.show();
    }
    await tab.show({ user: ann.user });
    await box.unread(1);
    await eventually(() => assert.equal(tab.open(), 1));
    await isEmpty();
  });

  await t.test("the element shares the connection, and only what changed is drawn", async () => {
    const before = tab.made.length;
    await tab.show({ user: ann.user, kind: "probe" });
    const element = inboxOn(tab.page);
    await element.state("connected");
    await element.items.nth(29).waitFor();
    await tab.page.locator("b", { hasText: /^1$/ }).waitFor();
    assert.equal(tab.made.length - before, 1);

    const first = await tab.drawn();
    await tab.page.evaluate(`window.inbox.show({ view: "archived" })`);
    await eventually(async () => assert.ok((await tab.drawn()).list > first.list));
    assert.equal((await tab.drawn()).count, first.count);
    await tab.page.evaluate(`window.inbox.show({ view: "inbox" })`);
    await element.items.nth(29).waitFor();
    const seen = await tab.page.evaluate("window.seen.size");
    await tab.show({ user: ann.user, kind: "probe" });
    assert.equal(
      await tab.page.evaluate("window.seen.size"),
      seen,
      "the same state, the same object",
    );
    await isEmpty();
  });

  await t.test("a feed that the page started stays when its hooks are gone", async () => {
    await tab.page.evaluate(`
      window.feed = new InboxFeed({ ...shop, getToken: () => shop.getToken({ id: ${JSON.stringify(ann.user)} }) });
      window.feed.start();`);
    await tab.show({ user: ann.user, kind: "own" });
    await tab.page.locator("b", { hasText: /^1$/ }).waitFor();
    await tab.show();
    await tab.page.locator("belfry-inbox").waitFor({ state: "detached" });
    await tab.page.evaluate("new Promise((resolve) => setTimeout(resolve))");
    assert.equal(tab.open(), 1);
    assert.equal(await tab.page.evaluate("window.feed.isStarted"), true);
    await tab.page.evaluate("window.feed.stop()");
    await isEmpty();
  });

  if (sample.endsWith(".vue")) {
    await t.test("a store outside components has the count until its scope ends", async () => {
      await tab.page.evaluate("window.store = window.openStore()");
      await tab.page.waitForFunction("window.store.unread.value === 1");
      await tab.page.evaluate("window.store.close()");
      await isEmpty();
    });
  }

  await tab.page.close();
  const own = /WebSocket is closed before the connection is established/;
  assert.deepEqual(
    allFaults.filter((fault) => !own.test(fault)),
    [],
  );

  async function isEmpty(): Promise<void> {
    await tab.show();
    await eventually(async () =>
      assert.deepEqual([tab.open(), await tab.page.evaluate("window.timers.size")], [0, 0]),
    );
  }
}

/** A box of the sample. */
function boxOn(page: Page, index: number) {
  const section = page.locator("section").nth(index);
  const items = section.locator("li");
  const button = (name: string) => section.getByRole("button", { name, exact: true });
  return {
    ...{ items, button },
    item: (title: string) => items.filter({ hasText: title }),
    titles: () => items.locator("button:first-child").allTextContents(),
    press: (name: string) => button(name).click(),
    unread: (count: number) =>
      section.getByRole("heading", { name: `${count} unread`, exact: true }).waitFor(),
    switchOf: (channel: string) =>
      section.getByRole("group", { name: "Offers" }).getByRole("checkbox", { name: channel }),
    alert: (text: string) => section.getByRole("alert").filter({ hasText: text }),
  };
}

const INBOX: Record<keyof InboxState, true> = {
  ...{ items: true, unread: true, state: true, reason: true, problem: true, hasMore: true },
  ...{ isLoaded: true, view: true },
};
const INBOX_ACTIONS: Record<keyof InboxActions, true> = {
  ...{ markRead: true, markAllRead: true, archiveAll: true, change: true, remove: true },
  ...{ loadMore: true, show: true, readTabs: true, reconnect: true },
};
const PREFERENCES: Record<keyof PreferencesState, true> = {
  ...{ preferences: true, rows: true, problem: true },
};
const PREFERENCES_ACTIONS: Record<keyof PreferencesActions, true> = {
  ...{ toggle: true, set: true, readAgain: true },
};
