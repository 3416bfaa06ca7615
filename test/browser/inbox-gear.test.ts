import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { eventually } from "@belfry/testing/eventually";
import { client } from "../realtime/clients.ts";
import { cuttableProxy } from "../realtime/cuttable-proxy.ts";
import { createWorld, TENANTS } from "../realtime/gateway-under-test.ts";
import { DESKTOP, openTab, startInboxSite } from "./inbox-page.ts";
import { openBrowser } from "./open-page.ts";
import { skip } from "./without-browser.ts";

const [WITH_CATEGORIES = "", WITHOUT = ""] = TENANTS;
const ASKED = /^\{.*"method":"preferences\.show"/;
const TOLD = '"push":{"message":{"data":{"type":"preferences"}}}';
const OFF = { category: "*", channel: "EMAIL", enabled: false };

test("the gear of <belfry-inbox> is there when there is something behind it", {
  skip,
}, async (t) => {
  const world = await createWorld(t);
  const gateway = await world.startGateway({ PING_INTERVAL_MS: "600000" });
  const proxy = await cuttableProxy(t, gateway.url);
  const browser = await openBrowser(t);
  await world.category(WITH_CATEGORIES, "offers", { "": "Offers" });

  const visit = async (t: TestContext, tenant: string, user: string) => {
    const token = () => world.token({ tenant, user });
    const site = await startInboxSite(t, {
      wsUrl: proxy.url,
      token: async () => ({ token: await token(), channels: [`personal#${user}`] }),
    });
    const context = await browser.newContext(DESKTOP);
    t.after(() => context.close());
    const { page, inbox, received } = await openTab(context, site.url, []);
    await inbox.state("connected");
    const lines = () => received.flatMap((frame) => frame.split("\n"));
    const asked = () => lines().filter((line) => ASKED.test(line)).length;
    return {
      ...{ page, inbox, asked },
      hasFailed: () => lines().some((line) => line.includes('"error":{')),
      gear: page.getByRole("button", { name: "Preferences" }),
      markAll: page.getByRole("button", { name: "Mark all read" }),
      /** Waits until it was asked that often, and answered. */
      async answered(times: number): Promise<void> {
        const answers = () => lines().filter((line) => line.includes('"categories":[')).length;
        await eventually(() => answers() >= times);
        assert.equal(asked(), times);
        assert.equal(answers(), times);
        // What an answer brings is seen one turn of the page later.
        await page.evaluate(NEXT_TURN);
      },
      /** The same user somewhere else. */
      async change(enabled: boolean | null): Promise<void> {
        const before = lines().filter((line) => line.includes(TOLD)).length;
        const elsewhere = client(t, gateway.url, { token: await token() });
        elsewhere.connect();
        await elsewhere.ready(60_000);
        await elsewhere.rpc("preferences.change", { preferences: [{ ...OFF, enabled }] });
        elsewhere.disconnect();
        await eventually(() => lines().filter((line) => line.includes(TOLD)).length > before);
      },
    };
  };

  await t.test("without a category, of a user who said nothing, nothing is another", async (t) => {
    const { page, inbox, gear, markAll, asked, answered, change } = await visit(t, WITHOUT, "ann");
    await world.publish({ tenant: WITHOUT, user: "ann" }, { title: "Hello" });
    await inbox.unread(1);
    assert.equal(asked(), 0, "nothing is asked before the bell is used");
    await inbox.bell.click();
    await answered(1);
    assert.equal(await gear.count(), 0);
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
    proxy.cut();
    await inbox.state("connecting");
    proxy.mend();
    await answered(5);
  });

  await t.test(
    "a category is enough; the panel is asked for once however often it is used",
    async (t) => {
      const { page, inbox, gear, asked, answered } = await visit(t, WITH_CATEGORIES, "bob");
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
    },
  );

  await t.test("with no-preferences nothing is asked, until it is taken away", async (t) => {
    const { page, inbox, gear, answered, asked, change } = await visit(t, WITH_CATEGORIES, "kim");
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
    const { page, inbox, gear, asked, hasFailed } = await visit(t, WITH_CATEGORIES, "fay");
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
    const { page, inbox, gear, asked, answered } = await visit(t, WITH_CATEGORIES, "ida");
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
});

const NEXT_TURN = "new Promise((done) => setTimeout(done))";
/** Of a notification its title, of a button its name. */
const FOCUSED = `(() => {
  const at = document.activeElement.shadowRoot?.activeElement;
  return at?.querySelector("strong")?.textContent ?? at?.ariaLabel ?? at?.textContent;
})()`;
