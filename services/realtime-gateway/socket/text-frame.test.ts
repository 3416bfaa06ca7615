import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { WebSocket, WebSocketServer } from "ws";
import { writeTextFrame } from "./text-frame.ts";

const LENGTHS = [0, 1, 125, 126, 127, 65_535, 65_536, 70_000];

test("a text of any length and any characters arrives as it was, between frames of the library", async (t) => {
  const http = createServer();
  const server = new WebSocketServer({ server: http });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  t.after(() => http.close());
  const texts = LENGTHS.flatMap((length) => [
    "a".repeat(length),
    "é".repeat(length >> 1),
    `${"a".repeat(Math.max(0, length - 4))}🔔`,
  ]);
  texts.push("line\nfeed\u0000", "\u2028 ü");
  server.on("connection", (socket, request) => {
    for (const text of texts) {
      writeTextFrame(request.socket, text);
      socket.send("next");
      socket.ping();
    }
  });
  const client = new WebSocket(`ws://127.0.0.1:${(http.address() as AddressInfo).port}`);
  t.after(() => client.terminate());
  const got: string[] = [];
  await new Promise<void>((resolve, reject) => {
    client.on("error", reject);
    client.on("message", (data, isBinary) => {
      assert.equal(isBinary, false);
      if (got.push(data.toString()) === texts.length * 2) resolve();
    });
  });
  assert.deepEqual(
    got,
    texts.flatMap((text) => [text, "next"]),
  );
});
