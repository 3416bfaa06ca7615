import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { TestContext } from "node:test";
import { CHANNEL_ROWS, CHANNELS } from "@belfry/contracts/channels";
import { LINK_PAGES } from "@belfry/contracts/message-links";
import { parseLinkKeys, sealLink } from "@belfry/database/link-token";
import { eventually } from "@belfry/testing/eventually";
import { SCRIPT } from "@belfry/testing/hostile";
import type { Page } from "playwright-core";
import { faultsInLooks } from "../admin/accessible-pages.ts";
import { startIngest } from "../fuzz/start-ingest.ts";
import { client } from "../realtime/clients.ts";
import { type Category, TENANTS } from "../realtime/gateway-under-test.ts";
import { inboxOn, startInboxWorld } from "./inbox-page.ts";
import { test } from "./open-page.ts";

const [TENANT = "", WITHOUT_CATEGORIES = ""] = TENANTS;
const ASKED = /^\{.*"method":"preferences\.show"/;
const ANSWERED = /"preferences":\[.*"categories":/;
const TOLD = /"push":\{"message":\{"data":\{"type":"preferences"\}\}\}/;
const MANY = 200;
const NOT_SAVED = "That was not saved. Try again in a moment.";

test("the preferences of <belfry-inbox> in a browser", async (t) => {
  const { world, gateway, gate, allFaults, visit: visitSite } = await startInboxWorld(t);

  const category = (key: string, label: Record<string, string>, more?: Category) =>
    world.category(TENANT, key, label, more);
  await category("offers", { "": "Offers", de: "Angebote" }, { position: 1 });
  await category("news", { "": "News" }, { position: 2, defaultOn: false });
  await category("security", { "": "Security" }, { position: 3, required: true });

  /** A user of its own, and as many tabs as are asked for. */
  const visit = async (t: TestContext, user: string, tenant = TENANT) => {
    const { who, open: openAt } = await visitSite(t, user, { tenant });
    const open = async () => {
      const { page, inbox, received } = await openAt();
      const linesOf = (kind: RegExp) =>
        received.flatMap((frame) => frame.split("\n")).filter((line) => kind.test(line)).length;
      const answers = () => linesOf(ANSWERED);
      const asked = () => linesOf(ASKED);
      await inbox.state("connected");
      return {
        ...{ page, inbox, answers, asked, ...preferencesOn(page) },
        hasFailed: () => linesOf(/"error":\{/) > 0,
        /** Waits until it was asked that often, and answered. */
        async answered(times: number): Promise<void> {
          await eventually(() => answers() >= times);
          assert.deepEqual([asked(), answers()], [times, times]);
          // What an answer brings is seen one turn of the page later.
          await page.evaluate(NEXT_TURN);
        },
        /** The same user somewhere else. */
        async change(enabled: boolean | null): Promise<void> {
          const before = linesOf(TOLD);
          const elsewhere = client(t, gateway.url, { token: await world.token(who) });
          elsewhere.connect();
          await elsewhere.ready(60_000);
          const off = { category: "*", channel: "EMAIL", enabled };
          await elsewhere.rpc("preferences.change", { preferences: [off] });
          elsewhere.disconnect();
          await eventually(() => linesOf(TOLD) > before);
        },
      };
    };
    /** What is stored, as `offers/EMAIL off (inbox)`. */
    const cells = async () => {
      const { rows } = await world.db.query(
        `select category, channel, enabled, source from preferences
         where tenant_id = $1 and user_id = $2 order by category, channel`,
        [tenant, user],
      );
      return rows.map(
        (one) => `${one.category}/${one.channel} ${one.enabled ? "on" : "off"} (${one.source})`,
      );
    };
    return { who, open, openAt, cells };
  };

  await t.test("by the keyboard alone: in, through, changed, and out the same way", async (t) => {
    const { open, cells } = await visit(t, "kim");
    const { page, inbox, gear } = await open();
    const focused = () => page.evaluate(NAME_OF_FOCUSED);
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
      return await focused();
    };
    await inbox.bell.focus();
    await page.keyboard.press("Enter");
    await gear.waitFor();
    assert.equal(await press("Tab"), "Preferences", "the gear: there is nothing to mark");
    assert.equal(await press("Enter"), "preferences");
    await page.getByRole("dialog", { name: "Preferences" }).waitFor();
    await inbox.element.getByRole("switch").first().waitFor();
    assert.equal(await press("Tab"), "*/EMAIL");
    assert.equal(await press("Tab"), "*/SMS");
    assert.equal(await press("ArrowDown"), "offers/SMS");
    assert.equal(await press("ArrowLeft"), "offers/EMAIL");
    assert.equal(await press("ArrowUp", "End"), "news/EMAIL", "what is fixed is no stop");
    assert.equal(await press("ArrowDown"), "news/EMAIL");
    assert.equal(await press("Home", "ArrowRight"), "*/SMS");
    assert.equal(await press("ArrowLeft", "ArrowDown", " "), "offers/EMAIL");
    await eventually(async () => assert.deepEqual(await cells(), ["offers/EMAIL off (inbox)"]));
    assert.equal(await press("Enter"), "offers/EMAIL");
    await eventually(async () => assert.deepEqual(await cells(), ["offers/EMAIL on (inbox)"]));
    const tree = await inbox.element.ariaSnapshot();
    for (const line of [
      '- dialog "Preferences"',
      '- heading "Preferences" [level=2]',
      '- group "All messages"',
      '- switch "All messages Email" [checked]',
      '- switch "Offers SMS" [checked]',
      '- switch "News In the app"',
      '- switch "Security Email" [checked] [disabled]',
    ]) {
      assert.ok(tree.includes(line), `${line}\n${tree}`);
    }
    assert.equal(await press("Escape"), "Preferences", "the gear has the focus again");
    await page.getByRole("dialog", { name: "Notifications" }).waitFor();
    await press("Enter");
    assert.equal(await press("Shift+Tab"), "Back");
    assert.equal(await press("Enter"), "Preferences");
    await press("Enter", "Escape", "Escape");
    assert.equal(await page.getByRole("dialog").count(), 0);
    assert.equal(await page.evaluate("document.activeElement.tagName"), "BELFRY-INBOX");
    await inbox.bell.click();
    await gear.click();
    await page.locator("#elsewhere").focus();
    assert.equal(await page.getByRole("dialog").count(), 0);
    await inbox.bell.click();
    await page.getByRole("dialog", { name: "Notifications" }).waitFor();
  });

  await t.test("two tabs are in step, and so is whatever changes elsewhere", async (t) => {
    const { open, cells, who } = await visit(t, "bob");
    const tabs = [await open(), await open()] as const;
    const [one, two] = tabs;
    for (const tab of tabs) await tab.show();
    await one.switchOf("Offers", "EMAIL").click();
    for (const tab of tabs) await tab.is("Offers", "EMAIL", false);
    await two.switchOf("News", "SMS").click();
    for (const tab of tabs) await tab.is("News", "SMS", true);
    // What is off for the whole row becomes one off a channel when one of them is wanted.
    await world.db.query(
      "insert into preferences (tenant_id, user_id, category, channel, enabled, source) values ($1, $2, 'offers', '*', false, 'unsubscribe link')",
      [who.tenant, who.user],
    );
    await one.switchOf("All messages", "PUSH").click();
    for (const tab of tabs) {
      for (const channel of CHANNELS) await tab.is("Offers", channel, false);
    }
    await two.switchOf("Offers", "SMS").click();
    for (const tab of tabs) {
      await tab.is("Offers", "SMS", true);
      await tab.is("Offers", "EMAIL", false);
      await tab.is("Offers", "PUSH", false);
      await tab.is("Offers", "DEVICE", false);
      await tab.is("Offers", "CHAT", false);
      await tab.is("All messages", "PUSH", false);
    }
    assert.deepEqual(await cells(), [
      "*/PUSH off (inbox)",
      "news/SMS on (inbox)",
      "offers/CHAT off (inbox)",
      "offers/DEVICE off (inbox)",
      "offers/EMAIL off (inbox)",
      "offers/PUSH off (inbox)",
      "offers/SMS on (inbox)",
    ]);
    const overruled = one.switchOf("News", "PUSH");
    const hint = await overruled.getAttribute("aria-describedby");
    assert.equal(
      await one.inbox.element.locator(`#${hint}`).textContent(),
      "What you turn off here is off for everything below, too.",
    );
    assert.equal(await one.switchOf("News", "SMS").getAttribute("aria-describedby"), null);
  });

  await t.test("what is required stays on, whatever is pressed", async (t) => {
    const { open, cells } = await visit(t, "rita");
    const tab = await open();
    await tab.show();
    for (const channel of CHANNELS) {
      const fixed = tab.switchOf("Security", channel);
      assert.equal(await fixed.isDisabled(), true);
      await fixed.click({ force: true });
      await fixed.evaluate("node => { node.disabled = false; node.click(); }");
    }
    await tab.inbox.element.getByText("Always sent").waitFor();
    // Had one of them been sent, it would have been stored before this.
    await tab.switchOf("Offers", "EMAIL").click();
    await eventually(async () => assert.deepEqual(await cells(), ["offers/EMAIL off (inbox)"]));
    for (const channel of CHANNELS) await tab.is("Security", channel, true);
  });

  await t.test("what could not be saved is put back, and said", async (t) => {
    const { open, cells } = await visit(t, "eve");
    const tab = await open();
    await tab.show();
    await category("passing", { "": "Passing" }, { position: 9 });
    const answered = tab.answers();
    await tab.switchOf("Offers", "EMAIL").click();
    await tab.is("Passing", "EMAIL", true);
    // That of the change, and that of the reading which word of the change brings.
    await eventually(() => assert.ok(tab.answers() >= answered + 2));
    await world.db.query("delete from categories where key = 'passing'");
    const switched = tab.switchOf("Passing", "EMAIL");
    await switched.focus();
    await tab.page.keyboard.press(" ");
    await tab.inbox.status.getByText(NOT_SAVED).waitFor();
    await tab.inbox.element.getByRole("status").getByText(NOT_SAVED).waitFor({ state: "attached" });
    await switched.waitFor({ state: "detached" });
    assert.equal(await tab.page.evaluate(NAME_OF_FOCUSED), "preferences", "the focus is not lost");

    await world.db.query("alter table preferences rename to away");
    await tab.switchOf("Offers", "SMS").click();
    await eventually(async () =>
      assert.equal(await tab.switchOf("Offers", "SMS").getAttribute("aria-checked"), "true"),
    );
    await tab.inbox.status.getByText(NOT_SAVED).waitFor();
    await world.db.query("alter table away rename to preferences");
    assert.deepEqual(await cells(), ["offers/EMAIL off (inbox)"]);
    await tab.switchOf("Offers", "SMS").click();
    await tab.is("Offers", "SMS", false);
    await tab.inbox.status.waitFor({ state: "hidden" });
    assert.deepEqual(await cells(), ["offers/EMAIL off (inbox)", "offers/SMS off (inbox)"]);
  });

  await t.test("without a connection nothing is changed; with it all is read anew", async (t) => {
    const { open, cells, who } = await visit(t, "olga");
    const tab = await open();
    await tab.show();
    const offers = tab.switchOf("Offers", "EMAIL");
    await offers.focus();
    await gate.close();
    await tab.inbox.status.getByText("Connection lost. Reconnecting…").waitFor();
    assert.equal(await offers.getAttribute("aria-disabled"), "true");
    await tab.page.keyboard.press(" ");
    await tab.is("Offers", "EMAIL", true);
    await world.db.query(
      "insert into preferences (tenant_id, user_id, category, channel, enabled, source) values ($1, $2, 'news', 'EMAIL', true, 'api')",
      [who.tenant, who.user],
    );
    await gate.open();
    await tab.is("News", "EMAIL", true);
    assert.equal(await offers.getAttribute("aria-disabled"), null);
    assert.equal(await tab.page.evaluate(NAME_OF_FOCUSED), "offers/EMAIL");
    assert.deepEqual(await cells(), ["news/EMAIL on (api)"]);
  });

  await t.test("what could not be read is said, and read when asked again", async (t) => {
    const { open } = await visit(t, "fay");
    const tab = await open();
    await tab.inbox.bell.click();
    await tab.gear.waitFor();
    await tab.inbox.bell.click();
    await world.db.query("alter table preferences rename to away");
    await tab.inbox.bell.click();
    await tab.gear.click();
    const again = tab.page.getByRole("button", { name: "Try again" });
    await again.waitFor();
    await world.db.query("alter table away rename to preferences");
    await again.click();
    await tab.is("Offers", "EMAIL", true);
    assert.equal(await again.isVisible(), false);
  });

  await t.test("in the page's language, the element's own words, and without a gear", async (t) => {
    const { open } = await visit(t, "uli");
    const tab = await open();
    await tab.page.evaluate("document.documentElement.lang = 'de-AT'");
    await tab.page.evaluate(`
      document.querySelector("belfry-inbox").labels = { preferences: "Einstellungen",
        allMessages: "Alle Nachrichten", channel: (name) => ({ EMAIL: "E-Mail" })[name] ?? name };`);
    await tab.inbox.bell.click();
    await tab.page.getByRole("button", { name: "Einstellungen" }).click();
    const names = tab.inbox.element.getByRole("group").locator("strong");
    await names.first().waitFor();
    assert.deepEqual(await names.allTextContents(), [
      ...["Alle Nachrichten", "Angebote", "News", "Security"],
    ]);
    await tab.inbox.element.getByRole("switch", { name: "Angebote E-Mail" }).waitFor();
    await tab.page.evaluate(
      "document.querySelector('belfry-inbox').toggleAttribute('no-preferences')",
    );
    await tab.page.getByRole("dialog", { name: "Notifications" }).waitFor();
    assert.equal(await tab.page.getByRole("button", { name: "Einstellungen" }).count(), 0);
  });

  await t.test("channels are named as on the hosted page", async (t) => {
    const { open } = await visit(t, "cho");
    const tab = await open();
    await tab.show();
    for (const channel of CHANNELS) {
      const label = CHANNEL_ROWS[channel].readersWords?.en?.label;
      assert.equal(await tab.switchOf("Offers", channel).textContent(), label);
    }
  });

  await t.test("without a category, of a user who said nothing, nothing is another", async (t) => {
    const { page, inbox, gear, asked, answered, change } = await (
      await visit(t, "ann", WITHOUT_CATEGORIES)
    ).open();
    await world.publish({ tenant: WITHOUT_CATEGORIES, user: "ann" }, { title: "Hello" });
    await inbox.unread(1);
    assert.equal(asked(), 0, "nothing is asked before the bell is used");
    await inbox.bell.click();
    await answered(1);
    assert.equal(await gear.count(), 0);
    const markAll = page.getByRole("button", { name: "Mark all read" });
    const box = await markAll.boundingBox();
    const focused = () => page.evaluate(FOCUSED);
    assert.equal(await focused(), "Hello");
    await page.keyboard.press("Shift+Tab");
    assert.equal(await focused(), "Mark all read");

    await change(false);
    await gear.waitFor();
    assert.equal(asked(), 2, "asked again when told");
    assert.equal(await focused(), "Mark all read", "the focus is where it was");
    assert.deepEqual(await markAll.boundingBox(), box, "nothing jumps");
    await page.keyboard.press("Shift+Tab");
    assert.equal(await focused(), "Archive all");
    await page.keyboard.press("Shift+Tab");
    assert.equal(await focused(), "Preferences");

    await change(null);
    await answered(3);
    assert.equal(
      await focused(),
      "Preferences",
      "a gear that is there stays while the panel is open",
    );
    await inbox.bell.click();
    await change(false);
    await change(null);
    await inbox.bell.click();
    await answered(4);
    assert.equal(await gear.count(), 0, "there is nothing to show any more");
    await gate.close();
    await inbox.state("connecting");
    await gate.open();
    await answered(5);
  });

  await t.test("a category is enough; the panel is asked for once, however used", async (t) => {
    const { page, inbox, gear, asked, answered } = await (await visit(t, "gil")).open();
    assert.equal(asked(), 0);
    await inbox.bell.click();
    await gear.click();
    await inbox.element.getByRole("switch").first().waitFor();
    await page.keyboard.press("Escape");
    await gear.click();
    await inbox.element.getByRole("switch").first().waitFor();
    await answered(1);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await inbox.bell.click();
    assert.equal(await gear.isVisible(), true, "known from before");
    await answered(2);
  });

  await t.test("with no-preferences nothing is asked, until it is taken away", async (t) => {
    const { page, inbox, gear, answered, asked, change } = await (await visit(t, "kai")).open();
    const toggle = () =>
      page.evaluate("document.querySelector('belfry-inbox').toggleAttribute('no-preferences')");
    await toggle();
    await inbox.bell.click();
    await change(false);
    assert.equal(await gear.count(), 0);
    assert.equal(asked(), 0);
    await toggle();
    await gear.waitFor();
    await answered(1);
  });

  await t.test("what cannot be read has no gear; the next opening asks again", async (t) => {
    const { page, inbox, gear, asked, hasFailed } = await (await visit(t, "flo")).open();
    await world.db.query("alter table preferences rename to away");
    await inbox.bell.click();
    await eventually(hasFailed);
    assert.equal(asked(), 1);
    await page.evaluate(NEXT_TURN);
    assert.equal(await gear.count(), 0);
    await inbox.bell.click();
    await world.db.query("alter table away rename to preferences");
    await inbox.bell.click();
    await gear.waitFor();
    assert.equal(asked(), 2);
  });

  await t.test("an inline inbox asks when it connects, and shows its list", async (t) => {
    const { page, inbox, gear, asked, answered } = await (await visit(t, "ida")).open();
    assert.equal(asked(), 0);
    await page.evaluate(`(() => {
      const inline = document.querySelector("belfry-inbox").cloneNode();
      inline.setAttribute("inline", "");
      document.querySelector("belfry-inbox").replaceWith(inline);
    })()`);
    await inbox.state("connected");
    await gear.waitFor();
    await answered(1);
    await page.getByRole("region", { name: "Notifications" }).waitFor();
    assert.equal(await inbox.element.locator("[part=preferences]").isVisible(), false);
  });

  await t.test("what is saved on the hosted page the panel shows, and the reverse", async (t) => {
    const linkKeys = `k1:${randomBytes(32).toString("base64")}`;
    const ingest = await startIngest(t, { ...world.env, LINK_KEYS: linkKeys });
    const { open, openAt, cells } = await visit(t, "pia");
    const tab = await open();
    await tab.show();
    const owner = { tenantId: TENANT, userId: "pia", category: "*", channel: "EMAIL" } as const;
    const link = sealLink(parseLinkKeys(linkKeys), "preferences", owner);
    const address = `${ingest.url}${LINK_PAGES.preferences}/${link}`;
    const { page: hosted } = await openAt(address);
    const box = hosted.getByRole("group", { name: "Offers" }).getByLabel("SMS");
    await box.uncheck();
    await hosted.getByRole("button", { name: "Save" }).click();
    await hosted.getByText("Your choice is saved.").waitFor();
    await tab.is("Offers", "SMS", false);
    assert.deepEqual(await cells(), ["offers/SMS off (preference page)"]);

    await tab.switchOf("Offers", "SMS").click();
    await tab.is("Offers", "SMS", true);
    // A switch shows what was pressed before it is stored.
    await eventually(async () => {
      await hosted.goto(address);
      assert.equal(await box.isChecked(), true);
    });
  });

  await t.test("whatever a tenant writes, axe finds nothing; nothing is too wide", async (t) => {
    await category("hostile", { "": SCRIPT }, { position: 20, description: { "": SCRIPT } });
    await category("long", { "": "x".repeat(200) }, { position: 21 });
    await category(
      "arabic",
      { "": "عروض" },
      { position: 22, description: { "": "مرة في الأسبوع" } },
    );
    await world.db.query(
      `insert into categories (tenant_id, key, label, description, required, default_on, position)
         select $1, 'n' || i, jsonb_build_object('', 'Number ' || i), '{}', false, true, 100 + i
         from generate_series(1, $2) i`,
      [TENANT, MANY],
    );
    t.after(() => world.db.query("delete from categories where position >= 20"));
    const { open } = await visit(t, "max");
    const tab = await open();
    const { page } = tab;
    await tab.show();
    await tab.switchOf("All messages", "SMS").click();
    await tab.is("All messages", "SMS", false);
    await tab.switchOf(`Number ${MANY}`, "EMAIL").click();
    await tab.is(`Number ${MANY}`, "EMAIL", false);
    assert.equal(await page.getByText(SCRIPT, { exact: true }).count(), 2, "a text is a text");
    assert.equal(await page.title(), "Shop");
    for (const dir of ["ltr", "rtl"]) {
      await page.evaluate(`document.documentElement.dir = "${dir}"`);
      for (const width of [900, 320]) {
        assert.deepEqual(await faultsInLooks(dir, page, [width]), []);
        assert.deepEqual(await page.evaluate(TOO_WIDE), [], `${dir} ${width}`);
      }
    }
    assert.ok(await tab.switchOf("All messages", "SMS").isVisible());
  });

  await t.test("under a strict policy the browser met no fault but the tests' own", () => {
    const own = /WebSocket connection to .* failed|WebSocket is already in CLOSING/;
    assert.deepEqual(
      allFaults.filter((fault) => !own.test(fault)),
      [],
    );
  });
});

const NEXT_TURN = "new Promise((done) => setTimeout(done))";
/** Of a notification its title, of a button its name. */
const FOCUSED = `(() => {
  const at = document.activeElement.shadowRoot?.activeElement;
  return at?.querySelector("strong")?.textContent ?? at?.ariaLabel ?? at?.textContent;
})()`;
/** Of a switch its cell, of other things their name or part. */
const NAME_OF_FOCUSED = `(() => {
  const at = document.activeElement.shadowRoot?.activeElement;
  const { key, channel } = at?.dataset ?? {};
  return key ? key + "/" + channel : at?.ariaLabel ?? at?.getAttribute("part");
})()`;
/** Parts that hold more than there is room for in their width. */
const TOO_WIDE = `(() => {
  const root = document.querySelector("belfry-inbox").shadowRoot;
  const parts = ["panel", "header", "preferences"].map((part) => root.querySelector("[part=" + part + "]"));
  return [document.documentElement, ...parts]
    .filter((one) => one.scrollWidth > one.clientWidth)
    .map((one) => one.getAttribute("part") ?? one.tagName);
})()`;

/** The view behind the gear, as its user meets it. */
function preferencesOn(page: Page) {
  const inbox = inboxOn(page);
  const gear = page.getByRole("button", { name: "Preferences" });
  const switchOf = (label: string, channel: string) =>
    inbox.element
      .getByRole("group", { name: label, exact: true })
      .locator(`[role=switch][data-channel=${channel}]`);
  return {
    gear,
    switchOf,
    async show(): Promise<void> {
      await inbox.bell.click();
      await gear.click();
      await switchOf("All messages", "EMAIL").waitFor();
    },
    async is(label: string, channel: string, isOn: boolean): Promise<void> {
      await switchOf(label, channel)
        .and(page.locator(`[aria-checked=${isOn}]`))
        .waitFor();
    },
  };
}
