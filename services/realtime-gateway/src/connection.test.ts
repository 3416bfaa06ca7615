import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Writable } from "node:stream";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { eventually } from "@belfry/testing/eventually";
import { WebSocket, WebSocketServer } from "ws";
import { jsonCodec } from "./codec.ts";
import { Connection, type ConnectionDeps, PartialFrame, writeFrame } from "./connection.ts";
import { HeldBytes } from "./held-bytes.ts";
import { protobufCodec } from "./protobuf-codec.ts";
import { TimerWheel } from "./timer-wheel.ts";
import { WriteQueue } from "./write-queue.ts";

function setUp(maxQueueBytes: number, maxUserBytes = 10_000_000, codec = jsonCodec) {
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
    codec,
    deps,
  );
  return { connection, socket, stream, sent, closes, reading, held };
}

test("the messages of one tick leave as one text frame", async () => {
  const { connection, sent } = setUp(1000);
  for (const message of ["1", "2", "3"]) connection.push(message);
  assert.deepEqual(sent, []);
  await turn();
  assert.deepEqual(sent, ["1\n2\n3"]);
  connection.push("4");
  await turn();
  assert.deepEqual(sent[1], "4");
});

test("a reply that waits for the next message leaves in its frame, or alone soon after", async () => {
  const { connection, sent } = setUp(1000);
  connection.replyWithNext("1");
  await turn();
  assert.deepEqual(sent, []);
  connection.reply("2");
  await turn();
  assert.deepEqual(sent, ["1\n2"]);
  connection.replyWithNext("3");
  await eventually(() => assert.deepEqual(sent[1], "3"));
});

test("in Protobuf the messages of a tick stand side by side, and each character counts as a byte", async () => {
  const { connection, stream, sent, closes, held } = setUp(100_000, 10_000_000, protobufCodec);
  for (const message of ["\u00011", "\u00012"]) connection.push(message);
  await turn();
  assert.deepEqual(sent, ["\u00011\u00012"]);
  stream.writableLength = 70_000;
  connection.push("\u00ff".repeat(30_000));
  await turn();
  assert.deepEqual([held.bytes, closes], [100_000, []]);
  connection.push("\u00ff");
  await turn();
  assert.deepEqual(closes, [{ code: 3008, reason: "slow" }]);
});

test("a frame of the kind that the other encoding has ends the connection", () => {
  for (const codec of [jsonCodec, protobufCodec]) {
    const { connection, closes } = setUp(1000, 10_000, codec);
    connection.receive(Buffer.from("{}"), !codec.isBinary);
    assert.deepEqual(closes, [{ code: 3506, reason: "inappropriate protocol" }]);
  }
});

test("a client at the limit is kept; one byte above, it is dropped without its backlog", async () => {
  const { connection, stream, sent, closes } = setUp(100_000);
  stream.writableLength = 90_000;
  connection.push("x".repeat(10_000));
  await turn();
  assert.deepEqual([sent, closes], [[], []]);
  connection.push("x");
  await turn();
  assert.deepEqual([sent, closes], [[], [{ code: 3008, reason: "slow" }]]);
});

test("after a pause of the process the backlog is offered to the socket before a client counts as slow", async () => {
  const { connection, sent, closes } = setUp(100_000);
  for (let count = 0; count < 300; count += 1) connection.push("x".repeat(4000));
  await turn();
  assert.deepEqual([sent.join("").replaceAll("\n", "").length, closes], [1_200_000, []]);
});

test("waiting text is counted in encoded bytes: three for a letter that takes three", async () => {
  const { connection, stream, closes, held } = setUp(100_000);
  stream.writableLength = 70_000;
  connection.push("字".repeat(9_000));
  await turn();
  assert.equal(held.bytes, 97_000);
  connection.push("字".repeat(1_001));
  await turn();
  assert.deepEqual(closes, [{ code: 3008, reason: "slow" }]);
});

