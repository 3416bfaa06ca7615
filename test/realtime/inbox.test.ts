import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeRealtimeMessage } from "@belfry/contracts/realtime-message";
import { realtimeSubject } from "@belfry/contracts/streams";
import { tenantDisconnect } from "@belfry/contracts/tenant-disconnect";
import { userSubjectToken } from "@belfry/contracts/user-subject";
import { assertEach } from "@belfry/testing/assert-each";
import { eventually } from "@belfry/testing/eventually";
import { client, connectedUntilEnded, type Ended, nextEvent, subscribed } from "./clients.ts";
import { cuttableProxy } from "./cuttable-proxy.ts";
import { createWorld } from "./gateway-under-test.ts";

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
        ["notifications.delete", {}, 104],
        ["toString", {}, 104],
      ];
      for (const [method, data, code] of bad) {
        await assert.rejects(page.rpc(method, data), { code }, method);
      }
    }
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

  await t.test(
    "all pages of a tenant are ended everywhere, for good; another tenant's stay",
    async () => {
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
    },
  );

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

  await t.test(
    "a killed gateway's page goes to the other one and has missed nothing",
    async (t) => {
      const user = { tenant: "acme", user: "mover" };
      const balancer = await cuttableProxy(t, first.url);
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
      balancer.target(second.url);
      assert.equal((await again).recovered, true);
      await eventually(() => got.length === 3);
      assertEach(got, ({ offset }) => offset, [1, 2, 3]);
    },
  );
});
