import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "@belfry/testing/eventually";
import { faultsInLooks } from "../admin/accessible-pages.ts";
import { startInboxWorld } from "./inbox-page.ts";
import { test } from "./open-page.ts";

const SNOOZED_SECONDS = 300;

test("archive, snooze, mark unread and delete in <belfry-inbox>", async (t) => {
  const { world, allFaults, visit } = await startInboxWorld(t);
  const publish: typeof world.publish = async (who, options) => {
    // Times of one millisecond have no order but that of their ids.
    await sleep(3);
    return await world.publish(who, options);
  };
  const ready = async (t: TestContext, user: string, titles: string[]) => {
    const visited = await visit(t, user);
    for (const title of titles) await publish(visited.who, { title });
    const tab = async (unread = titles.length) => {
      const { page, inbox, states, received } = await visited.open();
      await inbox.unread(unread);
      await inbox.bell.click();
      const row = (title: string) =>
        inbox.items.filter({ has: page.getByText(title, { exact: true }) });
      return {
        ...{ page, inbox, states, row, received },
        button: (title: string, name: string) => row(title).getByRole("button", { name }),
        /** By its whole name; with how much of it is unread, for a category. */
        tab: (name: string) => inbox.element.getByRole("tab", { name, exact: true }),
        shows: (...expected: string[]) =>
          eventually(async () => assert.deepEqual(await inbox.titles(), expected)),
      };
    };
    return { ...visited, tab };
  };

  await t.test(
    "what is archived leaves every tab at once, and Undo brings it back as it was",
    async (t) => {
      const { tab } = await ready(t, "ann", ["first", "second"]);
      const [here, there] = [await tab(), await tab()];
      await here.button("second", "Archive").click();
      for (const one of [here, there]) {
        await one.inbox.unread(1);
        await one.shows("first");
      }
      await here.inbox.element.getByRole("button", { name: "Undo" }).click();
      for (const one of [here, there]) {
        await one.shows("second", "first");
        await one.inbox.unread(2);
      }
      await here.button("first", "Archive").click();
      await there.tab("Archived").click();
      await there.shows("first");
      await there.button("first", "Move to inbox").click();
      await there.shows();
      await there.inbox.element.getByText("Nothing here.").waitFor();
      await here.shows("second", "first");
      await here.inbox.unread(2);
    },
  );

  await t.test(
    "what is snoozed until tomorrow is in no count, and back by Show now or Undo",
    async (t) => {
      const { who, tab } = await ready(t, "sue", ["old", "new"]);
      const here = await tab();
      await here.button("old", "Mark read").click();
      await here.inbox.unread(1);
      await here.button("old", "Snooze").click();
      await here.button("old", "Tomorrow").click();
      await here.shows("new");
      const { rows } = await world.db.query<{ until: Date }>(
        "select snoozed_until as until from notifications where user_id = $1 and title = 'old'",
        [who.user],
      );
      const tomorrow = new Date(Date.now() + 86_400_000);
      tomorrow.setHours(9, 0, 0, 0);
      assert.equal(rows[0]?.until.toISOString(), tomorrow.toISOString());
      await here.inbox.element.getByRole("button", { name: "Undo" }).click();
      await here.shows("new", "old");
      await here.inbox.unread(1);
      await here.button("old", "Snooze").click();
      await here.button("old", "In an hour").click();
      await here.tab("Snoozed").click();
      await here.shows("old");
      assert.match((await here.row("old").locator("time").textContent()) ?? "", /^Until /);
      await here.button("old", "Show now").click();
      await here.tab("All").click();
      await here.shows("new", "old");
      await here.inbox.unread(2);
    },
  );

  await t.test("when its time has come an open page shows it, on top and unread", async (t) => {
    const { who, context, tab } = await ready(t, "tim", ["old", "new"]);
    await context.clock.install();
    const here = await tab();
    const set = (until: string) =>
      world.db.query(
        `update notifications set snoozed_until = ${until} where user_id = $1 and title = 'old'`,
        [who.user],
      );
    await set(`now() + interval '${SNOOZED_SECONDS} seconds'`);
    await here.button("new", "Mark read").click();
    await here.button("new", "Mark unread").click();
    await here.shows("new");
    const before = await here.states();
    await set("now()");
    await here.page.clock.fastForward((SNOOZED_SECONDS + 1) * 1000);
    await here.shows("old", "new");
    await here.inbox.unread(2);
    assert.deepEqual(await here.states(), before, "by no new connection");
  });

  await t.test(
    "what was read is marked unread; delete asks once, and nothing brings it back",
    async (t) => {
      const { who, tab } = await ready(t, "udo", ["first", "second"]);
      const here = await tab();
      await here.button("first", "Mark read").click();
      await here.inbox.unread(1);
      await here.button("first", "Mark unread").click();
      await here.inbox.unread(2);
      await here.button("first", "Delete").click();
      await here.button("second", "Snooze").focus();
      await here.button("first", "Delete").click();
      await here.shows("second", "first");
      await here.button("first", "Delete for good?").click();
      await here.shows("second");
      await here.inbox.unread(1);
      const { rows } = await world.db.query(
        "select title from notifications where user_id = $1 order by title",
        [who.user],
      );
      assert.deepEqual(rows, [{ title: "" }, { title: "second" }]);
    },
  );

  await t.test(
    "a mark that is told of after a quick Mark unread is not believed, but read anew",
    async (t) => {
      const { who, context, tab } = await ready(t, "ida", ["first", "second"]);
      const told: string[] = [];
      let tellLate: (() => void) | undefined;
      await context.routeWebSocket(/.*/, (socket) => {
        socket.connectToServer().onMessage((message) => {
          const lines = String(message).split("\n");
          const isHeld = (line: string) => /"type":"(marked|changed)"/.test(line);
          told.push(...lines.filter(isHeld));
          const others = lines.filter((line) => !isHeld(line));
          if (others.length > 0) socket.send(others.join("\n"));
        });
        tellLate = () => socket.send(told[0]!);
      });
      await context.clock.install();
      const here = await tab();
      // No time passes in the page: both clicks and the message are of one moment, and nothing is read before.
      await here.page.clock.pauseAt(Date.now() + 10_000);
      await here.button("first", "Mark read").click();
      await eventually(() => assert.equal(told.length, 1));
      await here.button("first", "Mark unread").click();
      await eventually(() => assert.equal(told.length, 2));
      assert.match(told[0]!, /"marked"/);
      tellLate?.();
      await world.publish(who, { title: "third" });
      await here.shows("third", "second", "first");
      const states = () =>
        here.inbox.items.evaluateAll((rows) => rows.map((row) => row.getAttribute("data-state")));
      assert.deepEqual(await states(), ["unread", "unread", "unread"]);
      await here.inbox.unread(3);
      // Nobody tells of this one: only a reading shows it.
      await world.db.query(
        "update notifications set read_at = now() where user_id = $1 and title = 'second'",
        [who.user],
      );
      await here.page.clock.runFor(1000);
      await here.inbox.unread(2);
      assert.deepEqual(await states(), ["unread", "read", "unread"]);
    },
  );

  await t.test(
    "categories are tabs; what arrives counts in each, and is listed in its own",
    async (t) => {
      await world.category("acme", "orders", { "": "Orders", de: "Bestellungen" });
      await world.category("acme", "offers", { "": "Offers" });
      await world.db.query(
        "insert into event_type_categories values ('acme', 'order.confirmed', 'orders'), ('acme', 'offer', 'offers')",
      );
      const { who, tab } = await ready(t, "kat", ["order"]);
      await world.publish(who, { title: "offer", eventType: "offer" });
      const { page, inbox, ...here } = await tab(2);
      await here.tab("Orders 1 unread").click();
      await here.shows("order");
      await world.publish(who, { title: "second offer", eventType: "offer" });
      await inbox.unread(3);
      await here.shows("order");
      await here.tab("Offers 2 unread").waitFor();
      await world.publish(who, { title: "second order" });
      await inbox.unread(4);
      await here.shows("second order", "order");
      await here.tab("Orders 2 unread").waitFor();
      await page.keyboard.press("Escape");
      await inbox.bell.click();
      await here.shows("second order", "second offer", "offer", "order");
      await page.evaluate("document.documentElement.lang = 'de'");
      await world.publish(who, { title: "last" });
      await here.tab("Bestellungen 3 unread").waitFor();
    },
  );

  await t.test(
    "all of a tab is marked read or archived at once, in every page, and nothing of the others",
    async (t) => {
      const { who, tab } = await ready(t, "all", ["order"]);
      for (const title of ["first offer", "second offer"]) {
        await publish(who, { title, eventType: "offer" });
      }
      const [here, there] = [await tab(3), await tab(3)];
      const button = (of: typeof here, name: string) =>
        of.inbox.element.getByRole("button", { name, exact: true });
      await here.tab("Offers 2 unread").click();
      await here.shows("second offer", "first offer");
      await here.button("first offer", "Mark read").click();
      for (const one of [here, there]) await one.tab("Offers 1 unread").waitFor();
      await button(here, "Mark all read").click();
      for (const one of [here, there]) {
        await one.inbox.unread(1);
        await one.tab("Offers").waitFor();
        await one.tab("Orders 1 unread").waitFor();
      }
      await eventually(async () => assert.ok(await button(here, "Mark all read").isDisabled()));
      await button(here, "Archive all").click();
      await here.inbox.bell.focus();
      await button(here, "Archive all").click();
      await here.shows("second offer", "first offer");
      await button(here, "Archive all?").click();
      await here.shows();
      await there.shows("order");
      await here.inbox.element.getByText("Nothing here.").waitFor();
      assert.equal(await button(here, "Archive all").count(), 0);
      await there.tab("Archived").click();
      await there.shows("second offer", "first offer");
      assert.equal(await button(there, "Archive all").count(), 0);
      await here.tab("All").click();
      await here.shows("order");
      await button(here, "Archive all").press("Enter");
      await button(here, "Archive all?").press("Enter");
      for (const one of [here, there]) await one.inbox.unread(0);
      await here.shows();
      await there.shows("second offer", "first offer", "order");
      await here.inbox.element.getByText("Nothing yet.").waitFor();
    },
  );

  await t.test(
    "by keyboard: to the buttons, through the tabs, and Escape on the bell closes",
    async (t) => {
      const { tab } = await ready(t, "kim", ["first", "second", "third"]);
      const { page, inbox, ...here } = await tab();
      const press = async (...keys: string[]) => {
        for (const key of keys) await page.keyboard.press(key);
      };
      const focused = () =>
        page.evaluate(
          "(() => { const at = document.activeElement.shadowRoot.activeElement; return at?.dataset.id ? at.querySelector('strong').textContent : at?.getAttribute('aria-label') ?? at?.textContent; })()",
        );
      await press("Tab", "Tab", "Tab");
      assert.equal(await focused(), "Archive");
      await press("Enter");
      await here.shows("second", "first");
      assert.equal(await focused(), "second", "the next row has the focus");
      await press("Tab", "Tab", "Enter");
      assert.equal(await focused(), "In an hour");
      await press("Escape");
      assert.equal(await focused(), "Snooze");
      await press("Enter", "Tab", "Enter");
      await here.shows("first");
      await here.tab("Snoozed").waitFor();
      await here.tab("Archived").focus();
      await press("ArrowLeft");
      assert.equal(await focused(), "Snoozed");
      await here.shows("second");
      await press("End");
      assert.equal(await focused(), "Archived");
      await here.shows("third");
      await press("Home");
      await here.shows("first");
      await here.button("first", "Archive").click();
      await here.shows();
      assert.equal(await page.getByRole("dialog").count(), 1);
      await inbox.bell.focus();
      await press("Escape");
      assert.equal(await page.getByRole("dialog").count(), 0);
      assert.equal(await page.evaluate("document.activeElement.tagName"), "BELFRY-INBOX");
    },
  );

  await t.test("a change that fails is taken back, and said", async (t) => {
    const { tab } = await ready(t, "fay", ["kept"]);
    const here = await tab();
    await world.db.query("alter table notifications rename column archived_at to away");
    await here.button("kept", "Archive").click();
    await here.inbox.status.getByText("That did not work. Try again in a moment.").waitFor();
    await world.db.query("alter table notifications rename column away to archived_at");
    await here.shows("kept");
    await here.inbox.unread(1);
    await world.db.query("alter table notifications rename column archived_at to away");
    const archiveAll = here.inbox.element.getByRole("button", { name: "Archive all" });
    await archiveAll.click();
    await archiveAll.click();
    await here.inbox.status.getByText("That did not work. Try again in a moment.").waitFor();
    await here.shows("kept");
    await world.db.query("alter table notifications rename column away to archived_at");
    await here.inbox.unread(1);
  });

  await t.test("axe finds nothing, and nothing is too wide at 320 pixels", async (t) => {
    const { tab } = await ready(t, "max", ["x".repeat(256), "short", "gone"]);
    const here = await tab();
    await here.button("gone", "Archive").click();
    await here.tab("Archived").waitFor();
    await here.button("short", "Snooze").click();
    await here.row("x".repeat(256)).getByRole("button", { name: "Delete" }).click();
    assert.deepEqual(await faultsInLooks("inbox", here.page, [900, 320]), []);
    await here.page.setViewportSize({ width: 320, height: 640 });
    await here.inbox.element.getByRole("button", { name: "Archive all" }).click();
    const buttons = here.inbox.element.locator("article button, .head button:visible");
    for (const button of await buttons.all()) {
      const { x, width } = (await button.boundingBox())!;
      assert.ok(x >= 0 && x + width <= 320, `${x} to ${x + width}`);
    }
  });

  await t.test("at 390 pixels no button of the head breaks inside a word", async (t) => {
    const { tab } = await ready(t, "pia", ["first"]);
    const here = await tab();
    for (const width of [390, 340]) {
      await here.page.setViewportSize({ width, height: 800 });
      await here.button("first", "Archive").waitFor();
      const archiveAll = here.inbox.element.getByRole("button", { name: "Archive all" });
      await archiveAll.click();
      const broken = await here.page.evaluate(`(() => {
        const root = document.querySelector("belfry-inbox").shadowRoot;
        const all = [...root.querySelectorAll(".head button")].filter((one) => one.checkVisibility());
        return all.flatMap((button) => {
          const text = [...button.childNodes].find(({ nodeType }) => nodeType === Node.TEXT_NODE);
          return [...(text?.data ?? "").matchAll(/\\S+/g)].flatMap(({ 0: word, index }) => {
            const range = document.createRange();
            range.setStart(text, index);
            range.setEnd(text, index + word.length);
            return range.getClientRects().length === 1 ? [] : [word];
          });
        });
      })()`);
      assert.deepEqual(broken, []);
      await here.page.keyboard.press("Escape");
      await here.inbox.bell.click();
    }
  });

  await t.test("under a strict policy the browser met no fault", () => {
    assert.deepEqual(allFaults, []);
  });
});