test("a large requested answer drops no client, and later pushes wait for the socket", async () => {
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

test("a close lets earlier messages leave first", () => {
  const { connection, sent, closes } = setUp(1000);
  connection.reply("last words");
  connection.session.end({ code: 3001, reason: "shutdown" });
  assert.deepEqual([sent, closes], [["last words"], [{ code: 3001, reason: "shutdown" }]]);
});

test("nothing is written after the client's own close", () => {
  const { connection, socket, sent } = setUp(1000);
  connection.reply("too late");
  socket.readyState = 2;
  connection.session.end({ code: 3001, reason: "shutdown" });
  assert.deepEqual(sent, []);
});

test("if the limit of the user is reached, the connection ends with everything that its socket holds", async () => {
  const { connection, stream, closes, held } = setUp(100_000, 80_000);
  stream.writableLength = 70_000;
  connection.push("x".repeat(10_000));
  await turn();
  assert.deepEqual([held.bytes, closes], [80_000, []]);
  connection.push("x");
  await turn();
  assert.deepEqual([held.bytes, closes], [0, [{ code: 3008, reason: "slow" }, "terminated"]]);
});

test("while a client does not read, only a few more of its commands are read", async () => {
  const { connection, stream, reading, held } = setUp(1_000_000);
  stream.writableLength = 300_000;
  const token = "x".repeat(4000);
  const connect = Buffer.from(JSON.stringify({ id: 1, connect: { token } }));
  connection.receive(connect, false);
  connection.arrived(connect.length + 8);
  assert.equal(held.bytes, 300_000 + connect.length + 512);
  connection.receive(connect, false);
  assert.deepEqual(reading, []);
  connection.receive(connect, false);
  assert.deepEqual(reading, ["paused"]);
  connection.session.end({ code: 3001, reason: "shutdown" });
  assert.deepEqual(reading, ["paused", "resumed"]);
  connection.gone();
  assert.equal(held.bytes, 0);
});

const CHUNK_BYTES = 256;

test("complete frames hold nothing, and the rest of their chunk is counted", () => {
  const partial = new PartialFrame();
  for (const [dataBytes, frameBytes] of [
    [2, 8],
    [125, 131],
    [126, 134],
    [65_535, 65_543],
    [65_536, 65_550],
  ] as const) {
    partial.ended(dataBytes);
    assert.equal(partial.add(frameBytes), false);
    assert.equal(partial.heldBytes, 0);
  }
  partial.ended(2);
  partial.ended(10);
  assert.equal(partial.add(8 + 16 + 5), true);
  assert.equal(partial.heldBytes, 5 + CHUNK_BYTES);
});

test("a frame that arrives byte by byte is counted with the overhead of each piece, until it is complete", () => {
  const partial = new PartialFrame();
  for (let byte = 0; byte < 100; byte += 1) partial.add(1);
  assert.equal(partial.heldBytes, 100 + 100 * CHUNK_BYTES);
  partial.ended(95);
  partial.add(1);
  assert.equal(partial.heldBytes, 0);
});

test("frames without data, which the library does not report, are forgotten with the next frame", () => {
  const partial = new PartialFrame();
  for (let ping = 0; ping < 50; ping += 1) partial.add(6);
  partial.ended(2);
  partial.add(8);
  assert.ok(partial.heldBytes <= 8 + CHUNK_BYTES);
});

const LENGTHS = [0, 1, 125, 126, 127, 65_535, 65_536, 70_000];

test("a payload of any length, text or binary, arrives unchanged between frames of the library", async (t) => {
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
  const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const binaries = LENGTHS.map((length) => Buffer.alloc(length, everyByte));
  server.on("connection", (socket, request) => {
    for (const text of texts) {
      writeFrame(request.socket, text, false);
      socket.send("next");
      socket.ping();
    }
    for (const bytes of binaries) {
      assert.equal(writeFrame(request.socket, bytes.toString("latin1"), true), bytes.length);
      socket.send("next");
    }
  });
  const client = new WebSocket(`ws://127.0.0.1:${(http.address() as AddressInfo).port}`);
  t.after(() => client.terminate());
  const got: (string | Buffer)[] = [];
  const expected = [...texts, ...binaries].flatMap((payload) => [payload, "next"]);
  await new Promise<void>((resolve, reject) => {
    client.on("error", reject);
    client.on("message", (data, isBinary) => {
      got.push(isBinary ? (data as Buffer) : data.toString());
      if (got.length === expected.length) resolve();
    });
  });
  assert.deepEqual(got, expected);
});
