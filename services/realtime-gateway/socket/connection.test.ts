import assert from "node:assert/strict";
import type { Writable } from "node:stream";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { WebSocket } from "ws";
import { jsonCodec } from "../protocol/json-codec.ts";
import { TimerWheel } from "../timer-wheel.ts";
import { Connection, type ConnectionDeps } from "./connection.ts";
import { HeldBytes } from "./held-bytes.ts";
import { WriteQueue } from "./write-queue.ts";

function setUp(maxQueueBytes: number, maxUserBytes = 10_000_000) {
  const sent: unknown[] = [];
  const closes: unknown[] = [];
  const reading: string[] = [];
  const socket = {
    OPEN: 1,
    readyState: 1,
    pause: () => void reading.push("paused"),
    resume: () => void reading.push("resumed"),
    terminate: () => void closes.push("terminated"),
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
  const held = new HeldBytes({ maxUserBytes, maxProcessBytes: 20_000_000 });
  const deps = {
    codec: jsonCodec,
    writes,
    wheel,
    held,
    maxQueueBytes,
    maxCommandBytes: 10_000,
    nowMs: () => 1000,
    limits: { connectTimeoutMs: 1000, commandBurst: 100, commandsPerSecond: 1 },
    log: { info: () => undefined, warn: () => undefined },
  } as unknown as ConnectionDeps;
  const connection = new Connection(
    socket as unknown as WebSocket,
    stream as unknown as Writable,
    deps,
  );
  return { connection, socket, stream, sent, closes, reading, held };
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

test("what a pause of ours gathered is offered to the socket before anybody is called slow", async () => {
  const { connection, sent, closes } = setUp(100_000);
  for (let count = 0; count < 300; count += 1) connection.push("x".repeat(4000));
  await turn();
  assert.deepEqual([sent.join("").replaceAll("\n", "").length, closes], [1_200_000, []]);
});

test("what waits is counted as it is written: three bytes for a letter that takes three", async () => {
  const { connection, stream, closes, held } = setUp(100_000);
  stream.writableLength = 70_000;
  connection.push("字".repeat(9_000));
  await turn();
  assert.equal(held.bytes, 97_000);
  connection.push("字".repeat(1_001));
  await turn();
  assert.deepEqual(closes, [{ code: 3008, reason: "slow" }]);
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
  while (sent.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.deepEqual([sent[1], closes], ["after", []]);
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

test("a bound of the user reached, what the socket holds is given up with the connection", async () => {
  const { connection, stream, closes, held } = setUp(100_000, 80_000);
  stream.writableLength = 70_000;
  connection.push("x".repeat(10_000));
  await turn();
  assert.deepEqual([held.bytes, closes], [80_000, []]);
  connection.push("x");
  await turn();
  assert.deepEqual([held.bytes, closes], [0, [{ code: 3008, reason: "slow" }, "terminated"]]);
});

test("while a client does not read, more than a few of its commands are not read either", async () => {
  const { connection, stream, reading, held } = setUp(1_000_000);
  stream.writableLength = 300_000;
  const token = "x".repeat(4000);
  const connect = Buffer.from(JSON.stringify({ id: 1, connect: { token } }));
  connection.receive(connect);
  connection.arrived(connect.length + 8);
  assert.equal(held.bytes, 300_000 + connect.length + 512);
  connection.receive(connect);
  assert.deepEqual(reading, []);
  connection.receive(connect);
  assert.deepEqual(reading, ["paused"]);
  connection.session.end({ code: 3001, reason: "shutdown" });
  assert.deepEqual(reading, ["paused", "resumed"]);
  connection.gone();
  assert.equal(held.bytes, 0);
});
