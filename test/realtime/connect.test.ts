import assert from "node:assert/strict";
import { test } from "node:test";
import { realtimeChannel } from "@belfry/contracts/identifiers";
import { assertEach } from "@belfry/testing/assert-each";
import { assertHas } from "@belfry/testing/assert-has";
import type { Cleanup } from "@belfry/testing/cleanup";
import { eventually } from "@belfry/testing/eventually";
import type { Options } from "centrifuge";
import {
  connectedUntilEnded,
  LIBRARIES,
  client as newClient,
  refusedSubscription,
  subscribed,
} from "./clients.ts";
import { createWorld } from "./gateway-under-test.ts";

const alice = { tenant: "acme", user: "42" };

for (const { version, Library, Unauthorized } of LIBRARIES)
  test(`the realtime gateway, seen by the unmodified client ${version}`, async (t) => {
    const client = (t: Cleanup, url: string, options: Partial<Options>) =>
      newClient(t, url, options, Library);
    const world = await createWorld(t);
    const gateway = await world.startGateway();
    const { url } = gateway;

    await t.test("every channel is subscribed to; a push is exactly the four fields", async (t) => {
      const page = client(t, url, { token: await world.token(alice) });
      const names = ["global_system", "personal", "orders.eu:1"];
      const all = await Promise.all(
        names.map((name) => subscribed(page, realtimeChannel(name, alice.user))),
      );
      for (const [index, name] of names.entries()) {
        const sent = await world.publish(alice, { name, title: 'Hi "you"', body: "a\nb\u2028c" });
        await eventually(() => all[index]!.got.length > 0);
        const [got] = all[index]!.got;
        assert.deepEqual(got?.data, {
          title: 'Hi "you"',
          body: "a\nb\u2028c",
          category: "order.confirmed",
          eventType: "order.confirmed",
        });
        assertHas(got, { tags: sent.tags, offset: 1 });
      }
    });

    await t.test("another user's channel is refused, and the connection stays", async (t) => {
      const page = client(t, url, { token: await world.token(alice) });
      await subscribed(page, "personal#42");
      for (const channel of [
        "personal#43",
        "personal",
        "#42",
        "personal#",
        "personal#42,43",
        "a b#42",
        "a#b#42",
      ]) {
        assert.equal((await refusedSubscription(page, channel)).code, 103, channel);
      }
      assert.equal(page.state, "connected");
    });

    await t.test("equal users and channels of two tenants never meet", async (t) => {
      const other = { tenant: "globex", user: alice.user };
      const here = client(t, url, { token: await world.token(alice) });
      const there = client(t, url, { token: await world.token(other) });
      const ours = await subscribed(here, "personal#42");
      const theirs = await subscribed(there, "personal#42");
      await world.publish(alice, { title: "ours" });
      await world.publish(other, { title: "theirs" });
      await eventually(() => ours.got.length > 0 && theirs.got.length > 0);
      assertEach(ours.got, (got) => got.data.title, ["ours"]);
      assertEach(theirs.got, (got) => got.data.title, ["theirs"]);
    });

    const odd = [
      "*",
      ">",
      "a b",
      "a#b",
      "#",
      ",",
      "1,2",
      ".",
      "a.b.*",
      "名前-é",
      "x".repeat(255),
      "{}",
      '"',
      "__proto__",
    ];
    await t.test("any user id gets its own pushes, and only those", async (t) => {
      const pages = await Promise.all(
        odd.map(async (user) => {
          const page = client(t, url, { token: await world.token({ tenant: "acme", user }) });
          return await subscribed(page, `personal#${user}`);
        }),
      );
      for (const user of odd)
        await world.publish({ tenant: "acme", user }, { title: user.slice(0, 200) });
      await eventually(() => pages.every(({ got }) => got.length > 0));
      for (const [index, user] of odd.entries()) {
        assertEach(pages[index]!.got, (got) => got.data.title, [user.slice(0, 200)]);
      }
      const b = client(t, url, { token: await world.token({ tenant: "acme", user: "b" }) });
      assert.equal((await refusedSubscription(b, "personal#a#b")).code, 103);
    });

    await t.test("getToken refreshes a token that runs out; nothing is interrupted", async (t) => {
      let asked = 0;
      const page = client(t, url, {
        token: await world.token(alice, 1),
        getToken: () => {
          asked += 1;
          return world.token(alice, 2);
        },
      });
      const states: string[] = [];
      page.on("state", ({ newState }) => states.push(newState));
      await subscribed(page, "personal#42");
      await eventually(() => asked >= 2);
      assert.deepEqual(states, ["connecting", "connected"]);
    });

    await t.test("an expired token at connect asks for a new one", async (t) => {
      const page = client(t, url, {
        token: await world.token(alice, 10, 1_700_000_000),
        getToken: () => world.token(alice),
      });
      page.connect();
      await page.ready(60_000);
    });

    await t.test("a token that cannot be renewed ends the client", async (t) => {
      const page = client(t, url, {
        token: await world.token(alice, 10, 1_700_000_000),
        getToken: () => Promise.reject(new Unauthorized("logged out")),
      });
      assert.equal((await connectedUntilEnded(page)).code, 1);
    });

    await t.test("a bad token and none end the client for good", async (t) => {
      const forged = client(t, url, { token: `${await world.token(alice)}x` });
      assert.equal((await connectedUntilEnded(forged)).code, 3500);
      const none = client(t, url, {});
      assert.deepEqual(await connectedUntilEnded(none), { code: 3501, reason: "bad request" });
    });

    await t.test("no surprise was logged", () => assert.deepEqual(gateway.surprises(), []));
  });
