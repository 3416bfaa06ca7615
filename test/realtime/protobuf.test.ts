import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { encodeCommands } from "@belfry/testing/centrifuge-proto";
import type { Cleanup } from "@belfry/testing/cleanup";
import { eventually } from "@belfry/testing/eventually";
import { WebSocket } from "ws";
import { client, LIBRARIES, offsets, rawClient, subscribed, upTo } from "./clients.ts";
import { createWorld } from "./gateway-under-test.ts";

const alice = { tenant: "acme", user: "42" };
const protocol = "protobuf";
const { Library } = LIBRARIES.find(({ version }) => version === "5.8.0 in Protobuf")!;

test("who breaks the protocol in Protobuf", async (t) => {
  const world = await createWorld(t);
  const gateway = await world.startGateway();
  const { url } = gateway;
  const token = await world.token(alice);
  const connect = encodeCommands({ id: 1, connect: { token } });
  const witnesses = [client(t, url, { token }), client(t, url, { token }, Library)];
  for (const witness of witnesses) await subscribed(witness, "personal#42");

  /** Opens a socket, sends each as a frame, and returns how it was closed. */
  const closedAfter = async (t: Cleanup, ...frames: (Buffer | string)[]) => {
    const socket = new WebSocket(url, ["centrifuge-protobuf"]);
    t.after(() => socket.terminate());
    await once(socket, "open");
    const closed = once(socket, "close");
    for (const frame of frames) socket.send(frame);
    const [code, reason] = await closed;
    return { code, reason: String(reason) };
  };

  await t.test("is closed with 3501, and nobody else notices", async (t) => {
    const subscribe = (request: object) =>
      Buffer.concat([connect, encodeCommands({ id: 2, subscribe: request })]);
    const attacks: Record<string, Buffer[]> = {
      "an empty frame": [Buffer.of()],
      "a pong before a ping": [Buffer.of(0)],
      "a length that lies": [Buffer.of(0x7f, 8, 1)],
      "a length that never ends": [Buffer.alloc(65_536, 0xff)],
      "a varint of eleven bytes": [Buffer.of(12, 8, ...Array(10).fill(0xff), 1)],
      "groups that never end": [
        Buffer.concat([Buffer.of(0xfc, 0xff, 3), Buffer.alloc(65_532, Buffer.of(0xa3, 1))]),
      ],
      "a message cut over two frames": [connect.subarray(0, 9), connect.subarray(9)],
      "a token that is not UTF-8": [Buffer.of(7, 8, 1, 0x22, 3, 0x0a, 1, 0xff)],
      "a second connect": [connect, connect],
      "two connects in a frame": [Buffer.concat([connect, connect])],
      "no connect first": [encodeCommands({ id: 1, subscribe: { channel: "personal#42" } })],
      "no token": [encodeCommands({ id: 1, connect: {} })],
      "no channel": [subscribe({ channel: "" })],
      "an unknown delta": [subscribe({ channel: "personal#42", delta: "zip" })],
      "an offset below zero": [subscribe({ channel: "personal#42", offset: -1 })],
      "JSON in a binary frame": [Buffer.from('{"id":1,"connect":{}}')],
    };
    for (const [what, frames] of Object.entries(attacks)) {
      const closed = await closedAfter(t, ...frames);
      assert.deepEqual(closed, { code: 3501, reason: "bad request" }, what);
    }
    for (const witness of witnesses) assert.equal(witness.state, "connected");
  });

  await t.test("a frame of the other kind closes with 3506", async (t) => {
    for (const text of ["", "{}", connect.toString("latin1")]) {
      const closed = await closedAfter(t, text);
      assert.deepEqual(closed, { code: 3506, reason: "inappropriate protocol" });
    }
  });

  await t.test("a frame above the limit closes with 1009, one at the limit is read", async (t) => {
    const frame = (length: number) => {
      // A token that fills the frame: three lengths of three bytes, and three tags.
      const token = "x".repeat(length - 13);
      const bytes = encodeCommands({ id: 1, connect: { token } });
      assert.equal(bytes.length, length);
      return bytes;
    };
    assert.equal((await closedAfter(t, frame(65_536))).code, 3500);
    assert.equal((await closedAfter(t, frame(65_537))).code, 1009);
  });

  await t.test("no surprise was logged", () => assert.deepEqual(gateway.surprises(), []));
});

