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
  rawClient,
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

    await t.test("connect comes in a frame with subscribes, and is answered first", async (t) => {
      const raw = await rawClient(t, url);
      raw.send(
        { connect: { token: await world.token(alice), name: "js", later: [1] }, id: 1 },
        { subscribe: { channel: "personal#42", flag: 1, unheard: {} }, id: 2 },
        { subscribe: { channel: "orders#42" }, id: 3 },
        { unsubscribe: { channel: "never#42" }, id: 4 },
        { unsubscribe: { channel: "orders#42" }, id: 5 },
      );
      await raw.find((message) => message.id === 5);
      assertEach(raw.messages, (message) => message.id, [1, 2, 3, 4, 5]);
      const [connect, subscribe, , unknown] = raw.messages as Record<
        string,
        Record<string, unknown>
      >[];
      assert.deepEqual(Object.keys(connect!.connect!).sort(), [
        "client",
        "expires",
        "ping",
        "pong",
        "ttl",
        "version",
      ]);
      assert.deepEqual(
        { ...subscribe!.subscribe, epoch: "", offset: 0 },
        {
          recoverable: true,
          positioned: true,
          epoch: "",
          offset: 0,
        },
      );
      assert.deepEqual(unknown, { id: 4, unsubscribe: {} });
    });

    await t.test("after a refused connect the rest of the frame is dropped", async (t) => {
      const raw = await rawClient(t, url);
      const token = await world.token(alice, 10, 1_700_000_000);
      raw.send({ id: 1, connect: { token } }, { id: 2, subscribe: { channel: "personal#42" } });
      await raw.find((message) => message.id === 1);
      raw.send({ id: 3, connect: { token: await world.token(alice) } });
      // Whoever asks later has an answer.
      await subscribed(client(t, url, { token: await world.token(alice) }), "personal#42");
      assert.deepEqual(raw.messages, [{ id: 1, error: { code: 109, message: "token expired" } }]);
    });

    const connectFirst = () => world.token(alice).then((token) => ({ id: 1, connect: { token } }));
    await t.test("what is not of the protocol closes with 3501; nobody else notices", async (t) => {
      const witness = client(t, url, { token: await world.token(alice) });
      await subscribed(witness, "personal#42");
      const connect = JSON.stringify(await connectFirst());
      const frames = [
        "",
        "\n",
        "nonsense",
        "[]",
        "null",
        "1",
        `{"id":1}`,
        `{"id":1,"dance":{}}`,
        `{"connect":{}}`,
        `{"id":-1,"connect":{}}`,
        `{"id":1.5,"connect":{}}`,
        `{"id":4294967296,"connect":{}}`,
        `{"id":1,"connect":[]}`,
        `{"id":1,"connect":{"token":7}}`,
        `{"id":1,"subscribe":{"channel":"personal#42"}}`,
        "{}",
        "[".repeat(60_000),
        `${connect}\n${connect}`,
        `${connect}\n{}`,
        `${connect}\n{"id":2,"subscribe":{"channel":""}}`,
        `${connect}\n{"id":2,"subscribe":{"channel":"personal#42","offset":-1}}`,
        `${connect}\n{"id":2,"subscribe":{"channel":"personal#42","delta":"zip"}}`,
        `${connect}\n{"id":2,"publish":{"channel":""}}`,
        `${connect}\n{"subscribe":{"channel":"personal#42"}}`,
        `${connect}\n{"id":2,"refresh":{}}`,
      ];
      for (const frame of frames) {
        const raw = await rawClient(t, url);
        raw.send(frame);
        assert.deepEqual(
          await raw.closed,
          { code: 3501, reason: "bad request" },
          frame.slice(0, 80),
        );
      }
      const binary = await rawClient(t, url);
      binary.socket.send(Buffer.from(connect));
      assert.deepEqual(await binary.closed, { code: 3506, reason: "inappropriate protocol" });
      assert.equal(witness.state, "connected");
    });

    await t.test("what is not offered is answered as the protocol says", async (t) => {
      const raw = await rawClient(t, url);
      const channel = "personal#42";
      raw.send(
        await connectFirst(),
        { id: 2, publish: { channel, data: {} } },
        { id: 3, presence: { channel } },
        { id: 4, presence_stats: { channel } },
        { id: 5, sub_refresh: { channel, token: "x" } },
        { id: 6, ping: {} },
        { id: 7, subscribe: { channel, type: 1 } },
        { id: 8, subscribe: { channel: "x".repeat(1086) } },
        { id: 9, subscribe: { channel, delta: "fossil" } },
        { id: 10, subscribe: { channel } },
        { id: 11, rpc: { method: "constructor" } },
      );
      await raw.find((message) => message.id === 11);
      const codes = new Map(
        raw.messages.map(({ id, error }) => [id, (error as { code: number } | undefined)?.code]),
      );
      const expected = [undefined, 103, 108, 108, 108, 108, 108, 107, undefined, 105, 104];
      assertEach(expected, (_, index) => codes.get(index + 1), expected);
      raw.send({ send: { data: 1 } });
      assert.deepEqual(await raw.closed, { code: 3508, reason: "not available" });
    });

    await t.test("a plain request gets an error of ours", async () => {
      const response = await fetch(url.replace("ws:", "http:"));
      assert.equal(response.status, 400);
      assert.equal(((await response.json()) as { statusCode: number }).statusCode, 400);
    });

    await t.test("a frame above the limit closes that client alone", async (t) => {
      const raw = await rawClient(t, url);
      raw.socket.send("x".repeat(65_537));
      assert.equal((await raw.closed).code, 1009);
      const raw2 = await rawClient(t, url);
      raw2.socket.send("x".repeat(65_536));
      assert.equal((await raw2.closed).code, 3501);
    });

    await t.test("no surprise was logged", () => {
      const bad = gateway.process
        .logs()
        .filter(({ level }) => level === "error" || level === "warn");
      assert.deepEqual(bad, []);
    });
  });
