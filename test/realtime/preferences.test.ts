import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "@belfry/testing/eventually";
import type { Centrifuge } from "centrifuge";
import { client } from "./clients.ts";
import { createWorld } from "./gateway-under-test.ts";

test("a user's own preferences over the socket, on two gateways", async (t) => {
  const world = await createWorld(t);
  const gateways = await Promise.all([world.startGateway(), world.startGateway()]);
  await world.category("acme", "offers", { "": "Offers", de: "Angebote" });
  await world.category("acme", "security", { "": "Security" }, { required: true, position: 1 });
  await world.category("globex", "offers", { "": "Theirs" });
  const open = async (at: number, tenant: string, user: string) => {
    const page = client(t, gateways[at]!.url, { token: await world.token({ tenant, user }) });
    const messages: unknown[] = [];
    page.on("message", ({ data }) => messages.push(data));
    page.connect();
    await page.ready(60_000);
    return { page, messages };
  };
  const change = (page: Centrifuge, preferences: unknown) =>
    page.rpc("preferences.change", { preferences });
  const off = { category: "offers", channel: "EMAIL", enabled: false };
  const here = await open(0, "acme", "ann");
  const there = await open(1, "acme", "ann");
  const strangers = [await open(1, "acme", "bob"), await open(1, "globex", "ann")];

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
    await bob!.page.rpc("preferences.change", {
      ...{ userId: "ann", tenantId: "acme", user_id: "ann" },
      preferences: [{ ...off, enabled: true, userId: "ann" }],
    });
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
});