test("one user in both encodings", async (t) => {
  const world = await createWorld(t);
  const { url } = await world.startGateway({ POSITION_CHECK_MS: "300" });

  await t.test("positions are the same: what one missed the other encoding recovers", async (t) => {
    const token = await world.token(alice);
    const channel = "personal#42";
    const ask = async (protocol: "json" | "protobuf", request: object) => {
      const raw = await rawClient(t, url, { protocol });
      raw.send({ id: 1, connect: { token } }, { id: 2, subscribe: { channel, ...request } });
      return (await raw.find(({ id }) => id === 2)).subscribe as Record<string, unknown>;
    };
    for (let count = 0; count < 5; count += 1) await world.publish(alice);
    const [json, protobuf] = [await ask("json", {}), await ask("protobuf", {})];
    assert.deepEqual(protobuf, json);
    const { epoch } = json;
    const missed = { recover: true, offset: 2, epoch };
    const recovered = await ask("protobuf", missed);
    assert.deepEqual(offsets(recovered.publications as []), [3, 4, 5]);
    assert.deepEqual(recovered, await ask("json", missed));
    const beyond = { recover: true, offset: 6, epoch };
    assert.deepEqual(await ask("protobuf", beyond), await ask("json", beyond));
  });

  await t.test("a storm with losses reaches a page of each, once and in order", async (t) => {
    const user = { tenant: "acme", user: "storm" };
    const token = await world.token(user);
    const pages = LIBRARIES.filter(({ version }) => version.startsWith("5.8.0")).map((library) =>
      client(t, url, { token }, library.Library),
    );
    const tabs = await Promise.all(pages.map((page) => subscribed(page, "personal#storm")));
    for (let count = 0; count < 60; count += 1) {
      await world.publish(user, { lost: count % 7 === 3, title: `${count}` });
      if (count % 20 !== 10) continue;
      for (const page of pages) page.disconnect();
      await world.publish(user);
      for (const page of pages) page.connect();
    }
    await world.publish(user);
    for (const { got } of tabs) {
      await eventually(() => got.length >= 64);
      assert.deepEqual(offsets(got), upTo(64));
    }
    const [first, second] = tabs.map(({ got }) => got.map(({ data, tags }) => ({ data, tags })));
    assert.deepEqual(second, first);
  });

  await t.test(
    "the longest texts of every letter arrive as they are, live and missed",
    async (t) => {
      const user = { tenant: "acme", user: "long" };
      const escapes = Array.from({ length: 0x7f }, (_, at) => String.fromCharCode(at + 1)).join("");
      const body = `${escapes}","tags":{"字🔔é\u2028`.repeat(600).slice(0, 65_536);
      const actions = JSON.stringify([{ label: `"data":{${escapes}`, url: '/?","data":' }]);
      const since = { offset: 0, epoch: "" };
      await world.publish(user, { title: escapes, body, actions });
      const token = await world.token(user);
      const page = client(t, url, { token }, Library);
      const { subscription, got } = await subscribed(page, "personal#long", { since });
      const live = await world.publish(user, { title: escapes, body, actions, url: "/a" });
      await eventually(() => got.length === 2);
      const { tags: _, ...data } = { ...live.data, tags: 0 };
      assert.deepEqual(
        got.map((one) => one.data),
        [data, data],
      );
      assert.deepEqual(got[1]?.tags, live.tags);
      const history = await subscription.history({ limit: 10 });
      assert.deepEqual(offsets(history.publications), [1, 2]);
    },
  );

  await t.test("who looks on reads no more in Protobuf than in JSON", async (t) => {
    await world.db.query(
      `insert into templates (id, tenant_id, event_type, channel, target_channel, sensitive)
       values (gen_random_uuid(), 'acme', 'code', 'PUSH', 'personal', true)`,
    );
    const user = { tenant: "acme", user: "seen" };
    const code = { eventType: "code", title: "Code 473911", body: "473911", url: "/in/473911" };
    await world.publish(user, code);
    const raw = await rawClient(t, url, { protocol });
    const concealed = await world.token({ ...user, concealed: true });
    raw.send(
      { id: 1, connect: { token: concealed } },
      { id: 2, subscribe: { channel: "personal#seen", recover: true } },
      { id: 3, rpc: { method: "notifications.list", data: {} } },
    );
    await raw.find(({ id }) => id === 3);
    await world.publish(user, code);
    await raw.find(({ push }) => push !== undefined);
    assert.equal(raw.messages.length, 4);
    assert.ok(!JSON.stringify(raw.messages).includes("473911"));
    assert.equal(JSON.stringify(raw.messages).match(/The template is sensitive/g)?.length, 3);
  });
});
