import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { Centrifuge as ProtobufCentrifuge } from "centrifuge/build/protobuf";
import { WebSocket } from "ws";
import { client, connectedUntilEnded } from "./clients.ts";
import { createWorld } from "./gateway-under-test.ts";

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
  const { url } = await world.startGateway();

  await t.test(
    "a handshake that is none is answered with the three fields of every error, and its socket closed",
    async (t) => {
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
    },
  );

  await t.test("a client that speaks Protobuf is told once, and does not come back", async (t) => {
    const token = await world.token({ tenant: "acme", user: "42" });
    const refused = { code: 3506, reason: "inappropriate protocol" };
    const protobuf = new ProtobufCentrifuge(url, { websocket: WebSocket, token });
    protobuf.on("error", () => undefined);
    t.after(() => protobuf.disconnect());
    assert.deepEqual(await connectedUntilEnded(protobuf), refused);
    for (const query of ["cf_protocol=protobuf", "format=protobuf"]) {
      const page = client(t, `${url}?${query}`, { token });
      assert.deepEqual(await connectedUntilEnded(page), refused, query);
    }
    // Other libraries do not ask first, but send what is binary.
    const silent = new WebSocket(url);
    await once(silent, "open");
    silent.send(Buffer.of(0));
    const [code, reason] = await once(silent, "close");
    assert.deepEqual({ code, reason: String(reason) }, refused);
  });
});
