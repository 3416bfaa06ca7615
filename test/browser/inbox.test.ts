import assert from "node:assert/strict";
import { encodeRealtimeMessage, userSubjectToken } from "@belfry/contracts/realtime-message";
import { realtimeSubject } from "@belfry/contracts/streams";
import { eventually } from "@belfry/testing/eventually";
import { faultsInLooks } from "../admin/accessible-pages.ts";
import { type inboxOn, startInboxWorld } from "./inbox-page.ts";
import { test } from "./open-page.ts";

const SHORT_SECONDS = 2;
const LONG_SECONDS = 200;
const HOSTILE = `<img src=x onerror="document.title='taken'">`;

test("<belfry-inbox> in a browser", async (t) => {
  const { world, gate, allFaults, visit } = await startInboxWorld(t);
  const publish: typeof world.publish = async (to, options) => {
    // Times of one millisecond have no order but that of their ids.
    await new Promise((resolve) => setTimeout(resolve, 3));
    return world.publish(to, options);
  };

  await t.test("what was missed while cut off is there, in order and once", async (t) => {
    const { who, open } = await visit(t, "ann");
    await publish(who, { title: "before" });
    const { inbox, received } = await open();
    await inbox.unread(1);
    await inbox.bell.click();
    await gate.close();
    await inbox.status.getByText("Connection lost. Reconnecting…").waitFor();
    for (const title of ["missed 1", "missed 2", "missed 3"]) {
      await publish(who, { title, name: title === "missed 2" ? "orders" : "personal" });
    }
    assert.deepEqual(await inbox.titles(), ["before"]);
    await gate.open();
    await inbox.unread(4);
    assert.deepEqual(await inbox.titles(), ["missed 3", "missed 2", "missed 1", "before"]);
    assert.equal(await inbox.status.isVisible(), false);
    const recovered = received.filter((frame) => frame.includes('"recovered":true'));
    assert.ok(recovered.length > 0, "by recovery, not only by reading the list");
  });

  await t.test("a page may load the module twice", async (t) => {
    const { open } = await visit(t, "twin");
    const { page, inbox } = await open();
    await page.evaluate(() => import("/inbox/belfry-inbox.js?again" as string));
    await inbox.state("connected");
  });

  await t.test("a browser that goes offline and back shows what it missed", async (t) => {
    const { who, open, context } = await visit(t, "olga");
    const { page, inbox } = await open();
    await inbox.state("connected");
    await context.setOffline(true);
    // The emulation cuts no WebSocket that is open: the browser's own event does, as on a laptop.
    await page.evaluate("window.dispatchEvent(new Event('offline'))");
    await inbox.state("connecting");
    await publish(who, { title: "while away" });
    await context.setOffline(false);
    await page.evaluate("window.dispatchEvent(new Event('online'))");
    await inbox.unread(1);
    await inbox.state("connected");
  });

  await t.test("after a restore the page reads its inbox anew", async (t) => {
    const { who, open } = await visit(t, "rita");
    await publish(who, { title: "kept" });
    await publish(who, { title: "lost by the restore" });
    const { inbox } = await open();
    await inbox.unread(2);
    await gate.close();
    await inbox.state("connecting");
    await world.db.query("delete from notifications where title = 'lost by the restore'");
    await world.db.query("update realtime_epoch set epoch = 'restored'");
    await publish(who, { title: "after", lost: true });
    await gate.open();
    await eventually(async () => assert.deepEqual(await inbox.titles(), ["after", "kept"]));
    await inbox.unread(2);
  });

  await t.test("what is marked read stays so when an older answer comes after it", async (t) => {
    const { who, open, context } = await visit(t, "zoe");
    let isHolding = false;
    let letGo: (() => void) | undefined;
    let isMarked = false;
    await context.routeWebSocket(/.*/, (socket) => {
      socket.connectToServer().onMessage((message) => {
        isMarked ||= String(message).includes('"marked"');
        if (!isHolding || !String(message).includes('"notifications":['))
          return socket.send(message);
        letGo = () => socket.send(message);
      });
    });
    await publish(who, { title: "old" });
    const { inbox } = await open();
    await inbox.unread(1);
    await inbox.bell.click();
    isHolding = true;
    await gate.close();
    await inbox.state("connecting");
    await gate.open();
    await eventually(() => assert.ok(letGo));
    await inbox.items.first().getByRole("button", { name: "Mark read" }).click();
    await eventually(() => assert.ok(isMarked));
    // A reading after it is held too, so that none corrects what this one does.
    letGo?.();
    await publish(who, { title: "new" });
    await eventually(async () => assert.deepEqual(await inbox.titles(), ["new", "old"]));
    assert.equal(await inbox.items.last().getAttribute("data-state"), "read");
    await inbox.unread(1);
  });

  await t.test("two tabs stay in step", async (t) => {
    const { who, open } = await visit(t, "bob");
    await publish(who, { title: "old" });
    const [one, two] = [await open(), await open()];
    await Promise.all([one.inbox.unread(1), two.inbox.unread(1)]);
    await publish(who, { title: "new" });
    await Promise.all([one.inbox.unread(2), two.inbox.unread(2)]);
    await one.inbox.bell.click();
    await one.inbox.items.last().getByRole("button", { name: "Mark read" }).click();
    await Promise.all([one.inbox.unread(1), two.inbox.unread(1)]);
    await two.inbox.bell.click();
    assert.deepEqual(
      await two.inbox.items.evaluateAll((rows) =>
        rows.map((row) => row.getAttribute("data-state")),
      ),
      ["unread", "read"],
    );
    await two.page.getByRole("button", { name: "Mark all read" }).click();
    await Promise.all([one.inbox.unread(0), two.inbox.unread(0)]);
    assert.equal(await one.inbox.element.locator("[part~=item-unread]").count(), 0);
  });

  await t.test("a page kept past its token's expiry refreshes, online or not", async (t) => {
    const lifetime = { tokenSeconds: LONG_SECONDS };
    const { who, open, site, context } = await visit(t, "eve", lifetime);
    await context.clock.install();
    const { page, inbox, states, received } = await open();
    await inbox.state("connected");
    assert.equal(site.tokens, 1);
    const refreshed = async (times: number) => {
      await page.clock.fastForward(LONG_SECONDS * 1000);
      const isAnswer = (frame: string) => frame.includes('"refresh":{"client"');
      await eventually(() => received.filter(isAnswer).length >= times);
    };
    await refreshed(1);
    await publish(who);
    await inbox.unread(1);
    assert.deepEqual(await states(), ["connecting", "connected"], "no reconnection in between");

    lifetime.tokenSeconds = SHORT_SECONDS;
    await refreshed(2);
    await gate.close();
    await publish(who);
    await new Promise((resolve) => setTimeout(resolve, (SHORT_SECONDS + 0.5) * 1000));
    const tokens = site.tokens;
    await gate.open();
    await inbox.unread(2);
    assert.ok(site.tokens > tokens, "the old token was refused");
  });

  await t.test("keyboard, screen reader: one stop in a list, arrows, Enter, Escape", async (t) => {
    const { who, open } = await visit(t, "kim");
    for (const title of ["first", "second", HOSTILE]) await publish(who, { title });
    const { page, inbox } = await open();
    await inbox.unread(3);
    await inbox.bell.focus();
    await page.keyboard.press("Enter");
    const focused = () =>
      page.evaluate(
        "(() => { const at = document.activeElement.shadowRoot?.activeElement; return at?.dataset.id ? at.querySelector('strong').textContent : (at?.textContent || at?.getAttribute('part') || document.activeElement.id); })()",
      );
    assert.equal(await focused(), HOSTILE);
    await page.keyboard.press("ArrowDown");
    assert.equal(await focused(), "second");
    await page.keyboard.press("End");
    assert.equal(await focused(), "first");
    await page.keyboard.press("Enter");
    await inbox.unread(2);
    assert.equal(await focused(), "first", "the row that was drawn anew has the focus");
    await page.keyboard.press("Home");
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "Mark read");
    for (const _ of ["snooze", "archive", "delete", "elsewhere"]) await page.keyboard.press("Tab");
    assert.equal(await focused(), "elsewhere", "the other rows are no stops");
    assert.equal(await page.getByRole("dialog").count(), 0, "and the panel has closed");
    await inbox.bell.click();
    assert.equal(await page.title(), "Shop", "a text is a text");
    const tree = await inbox.element.ariaSnapshot();
    for (const line of [
      '- button "Notifications, 2 unread" [expanded]',
      '- dialog "Notifications"',
      '- heading "Notifications" [level=2]',
      '- button "Mark all read"',
      '- feed "Notifications"',
      '- article "Unread second"',
      '- article "first"',
    ]) {
      assert.ok(tree.includes(line), `${line}\n${tree}`);
    }
    await page.keyboard.press("Escape");
    assert.equal(await page.getByRole("dialog").count(), 0);
    assert.equal(await page.evaluate("document.activeElement.tagName"), "BELFRY-INBOX");
    await publish(who, { title: "heard" });
    await inbox.element.getByRole("status").getByText("New notification: heard").waitFor();
  });

  await t.test("axe finds nothing, light or dark; on a phone nothing is too wide", async (t) => {
    const { who, open } = await visit(t, "max");
    const { tags } = await publish(who, { title: "read one" });
    const url = `https://shop.example/${"z".repeat(2000)}`;
    const actions = JSON.stringify([
      { label: "W".repeat(40), url },
      { label: "i".repeat(40), url: "/" },
    ]);
    await publish(who, { title: "x".repeat(256), body: "y".repeat(600), url, actions });
    await world.db.query("update notifications set read_at = now() where id = $1", [tags.id]);
    const { page, inbox } = await open();
    await inbox.unread(1);
    await inbox.bell.click();
    assert.deepEqual(await faultsInLooks("inbox", page, [900, 375]), []);
    assert.ok(await inbox.items.first().isVisible());
  });

  await t.test("an operator's disconnect is said; Reconnect asks for a new token", async (t) => {
    const { who, open, site } = await visit(t, "leo");
    const { page, inbox } = await open();
    await inbox.state("connected");
    await inbox.bell.click();
    world.nc.publish(
      realtimeSubject(world.prefix, who.tenant, userSubjectToken(who.user)),
      encodeRealtimeMessage({ version: 1, kind: "disconnect", userId: who.user }),
    );
    await inbox.status.getByText("Disconnected: force disconnect.").waitFor();
    await page.getByRole("button", { name: "Reconnect" }).click();
    await inbox.state("connected");
    assert.ok(site.tokens >= 1);
  });

  await t.test("a page whose user is logged out stops asking, and says so", async (t) => {
    const { open, site, context } = await visit(t, "zoe", { token: async () => null });
    await context.clock.install();
    const { page, inbox } = await open();
    await inbox.state("disconnected");
    await page.clock.runFor(600_000);
    assert.equal(site.tokens, 1);
    await inbox.bell.click();
    await inbox.status.getByText("You are signed out.", { exact: true }).waitFor();
    const empty = inbox.element.locator("[part=empty]").first();
    assert.equal(await empty.textContent(), "Your notifications cannot be shown right now.");
    await page.getByRole("button", { name: "Reconnect" }).click();
    await eventually(() => assert.equal(site.tokens, 2));
  });

  await t.test("a dead token's address is said, and tried again at once by a click", async (t) => {
    let isDead = true;
    const { who, open, site, context } = await visit(t, "dora", {
      async token() {
        if (isDead) throw new Error("dead");
        return { token: await world.token(who), channels: ["personal#dora"] };
      },
    });
    await publish(who, { title: "waits" });
    // No next try comes by itself.
    await context.clock.install();
    const { page, inbox } = await open();
    await page.clock.pauseAt(Date.now() + 1000);
    await inbox.bell.click();
    await inbox.status.getByText("The page could not sign you in here. Trying again…").waitFor();
    const empty = inbox.element.locator("[part=empty]").first();
    assert.equal(await empty.textContent(), "Your notifications cannot be shown right now.");
    isDead = false;
    const { tokens } = site;
    await page.getByRole("button", { name: "Try now" }).click();
    await eventually(() => assert.equal(site.tokens, tokens + 1));
    await page.clock.resume();
    await inbox.unread(1);
    assert.equal(await inbox.status.isVisible(), false);
  });

  await t.test("a server that nobody reaches is said", async (t) => {
    const { open } = await visit(t, "nora", { wsUrl: "ws://127.0.0.1:9/connection/websocket" });
    const { inbox } = await open();
    await inbox.bell.click();
    await inbox.status.getByText("No connection. Trying again…").waitFor();
    await inbox.element.getByText("Your notifications cannot be shown right now.").waitFor();
  });

  await t.test("from right to left, with long words, rows and head hold their shape", async (t) => {
    const words = {
      title: "Donaudampfschifffahrtsbenachrichtigungen",
      bell: "Notifications, {unread} unread",
      markRead: "Alsgelesenkennzeichnungsvorgangdurchführen",
      markAllRead: "Sämtlichebenachrichtigungenalsgelesenkennzeichnen",
      arrived: "Neu: {title}",
      unknown: "is no word",
    };
    const { who, open } = await visit(t, "rania", {
      html: 'lang="de" dir="rtl"',
      attributes: `labels='${JSON.stringify(words)}'`,
    });
    await publish(who, { title: "x".repeat(256), body: "y".repeat(600) });
    const { tags } = await publish(who, { title: "old" });
    await world.db.query("update notifications set created_at = '2026-03-05' where id = $1", [
      tags.id,
    ]);
    const { page, inbox } = await open();
    await inbox.unread(2);
    await inbox.bell.click();
    for (const width of [900, 320]) {
      await page.setViewportSize({ width, height: 700 });
      const boxes = (await page.evaluate(
        `(() => {
            const root = document.querySelector("belfry-inbox").shadowRoot;
            const box = (node) => { const { left, right } = node.getBoundingClientRect(); return { left, right }; };
            const panel = root.querySelector("[part=panel]");
            return {
              width: document.documentElement.scrollWidth,
              panel: { ...box(panel), scroll: panel.scrollWidth - panel.clientWidth },
              inside: [...root.querySelectorAll("[part=header] *, article, article :not(a)")]
                .filter((node) => node.checkVisibility())
                .map((node) => ({ name: node.tagName + "." + node.part, ...box(node) })),
              dot: box(root.querySelector("[part=dot]")),
              title: box(root.querySelector("article strong")),
              button: box(root.querySelector("article button:last-of-type")),
            };
          })()`,
      )) as RowBoxes;
      assert.equal(boxes.width, width);
      assert.equal(boxes.panel.scroll, 0);
      for (const { name, left, right } of boxes.inside) {
        const isInside = left >= boxes.panel.left - 0.5 && right <= boxes.panel.right + 0.5;
        assert.ok(isInside, `${name} at ${width}: ${left} to ${right}`);
      }
      assert.ok(boxes.dot.left >= boxes.title.right, "the dot stands before the title");
      assert.ok(boxes.button.left < boxes.title.left + 10, "the button at the end of the row");
    }
    assert.equal(await inbox.element.locator("[part=item-category]").count(), 0);
    assert.equal(await inbox.items.last().locator("time").textContent(), "05.03.2026");
    const head = inbox.element.locator("[part=header]");
    await head.getByRole("heading", { name: words.title }).waitFor();
    await publish(who, { title: "{title} & co" });
    await inbox.element.getByRole("status").getByText("Neu: {title} & co").waitFor();
    await page.evaluate(`document.querySelector("belfry-inbox").setAttribute("show-types", "")`);
    await inbox.element.locator("[part=item-category]").first().waitFor();
    await page.evaluate(`document.querySelector("belfry-inbox").setAttribute("labels", "{")`);
    await head.getByRole("heading", { name: words.title }).waitFor();
    await page.evaluate(
      `document.querySelector("belfry-inbox").labels = { title: "Neues", bell: (n) => n + "!" }`,
    );
    await page.getByRole("button", { name: "3!" }).waitFor();
  });

  await t.test(
    "in a narrow theme the title of the panel stays whole beside what can be done",
    async (t) => {
      const { who, open } = await visit(t, "thea");
      await publish(who, { title: "new" });
      const { page, inbox } = await open();
      await inbox.unread(1);
      await page.evaluate(
        `(() => {
        const inbox = document.querySelector("belfry-inbox");
        inbox.style.setProperty("--belfry-inbox-width", "320px");
        inbox.style.setProperty("--belfry-inbox-font", "17px / 1.45 monospace");
        inbox.labels = { title: "Notifications", markAllRead: "Mark everything read" };
      })()`,
      );
      await inbox.bell.click();
      await inbox.element.getByText("Mark everything read").waitFor();
      const lines = await page.evaluate(`(() => {
      const range = document.createRange();
      range.selectNodeContents(document.querySelector("belfry-inbox").shadowRoot.querySelector("h2"));
      return range.getClientRects().length;
    })()`);
      assert.equal(lines, 1);
    },
  );

  await t.test("a notification leads where it says: to the site here, or elsewhere", async (t) => {
    const { who, open, context, site } = await visit(t, "lea");
    await context.route("https://shop.example/**", (route) =>
      route.fulfill({ contentType: "text/html", body: "<title>Elsewhere</title>" }),
    );
    const actions = [
      { label: "Track it", url: "https://shop.example/track?a=1&b=2" },
      { label: "Rate it", url: "/orders/1/rate" },
    ];
    await publish(who, { title: "path", url: "/orders/1" });
    await publish(who, { title: "plain" });
    const { page, inbox } = await open();
    await inbox.unread(2);
    // Live, as all before came from the history.
    const away = { url: "https://shop.example/a", actions: JSON.stringify(actions) };
    await publish(who, { title: "https", ...away });
    await inbox.unread(3);
    await inbox.bell.click();
    const row = (title: string) =>
      inbox.items.filter({ has: page.getByText(title, { exact: true }) });
    assert.deepEqual(await linksIn(inbox), [
      ["https", "https://shop.example/a", "noopener", "_blank"],
      ["Track it", "https://shop.example/track?a=1&b=2", "noopener", "_blank"],
      ["Rate it", "/orders/1/rate", "noopener", null],
      ["path", "/orders/1", "noopener", null],
    ]);
    for (const follow of [
      () => row("https").getByRole("link", { name: "Track it" }).click(),
      () => row("https").locator("time").click(),
      () => row("https").press("Enter"),
    ]) {
      const opened = context.waitForEvent("page");
      await follow();
      const other = await opened;
      await other.waitForLoadState();
      assert.equal(await other.title(), "Elsewhere");
      assert.equal(await other.evaluate("window.opener"), null);
      await other.close();
    }
    await inbox.unread(2);
    assert.equal(page.url(), site.url);
    await row("plain").click();
    await inbox.unread(1);
    assert.equal(page.url(), site.url, "what leads nowhere is only read");

    // A page with a router of its own goes by itself.
    await page.evaluate(`
        window.asked = [];
        for (const type of ["notificationclick", "notificationaction"]) {
          document.addEventListener(type, (event) => {
            window.asked.push([type, event.detail.url ?? event.detail.action.url]);
            event.preventDefault();
          });
        }`);
    await row("path").click();
    await inbox.unread(0);
    await row("https").getByRole("link", { name: "Rate it" }).click();
    assert.deepEqual(await page.evaluate("window.asked"), [
      ["notificationclick", "/orders/1"],
      ["notificationaction", "/orders/1/rate"],
    ]);
    assert.equal(page.url(), site.url);

    const again = await open();
    await publish(who, { title: "last", url: "/orders/2" });
    await again.inbox.unread(1);
    await again.inbox.bell.click();
    await again.inbox.items.first().click();
    await again.page.waitForURL(`${site.url}orders/2`);
    await page.bringToFront();
    await inbox.unread(0);
  });

  await t.test("what is recovered keeps its links; the keyboard reaches them", async (t) => {
    const { who, open, site } = await visit(t, "mia");
    const { page, inbox } = await open();
    await inbox.state("connected");
    await gate.close();
    await inbox.state("connecting");
    const actions = JSON.stringify([{ label: "Track it", url: "/orders/1/track" }]);
    await publish(who, { title: "missed", url: "/orders/1", actions });
    await gate.open();
    await inbox.unread(1);
    await inbox.bell.focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${site.url}orders/1/track`);
  });

  await t.test("a link that is neither https nor of the site is none", async (t) => {
    const { who, open } = await visit(t, "hal");
    const bad = [
      ...[
        "javascript:alert(1)",
        " javascript:alert(1)",
        "java\tscript:alert(1)",
        "data:text/html,x",
      ],
      ...[
        "//host.example/",
        "/\\host.example/",
        "/\t/host.example/",
        "/\n\\host.example",
        "\\\\host",
      ],
      ...["http://shop.example/", "https:shop.example", "https://", "orders/1", "", "vbscript:x"],
    ];
    const hostile = (url: string) => ({
      ...{ title: url, url },
      actions: JSON.stringify([{ label: "Open", url }, { label: 5, url: "/" }, { url: "/" }, null]),
    });
    for (const url of bad) await publish(who, hostile(url));
    const { inbox, page } = await open();
    await inbox.unread(bad.length);
    for (const url of bad) await publish(who, hostile(url));
    const told = await publish(who, { title: "no JSON", lost: true, url: "/fine" });
    world.tell(who, { ...told, tags: { ...told.tags, actions: "[" } });
    await inbox.unread(2 * bad.length + 1);
    await inbox.bell.click();
    assert.deepEqual(await linksIn(inbox), [["no JSON", "/fine", "noopener", null]]);
    assert.equal(await page.title(), "Shop");
  });

  await t.test("a long inbox comes in pages, and counts what is not shown", async (t) => {
    const { who, open } = await visit(t, "pam");
    await world.db.query(
      `insert into notifications (id, tenant_id, user_id, event_type, title, body, channel_name, channel_offset, created_at)
       select gen_random_uuid(), $1, $2, 'a.b', 'n' || i, '', 'personal', i, now() - (100 - i) * interval '1 minute' from generate_series(1, 70) i`,
      [who.tenant, who.user],
    );
    const { page, inbox } = await open();
    await inbox.unread(70);
    await inbox.bell.click();
    assert.equal(await inbox.items.count(), 30);
    const more = page.getByRole("button", { name: "Show earlier ones" });
    await more.click();
    await inbox.items.nth(59).waitFor();
    await more.click();
    await inbox.items.nth(69).waitFor();
    await more.waitFor({ state: "hidden" });
    await inbox.unread(70);
    await inbox.items.last().getByRole("button", { name: "Mark read" }).click();
    await inbox.unread(69);
  });

  await t.test("under a strict policy the browser met no fault but the tests' own", () => {
    // A closed gate refuses connections.
    const own =
      /ERR_INTERNET_DISCONNECTED|ERR_CONNECTION_REFUSED|WebSocket connection to .* failed|WebSocket is already in CLOSING|status of (401|500)/;
    assert.deepEqual(
      allFaults.filter((fault) => !own.test(fault)),
      [],
    );
  });
});

/** Each with its words, address, rel and target. */
const linksIn = (inbox: ReturnType<typeof inboxOn>) =>
  inbox.element
    .locator("a")
    .evaluateAll((links) =>
      links.map((link) => [
        link.textContent,
        ...["href", "rel", "target"].map((name) => link.getAttribute(name)),
      ]),
    );

interface Sides {
  left: number;
  right: number;
}

interface RowBoxes {
  width: number;
  panel: Sides & { scroll: number };
  inside: (Sides & { name: string })[];
  dot: Sides;
  title: Sides;
  button: Sides;
}
