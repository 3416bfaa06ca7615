import assert from "node:assert/strict";
import type { Writable } from "node:stream";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { WebSocket } from "ws";
import { Connection, type ConnectionDeps } from "./connection.ts";
import { jsonCodec } from "./json-codec.ts";
import { TimerWheel } from "./timer-wheel.ts";
import { WriteQueue } from "./write-queue.ts";

function setUp(maxQueueBytes: number) {
  const sent: unknown[] = [];
  const closes: unknown[] = [];
  const socket = {
    OPEN: 1,
    readyState: 1,
    close: (code: number, reason: string) => void closes.push({ code, reason }),
  };
  const stream = {
    writableLength: 0,
    write(frame: string | Buffer, encoding?: BufferEncoding) {
      const bytes = typeof frame === "string" ? Buffer.from(frame, encoding) : frame;
      const length = bytes[1] ?? 0;
      sent.push(bytes.subarray(length < 126 ? 2 : length === 126 ? 4 : 10).toString());
    },
  };
  const writes = new WriteQueue(assert.ifError);
  const wheel = new TimerWheel({ tickMs: 50, nowMs: () => 1000, onFault: assert.ifError });
  const deps = {
    codec: jsonCodec,
    writes,
    wheel,
    maxQueueBytes,
    nowMs: () => 1000,
    limits: { connectTimeoutMs: 1000, commandBurst: 1, commandsPerSecond: 1 },
    log: { info: () => undefined, warn: () => undefined },
  } as unknown as ConnectionDeps;
  const connection = new Connection(
    socket as unknown as WebSocket,
    stream as unknown as Writable,
    deps,
  );
  return { connection, socket, stream, sent, closes };
}

test("what one tick brings leaves as one frame of text", async () => {
  const { connection, sent } = setUp(1000);
  for (const message of ["1", "2", "3"]) connection.push(message);
  assert.deepEqual(sent, []);
  await turn();
  assert.deepEqual(sent, ["1\n2\n3"]);
  connection.push("4");
  await turn();
  assert.deepEqual(sent[1], "4");
});

test("at the bound a client is kept, one byte above it is dropped without its backlog", async () => {
  const { connection, stream, sent, closes } = setUp(100_000);
  stream.writableLength = 90_000;
  connection.push("x".repeat(10_000));
  await turn();
  assert.deepEqual([sent, closes], [[], []]);
  connection.push("x");
  await turn();
  assert.deepEqual([sent, closes], [[], [{ code: 3008, reason: "slow" }]]);
});

test("a large answer that was asked for drops nobody, and pushes after it wait for the socket", async () => {
  const { connection, stream, sent, closes } = setUp(1000);
  const { write } = stream;
  stream.write = (frame, encoding) => {
    write(frame, encoding);
    stream.writableLength = 400_000;
  };
  connection.reply("x".repeat(500_000));
  await turn();
  assert.equal(sent.length, 1);
  connection.push("after");
  await turn();
  assert.deepEqual([sent.length, closes], [1, []]);
  stream.writableLength = 0;
  await new Promise((resolve) => setTimeout(resolve, 120));
  assert.deepEqual([sent.length, sent[1], closes], [2, "after", []]);
});

test("a close lets what was sent before it leave first", () => {
  const { connection, sent, closes } = setUp(1000);
  connection.reply("last words");
  connection.session.end({ code: 3001, reason: "shutdown" });
  assert.deepEqual([sent, closes], [["last words"], [{ code: 3001, reason: "shutdown" }]]);
});

test("after the client's own close nothing is written any more", () => {
  const { connection, socket, sent } = setUp(1000);
  connection.reply("too late");
  socket.readyState = 2;
  connection.session.end({ code: 3001, reason: "shutdown" });
  assert.deepEqual(sent, []);
});
