import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { createClient } from "@belfry/client";
import { LINK_PAGES } from "@belfry/contracts/message-links";
import {
  encodeRealtimeMessage,
  tenantDisconnect,
  userSubjectToken,
} from "@belfry/contracts/realtime-message";
import { realtimeSubject } from "@belfry/contracts/streams";
import { createDatabase } from "@belfry/database/connection";
import { parseLinkKeys, sealLink } from "@belfry/database/link-token";
import { parseSecretKeys } from "@belfry/database/secrets";
import { assertEach } from "@belfry/testing/assert-each";
import { eventually } from "@belfry/testing/eventually";
import { createOpenGate } from "@belfry/testing/gate";
import type { Centrifuge } from "centrifuge";
import { startIngest } from "../fuzz/start-ingest.ts";
import { client, connectedUntilEnded, type Ended, nextEvent, subscribed } from "./clients.ts";
import { createWorld } from "./gateway-under-test.ts";

test("who looks on reads nothing that only the user may see: neither live nor missed nor in the history, nor where it leads", async (t) => {
  const world = await createWorld(t);
  const { url } = await world.startGateway();
  const template = (eventType: string, sensitive: boolean) =>
    world.db.query(
      `insert into templates (id, tenant_id, event_type, channel, target_channel, sensitive)
       values (gen_random_uuid(), 'acme', $1, 'PUSH', 'personal', $2)`,
      [eventType, sensitive],
    );
  await template("order.confirmed", false);
  await template("code", true);
  const user = { tenant: "acme", user: "1" };
  const code = {
    ...{ eventType: "code", title: "Code 473911", body: "Your code is 473911" },
    ...{ url: "/in/473911", actions: '[{"label":"Sign in","url":"/in/473911"}]' },
  };
  const order = { title: "Order 12", url: "/orders/12" };
  await world.publish(user, order);
  await world.publish(user, code);

  const open = async (who: Parameters<typeof world.token>[0]) => {
    const page = client(t, url, { token: await world.token(who) });
    const since = { offset: 0, epoch: "" };
    return { page, ...(await subscribed(page, "personal#1", { since })) };
  };
  const [looking, own] = [await open({ ...user, concealed: true }), await open(user)];
  await world.publish(user, code);
  await world.publish(user, { ...code, lost: true });
  await world.publish(user, order);
  await eventually(() => looking.got.length === 5 && own.got.length === 5);
  const titles = (all: { data: { title: string } }[]) => all.map(({ data }) => data.title);
  const hidden = "The template is sensitive: its content is never shown.";
  const seen = ["Order 12", hidden, hidden, hidden, "Order 12"];
  assert.deepEqual(titles(looking.got), seen);
  assert.deepEqual(
    titles(own.got),
    seen.map((one) => (one === hidden ? "Code 473911" : one)),
  );
  assert.equal(looking.got[0]?.tags?.url, "/orders/12");
  const history = await looking.subscription.history({ limit: 10 });
  assert.deepEqual(titles(history.publications), seen);
  const list = await looking.page.rpc("notifications.list", {});
  assertEach(list.data.notifications, (one: { title: string }) => one.title, seen.toReversed());
  assert.ok(!JSON.stringify([looking.got, history, list]).includes("473911"));
  const ofOwn = await own.page.rpc("notifications.list", {});
  assert.match(JSON.stringify(ofOwn.data), /473911/);
});

