import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { assertEach } from "@belfry/testing/assert-each";
import { WebSocket } from "ws";
import { client, PROTOCOLS, rawClient, subscribed } from "./clients.ts";
import { createWorld } from "./gateway-under-test.ts";

const alice = { tenant: "acme", user: "42" };
const GOOD: Record<string, string> = {
  host: "localhost",
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  "sec-websocket-version": "13",
};

interface Answer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

test("who opens a socket in another way", async (t) => {
  const world = await createWorld(t);
  const gateway = await world.startGateway();
  const { url } = gateway;

  await t.test("a handshake that is none gets an error's three fields and is closed", async (t) => {
    const { port, pathname } = new URL(url);
    const ask = async (
      method: string,
      changes: Record<string, string>,
      path = pathname,
    ): Promise<Answer> => {
      const socket = connect(Number(port), "127.0.0.1");
      t.after(() => socket.destroy());
      const headers = Object.entries({ ...GOOD, ...changes }).filter(([, value]) => value !== "");
      const lines = headers.map(([name, value]) => `${name}: ${value}`);
      socket.write([`${method} ${path} HTTP/1.1`, ...lines, "", ""].join("\r\n"));
      let text = "";
      socket.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      await once(socket, "close");
      const [head = "", body = ""] = text.split("\r\n\r\n");
      const [first = "", ...rest] = head.split("\r\n");
      return {
        status: Number(first.split(" ")[1]),
        headers: new Headers(rest.map((line) => line.split(": ", 2) as [string, string])),
        body: JSON.parse(body),
      };
    };
    const cases: [string, Record<string, string>, number][] = [
      ["GET", { "sec-websocket-key": "" }, 400],
      ["GET", { "sec-websocket-key": "short" }, 400],
      ["GET", { "sec-websocket-version": "" }, 400],
      ["GET", { "sec-websocket-version": "12" }, 400],
      ["GET", { "sec-websocket-protocol": "a,,b" }, 400],
      ["GET", { upgrade: "h2c" }, 400],
      ["POST", {}, 405],
    ];
    for (const [method, changes, status] of cases) {
      const what = `${method} ${JSON.stringify(changes)}`;
      const answer = await ask(method, changes);
      assert.equal(answer.status, status, what);
      assert.deepEqual(Object.keys(answer.body), ["statusCode", "error", "message"], what);
      assert.equal(answer.body.statusCode, status);
      assert.match(answer.headers.get("content-type") ?? "", /^application\/json/, what);
      assert.ok(answer.headers.get("x-trace-id"), what);
    }
    assert.equal((await ask("GET", {}, "/elsewhere")).status, 404);
    const version = await ask("GET", { "sec-websocket-version": "12" });
    assert.equal(version.headers.get("sec-websocket-version"), "13, 8");
  });

  await t.test("the subprotocol decides the encoding, and without one the address", async (t) => {
    const token = await world.token(alice);
    const opens = async (protocols: string[], query: string) => {
      const socket = new WebSocket(`${url}${query}`, protocols);
      t.after(() => socket.terminate());
      await once(socket, "open");
      socket.send(JSON.stringify({ id: 1, connect: { token } }));
      const [code] = await Promise.race([
        once(socket, "message").then(() => ["json"]),
        once(socket, "close").then(([code]) => [code]),
      ]);
      return [socket.protocol, code];
    };
    const json = "centrifuge-json";
    const protobuf = "centrifuge-protobuf";
    assert.deepEqual(await opens([], ""), ["", "json"]);
    assert.deepEqual(await opens([json], ""), [json, "json"]);
    assert.deepEqual(await opens([json, protobuf], ""), [json, "json"]);
    assert.deepEqual(await opens([json], "?format=protobuf"), [json, "json"]);
    assert.deepEqual(await opens([protobuf], ""), [protobuf, 3506]);
    assert.deepEqual(await opens(["other", protobuf], ""), [protobuf, 3506]);
    assert.deepEqual(await opens([], "?cf_protocol=protobuf"), ["", 3506]);
    assert.deepEqual(await opens([], "?format=protobuf"), ["", 3506]);
    await assert.rejects(opens(["other"], ""));
  });

  await t.test("what is binary ends a JSON client, which does not come back", async () => {
    // Some libraries do not ask first, but send what is binary.
    const silent = new WebSocket(url);
    await once(silent, "open");
    silent.send(Buffer.of(0));
    const [code, reason] = await once(silent, "close");
    assert.deepEqual([code, String(reason)], [3506, "inappropriate protocol"]);
  });

  for (const protocol of PROTOCOLS) {
    await t.test(
      `connect comes in a frame with subscribes in ${protocol}, and is answered first`,
      async (t) => {
        const raw = await rawClient(t, url, { protocol });
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
      },
    );

    await t.test(
      `after a refused connect the rest of the frame is dropped, in ${protocol}`,
      async (t) => {
        const raw = await rawClient(t, url, { protocol });
        const token = await world.token(alice, 10, 1_700_000_000);
        raw.send({ id: 1, connect: { token } }, { id: 2, subscribe: { channel: "personal#42" } });
        await raw.find((message) => message.id === 1);
        raw.send({ id: 3, connect: { token: await world.token(alice) } });
        // Whoever asks later has an answer.
        await subscribed(client(t, url, { token: await world.token(alice) }), "personal#42");
        assert.deepEqual(raw.messages, [{ id: 1, error: { code: 109, message: "token expired" } }]);
      },
    );
  }

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
      assert.deepEqual(await raw.closed, { code: 3501, reason: "bad request" }, frame.slice(0, 80));
    }
    const binary = await rawClient(t, url);
    binary.socket.send(Buffer.from(connect));
    assert.deepEqual(await binary.closed, { code: 3506, reason: "inappropriate protocol" });
    assert.equal(witness.state, "connected");
  });

  for (const protocol of PROTOCOLS) {
    await t.test(
      `what is not offered is answered in ${protocol} as the protocol says`,
      async (t) => {
        const raw = await rawClient(t, url, { protocol });
        const channel = "personal#42";
        raw.send(
          await connectFirst(),
          { id: 2, publish: { channel } },
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
        raw.send({ send: {} });
        assert.deepEqual(await raw.closed, { code: 3508, reason: "not available" });
      },
    );
  }

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

  await t.test("no surprise was logged", () => assert.deepEqual(gateway.surprises(), []));
});