test("two gateways, one user on both", async (t) => {
  const world = await createWorld(t);
  const [first, second] = await Promise.all([world.startGateway(), world.startGateway()]);
  const open = async (url: string, who: { tenant: string; user: string }) => {
    const page = client(t, url, { token: await world.token(who) });
    const messages: unknown[] = [];
    page.on("message", ({ data }) => messages.push(data));
    const { got } = await subscribed(page, `personal#${who.user}`);
    return { page, messages, got };
  };

  await t.test("a push reaches both, and a mark reaches both and nobody else", async () => {
    const user = { tenant: "acme", user: "a#b" };
    const here = await open(first.url, user);
    const there = await open(second.url, user);
    const stranger = await open(second.url, { tenant: "globex", user: "a#b" });
    const { tags } = await world.publish(user);
    await world.publish(user);
    await eventually(() => here.got.length === 2 && there.got.length === 2);

    const list = await here.page.rpc("notifications.list", { limit: 1 });
    const [item] = list.data.notifications;
    assert.deepEqual(Object.keys(item), ["id", "type", "title", "body", "status", "created_at"]);
    const older = await here.page.rpc("notifications.list", { before: item.id });
    assertEach(older.data.notifications, (one: { id: string }) => one.id, [tags.id]);
    assert.deepEqual((await there.page.rpc("notifications.unread_count", {})).data, { unread: 2 });

    const marked = await here.page.rpc("notifications.mark_read", { id: tags.id });
    assert.deepEqual(marked.data, { status: "marked", unread: 1 });
    const message = { type: "marked", id: tags.id, unread: 1 };
    await eventually(() => there.messages.length === 1 && here.messages.length === 1);
    assert.deepEqual([there.messages, here.messages], [[message], [message]]);
    const again = await there.page.rpc("notifications.mark_read", { id: tags.id });
    assert.deepEqual(again.data, { status: "already", unread: 1 });
    const all = await there.page.rpc("notifications.mark_all_read", null);
    assert.deepEqual(all.data, { marked: 1, unread: 0 });
    await eventually(() => here.messages.length === 2);
    assert.deepEqual(here.messages[1], { type: "marked", id: "all", unread: 0 });
    assert.deepEqual(stranger.messages, []);
  });

  await t.test(
    "what one archives, snoozes or deletes the other is told of, over HTTP, too",
    async (t) => {
      const secrets = `k1:${randomBytes(32).toString("base64")}`;
      const ingest = await startIngest(t, { ...world.env, SECRETS_KEYS: secrets });
      const tenant = await createTenant(
        createDatabase(world.db),
        { name: "Acme" },
        parseSecretKeys(secrets),
      );
      const user = { tenant: tenant.id, user: "ina" };
      const [here, there] = [await open(first.url, user), await open(second.url, user)];
      const stranger = await open(second.url, { ...user, user: "bob" });
      const ids: string[] = [];
      for (const _ of [1, 2, 3]) ids.push((await world.publish(user)).tags.id);
      const [a = "", b = "", c = ""] = ids;
      const told = async (type: string, id: string, unread: number) => {
        for (const { messages } of [here, there]) {
          await eventually(() => messages.length > 0);
          assert.deepEqual(messages.splice(0), [{ type, id, unread }]);
        }
      };
      const change = (data: object) => here.page.rpc("notifications.change", data);
      assert.deepEqual((await change({ id: a, archived: true })).data, {
        ...{ status: "changed", unread: 2 },
      });
      await told("changed", a, 2);
      assert.equal((await change({ id: a, archived: true })).data.status, "already");
      await change({ id: b, snoozedUntil: "2999-01-01T00:00:00Z" });
      await told("changed", b, 1);
      const listed = await there.page.rpc("notifications.list", {});
      assertEach(listed.data.notifications, (one: { id: string }) => one.id, [c]);
      const { unread, returnsInMs } = (await there.page.rpc("notifications.unread_count", {})).data;
      assert.ok(unread === 1 && returnsInMs > 0);
      const tabs = await there.page.rpc("notifications.tabs", {});
      assert.deepEqual(tabs.data, { categories: [], archived: true, snoozed: true });
      await change({ id: b, snoozedUntil: null });
      await told("changed", b, 2);
      await change({ id: b, snoozedUntil: "2999-01-01T00:00:00Z" });
      await told("changed", b, 1);
      await change({ id: c, read: true });
      await told("marked", c, 0);
      await change({ id: c, read: false });
      await told("changed", c, 1);
      await there.page.rpc("notifications.delete", { id: c });
      await told("changed", c, 0);

      const backend = createClient({
        ...{ baseUrl: ingest.url, apiKey: tenant.apiKey, tenantId: tenant.id },
      });
      await backend.changeNotification("ina", a, { archived: false });
      await told("changed", a, 1);
      await backend.markAllRead("ina");
      await told("marked", "all", 0);
      await backend.deleteNotification("ina", a);
      await told("changed", a, 0);

      assert.deepEqual(stranger.messages, []);

      // Who comes back to what was deleted meanwhile is given no empty message, and reads anew.
      const since = { offset: 0, epoch: "" };
      const late = client(t, first.url, { token: await world.token(user) });
      const { got, subscription } = await subscribed(late, "personal#ina", { since });
      const history = await subscription.history({ limit: 10 });
      assert.deepEqual([got.length, history.publications.length], [0, 1]);

      // All of one category, and then of the inbox: by a page, and by the backend.
      await world.category(tenant.id, "orders", { "": "Orders" });
      await world.db.query("insert into event_type_categories values ($1, 'offer', 'orders')", [
        tenant.id,
      ]);
      for (const eventType of ["offer", "offer", "order.confirmed"]) {
        await world.publish(user, { eventType });
      }
      await change({ id: b, snoozedUntil: null });
      await told("changed", b, 4);
      const orders = { category: "orders" };
      const all = (method: string, data: object) => there.page.rpc(`notifications.${method}`, data);
      const { categories } = (await all("tabs", {})).data;
      assert.deepEqual(categories, [{ key: "orders", label: { "": "Orders" }, unread: 2 }]);
      assert.deepEqual((await all("mark_all_read", orders)).data, { marked: 2, unread: 2 });
      await told("changed", "all", 2);
      assert.deepEqual((await all("archive_all", orders)).data, { archived: 2, unread: 2 });
      await told("changed", "all", 2);
      assert.deepEqual((await all("archive_all", orders)).data, { archived: 0, unread: 2 });
      assert.equal(await backend.archiveAll("ina"), 2);
      await told("changed", "all", 0);
      await world.publish(user, { eventType: "offer" });
      assert.equal(await backend.markAllRead("ina", orders), 1);
      await told("changed", "all", 0);
      assert.deepEqual((await all("archive_all", {})).data, { archived: 1, unread: 0 });
      await told("changed", "all", 0);
      assert.deepEqual(stranger.messages, []);
    },
  );

  await t.test("a call reaches only the token's own inbox, and bad ones are refused", async () => {
    const { tags } = await world.publish({ tenant: "acme", user: "owner" });
    for (const who of [
      { tenant: "globex", user: "owner" },
      { tenant: "acme", user: "thief" },
    ]) {
      const { page } = await open(first.url, who);
      const list = await page.rpc("notifications.list", { userId: "owner", tenantId: "acme" });
      assert.deepEqual(list.data.notifications, []);
      await assert.rejects(page.rpc("notifications.mark_read", { id: tags.id }), { code: 404 });
      const bad: [string, unknown, number][] = [
        ["notifications.mark_read", { id: "no id at all" }, 404],
        ["notifications.mark_read", {}, 107],
        ["notifications.mark_read", "x", 107],
        ["notifications.list", { limit: 0 }, 107],
        ["notifications.list", { limit: 1001 }, 107],
        ["notifications.list", { offset: -1 }, 107],
        ["notifications.list", { before: "x" }, 107],
        ["notifications.list", [], 107],
        ["notifications.list", { view: "trash" }, 107],
        ["notifications.list", { category: "\0" }, 107],
        ["notifications.list", { category: null }, 107],
        ["notifications.mark_all_read", { category: "\0" }, 107],
        ["notifications.mark_all_read", [], 107],
        ["notifications.archive_all", { category: "x'" }, 107],
        ["notifications.archive_all", { category: null }, 107],
        ["notifications.archive_all", "x", 107],
        ["notifications.delete", { id: tags.id }, 404],
        ["notifications.delete", {}, 107],
        ["notifications.change", { id: tags.id, archived: true }, 404],
        ["notifications.change", { archived: true }, 107],
        ["notifications.change", { id: tags.id }, 107],
        ["notifications.change", { id: tags.id, read: true, archived: true }, 107],
        ["notifications.change", { id: tags.id, snoozedUntil: "tomorrow" }, 107],
        ["notifications.change", [], 107],
        ["notifications.erase", {}, 104],
        ["toString", {}, 104],
      ];
      for (const [method, data, code] of bad) {
        await assert.rejects(page.rpc(method, data), { code }, method);
      }
    }
  });

  await world.category("acme", "offers", { "": "Offers", de: "Angebote" });
  await world.category("acme", "security", { "": "Security" }, { required: true, position: 1 });
  await world.category("globex", "offers", { "": "Theirs" });
  const change = (page: Centrifuge, preferences: unknown) =>
    page.rpc("preferences.change", { preferences });
  const off = { category: "offers", channel: "EMAIL", enabled: false };
  const here = await open(first.url, { tenant: "acme", user: "ann" });
  const there = await open(second.url, { tenant: "acme", user: "ann" });
  const strangers = [
    await open(second.url, { tenant: "acme", user: "bob" }),
    await open(second.url, { tenant: "globex", user: "ann" }),
  ];

  await t.test("what one tab turns off the other is told and reads; nobody else", async () => {
    const before = (await here.page.rpc("preferences.show", {})).data;
    assert.deepEqual(before.preferences, []);
    assert.deepEqual(
      before.categories.map(({ key, required }: { key: string; required: boolean }) => [
        key,
        required,
      ]),
      [
        ["offers", false],
        ["security", true],
      ],
    );
    assert.ok(before.channels.includes("EMAIL"));
    const { data } = await change(here.page, [off]);
    const [{ at, ...said }] = data.preferences;
    assert.deepEqual(said, { ...off, source: "inbox" });
    assert.equal(new Date(at).toISOString(), at);
    await eventually(() => there.messages.length === 1 && here.messages.length === 1);
    assert.deepEqual(there.messages, [{ type: "preferences" }]);
    assert.deepEqual((await there.page.rpc("preferences.show", null)).data, data);
    for (const { page, messages } of strangers) {
      const asked = { userId: "ann", tenantId: "acme" };
      const shown = (await page.rpc("preferences.show", asked)).data;
      assert.deepEqual(shown.preferences, []);
      assert.deepEqual(messages, []);
    }
    assert.deepEqual((await change(there.page, [{ ...off, enabled: null }])).data.preferences, []);
  });

  await t.test("another user's are never changed, and a bad call changes nothing", async () => {
    await change(here.page, [off]);
    const [bob, globex] = strangers;
    await change(globex!.page, [{ ...off, enabled: true }]);
    for (const { page } of strangers) {
      await change(page, [{ ...off, enabled: null }]);
      assert.deepEqual((await page.rpc("preferences.show", {})).data.preferences, []);
    }
    const forAnn = { ...off, enabled: true };
    const named = [
      { userId: "ann", preferences: [forAnn] },
      { tenantId: "acme", preferences: [forAnn] },
      { preferences: [{ ...forAnn, userId: "ann" }] },
    ];
    for (const fields of named) {
      await assert.rejects(bob!.page.rpc("preferences.change", fields), {
        ...{ code: 107, message: /(userId|tenantId) is not a field/ },
      });
    }
    await change(bob!.page, [forAnn]);
    const foreign = { ...off, category: "security", enabled: true };
    await assert.rejects(change(globex!.page, [foreign]), { code: 107, message: /category/ });
    const bad: [unknown, RegExp][] = [
      [undefined, /preferences/],
      ["x", /preferences/],
      [[{ ...off, category: "ofers" }], /preferences\[0\]\.category must be \* or the key/],
      [[off, { ...off, category: "security" }], /preferences\[1\]\.category is required/],
      [[{ ...off, category: 5 }], /preferences\[0\]\.category/],
      [[{ ...off, channel: "email" }], /preferences\[0\]\.channel/],
      [[{ ...off, channel: "__proto__" }], /preferences\[0\]\.channel/],
      [[{ ...off, enabled: "false" }], /preferences\[0\]\.enabled/],
      [[null], /preferences\[0\]/],
      [Array(65).fill(off), /preferences/],
      [[{ ...off, category: "x".repeat(10_000) }], /preferences\[0\]\.category/],
      [[{ ...off, category: "a\0b" }], /preferences\[0\]\.category/],
    ];
    for (const [preferences, message] of bad) {
      await assert.rejects(
        change(here.page, preferences),
        (error: { code: number; message: string }) => {
          assert.equal(error.code, 107);
          assert.match(error.message, message);
          assert.ok(error.message.length < 300, "a short message");
          return true;
        },
      );
    }
    for (const data of [null, [], "x", 5]) {
      await assert.rejects(here.page.rpc("preferences.change", data), { code: 107 });
    }
    const { rows } = await world.db.query(
      "select tenant_id, user_id, enabled from preferences order by user_id",
    );
    assert.deepEqual(rows, [
      { tenant_id: "acme", user_id: "ann", enabled: false },
      { tenant_id: "acme", user_id: "bob", enabled: true },
    ]);
  });

  await t.test("what is changed over HTTP or by a mail's link is told to open pages", async (t) => {
    const OFF = { category: "*", channel: "EMAIL", enabled: false } as const;
    const keys = {
      SECRETS_KEYS: `k1:${randomBytes(32).toString("base64")}`,
      LINK_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    };
    const ingest = await startIngest(t, { ...world.env, ...keys });
    const deaf = await startIngest(t, { ...world.env, ...keys, NATS_URL: "nats://127.0.0.1:1" });
    const tenant = await createTenant(
      createDatabase(world.db),
      { name: "Acme" },
      parseSecretKeys(keys.SECRETS_KEYS),
    );
    const owner = { tenantId: tenant.id, userId: "ann" };

    const { page, messages } = await open(first.url, { tenant: tenant.id, user: "ann" });
    const told = async () => {
      await eventually(() => messages.length > 0);
      assert.deepEqual(messages.splice(0), [{ type: "preferences" }]);
    };
    const sources = async () => {
      const { data } = await page.rpc("preferences.show", {});
      return data.preferences.map(({ source, enabled }: { source: string; enabled: boolean }) => [
        source,
        enabled,
      ]);
    };
    const over = (at: { url: string }) => createClient({ baseUrl: at.url, apiKey: tenant.apiKey });
    const unsubscribe = async (at: { url: string }, body: string) => {
      const link = sealLink(parseLinkKeys(keys.LINK_KEYS), "unsubscribe", {
        ...{ ...owner, category: "*", channel: "EMAIL" },
      });
      const url = `${at.url}${LINK_PAGES.unsubscribe}/${link}`;
      const response = await fetch(url, { method: "POST", body: new URLSearchParams(body) });
      assert.equal(response.status, 200);
      await response.arrayBuffer();
    };

    await over(ingest).changePreferences("ann", [OFF]);
    await told();
    assert.deepEqual(await sources(), [["api", false]]);
    await unsubscribe(ingest, "action=subscribe");
    await told();
    assert.deepEqual(await sources(), [["unsubscribe link", true]]);

    await over(deaf).changePreferences("ann", [OFF]);
    assert.deepEqual(await sources(), [["api", false]]);
    await unsubscribe(deaf, "action=subscribe");
    assert.deepEqual(await sources(), [["unsubscribe link", true]]);
    assert.deepEqual(messages, [], "its NATS is away");
  });

  await t.test("an operator's disconnect ends the user's pages everywhere, for good", async () => {
    const user = { tenant: "acme", user: "leaver" };
    const pages = [await open(first.url, user), await open(second.url, user)];
    const other = await open(first.url, { tenant: "acme", user: "stayer" });
    const ended = pages.map(({ page }) => nextEvent<Ended>(page, "disconnected"));
    const subject = realtimeSubject(world.prefix, user.tenant, userSubjectToken(user.user));
    world.nc.publish(
      subject,
      encodeRealtimeMessage({ version: 1, kind: "disconnect", userId: user.user }),
    );
    const expected = { code: 3503, reason: "force disconnect" };
    assert.deepEqual(await Promise.all(ended), [expected, expected]);
    assert.equal(other.page.state, "connected");
  });

  await t.test("all pages of a tenant are ended for good; another tenant's stay", async () => {
    const pages = [
      await open(first.url, { tenant: "globex", user: "1" }),
      await open(second.url, { tenant: "globex", user: "2" }),
    ];
    const other = await open(first.url, { tenant: "acme", user: "1" });
    const ended = pages.map(({ page }) => nextEvent<Ended>(page, "disconnected"));
    const { subject, message } = tenantDisconnect(world.prefix, "globex");
    world.nc.publish(subject, "no JSON");
    world.nc.publish(subject, message);
    const expected = { code: 3503, reason: "force disconnect" };
    assert.deepEqual(await Promise.all(ended), [expected, expected]);
    assert.equal(other.page.state, "connected");
  });

  await t.test("a deactivated tenant's pages close and its tokens stop working", async () => {
    const user = { tenant: "globex", user: "1" };
    const pages = [await open(first.url, user), await open(second.url, user)];
    const other = await open(first.url, { tenant: "acme", user: "1" });
    const ended = pages.map(({ page }) => nextEvent<Ended>(page, "disconnected"));
    await world.db.query("update tenants set active = false where id = 'globex'");
    await world.db.query("update configuration_version set version = version + 1");
    const expected = { code: 3500, reason: "invalid token" };
    assert.deepEqual(await Promise.all(ended), [expected, expected]);
    const late = client(t, first.url, { token: await world.token(user) });
    assert.deepEqual(await connectedUntilEnded(late), expected);
    assert.equal(other.page.state, "connected");

    await world.db.query("update tenants set active = true where id = 'globex'");
    await world.db.query("update configuration_version set version = version + 1");
    await eventually(async () => {
      const back = client(t, first.url, { token: await world.token(user) });
      back.connect();
      await back.ready(60_000);
    });
  });

  await t.test("a killed gateway's page goes to the other and has missed nothing", async (t) => {
    const user = { tenant: "acme", user: "mover" };
    const balancer = await createOpenGate(t, first.url);
    const page = client(t, balancer.url, { token: await world.token(user) });
    const { subscription, got } = await subscribed(page, "personal#mover");
    await world.publish(user);
    await eventually(() => got.length === 1);
    const lost = nextEvent(page, "connecting");
    await first.process.kill();
    await lost;
    await world.publish(user);
    await world.publish(user);
    const again = nextEvent<{ recovered: boolean }>(subscription, "subscribed");
    balancer.leadTo(second.url);
    assert.equal((await again).recovered, true);
    await eventually(() => got.length === 3);
    assertEach(got, ({ offset }) => offset, [1, 2, 3]);
  });
});
