import assert from "node:assert/strict";
import { test } from "node:test";
import { publicationText } from "@belfry/contracts/realtime-message";
import { type Codec, jsonCodec, SharedPush } from "./codec.ts";
import { NestedData } from "./commands.ts";
import { protobufCodec } from "./protobuf-codec.ts";

const data = { title: "t", body: "b", category: "c", eventType: "c" };
const tags = { id: "1", createdAt: "" };
const publication = publicationText({ channel: "a#1", offset: 1, data, tags });

/** A codec that counts what it encodes. */
function counting(codec: Codec) {
  const counted = { ...codec, encodings: 0 };
  counted.encodePublication = (one) => {
    counted.encodings += 1;
    return codec.encodePublication(one);
  };
  return counted;
}

test("a publication is encoded once for each encoding that a subscriber speaks, and for no other", () => {
  const [json, protobuf] = [counting(jsonCodec), counting(protobufCodec)];
  const push = new SharedPush(publication);
  assert.deepEqual([json.encodings, protobuf.encodings], [0, 0]);
  const first = push.encoded(json);
  assert.equal(push.encoded(json), first);
  assert.deepEqual([json.encodings, protobuf.encodings], [1, 0]);
  const second = push.encoded(protobuf);
  assert.equal(push.encoded(protobuf), second);
  assert.equal(push.encoded(json), first);
  assert.deepEqual([json.encodings, protobuf.encodings], [1, 1]);
  assert.deepEqual(push.read(), { channel: "a#1", pub: { offset: 1, data, tags } });
});

const decodeFrame = (frame: string) => jsonCodec.decodeFrame(Buffer.from(frame));

test("a batch keeps its order, and unknown fields are ignored", () => {
  const lines = [
    '{"connect":{"token":"t","name":"js","subs":{"a":{"recover":true}},"later":1},"id":1}',
    '{"subscribe":{"channel":"a#1","flag":1,"recover":true,"offset":7,"epoch":"e","tf":{}},"id":2}',
    "{}",
    '{"send":{"data":1}}',
    "",
  ];
  const bytes = (line: number) => lines[line]!.length;
  assert.deepEqual(decodeFrame(lines.join("\n")), [
    { id: 1, bytes: bytes(0), method: "connect", request: { token: "t" } },
    {
      id: 2,
      bytes: bytes(1),
      method: "subscribe",
      request: {
        channel: "a#1",
        recover: true,
        offset: 7,
        epoch: "e",
        flag: 1,
        type: 0,
        delta: "",
        filtered: true,
      },
    },
    "pong",
    { id: 0, bytes: bytes(3), method: "send", request: undefined },
  ]);
});

test("a call keeps its flat data, and lists and objects as text; the decoder drops anything else, because no call accepts it", () => {
  const dataOf = (data: unknown) => {
    const [command] = decodeFrame(JSON.stringify({ id: 1, rpc: { method: "é", data } })) ?? [];
    assert.ok(typeof command === "object" && command.method === "rpc");
    assert.equal(
      command.bytes,
      Buffer.byteLength(JSON.stringify({ id: 1, rpc: { method: "é", data } })),
    );
    return command.request.data;
  };
  for (const data of [undefined, 1, "x", {}, { limit: 5, before: null, late: false }]) {
    assert.deepEqual(dataOf(data), data);
  }
  const many = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [index, 1]));
  for (const data of [[1], many, { a: [[]] }, { a: { b: [] } }, { a: [{ b: [] }] }]) {
    assert.deepEqual(dataOf(data), []);
  }
  const cells = [{ a: "é", b: null }, 1, null];
  for (const data of [
    { limit: [] },
    { limit: 1, cells },
    { a: {} },
    { a: { b: 1, c: { d: 1 } } },
  ]) {
    const kept = dataOf(data);
    assert.ok(kept instanceof NestedData);
    assert.deepEqual(Object.keys(kept), []);
    assert.deepEqual(kept.read(), data);
  }
});

test("one bad message makes the whole frame bad", () => {
  const good = '{"id":1,"connect":{}}';
  const bad = [
    "x",
    "1",
    "null",
    "[]",
    '{"id":1}',
    '{"id":1,"__proto__":{"connect":{}}}',
    '{"x":1}',
  ];
  for (const message of bad) {
    assert.equal(decodeFrame(`${good}\n${message}`), undefined, message);
  }
});

test("no frame, however mangled, makes the decoder throw or return anything but commands", () => {
  const seeds = [
    '{"id":1,"connect":{"token":"t"}}\n{"id":2,"subscribe":{"channel":"a#1","offset":1}}',
    '{"id":3,"history":{"channel":"a#1","limit":-1,"since":{"offset":1,"epoch":"e"},"reverse":true}}',
    '{"id":4,"rpc":{"method":"m","data":{"a":[1,null,"\\u0000"]}}}\n{}',
  ];
  const pieces = [
    "{",
    "}",
    "[",
    "]",
    '"',
    "\n",
    ":",
    ",",
    "null",
    "1e999",
    "-1",
    "\\u0000",
    "\ud800",
    '"id"',
    '"connect"',
    '"__proto__"',
  ];
  // A fixed generator, so that a failure can be repeated.
  let state = 42;
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
  for (let round = 0; round < 20_000; round += 1) {
    let frame = seeds[random(seeds.length)]!;
    for (let change = random(6); change >= 0; change -= 1) {
      const at = random(frame.length + 1);
      frame = frame.slice(0, at) + pieces[random(pieces.length)] + frame.slice(at + random(4));
    }
    for (const message of decodeFrame(frame) ?? []) {
      if (message === "pong") continue;
      assert.ok(Number.isSafeInteger(message.id) && message.id >= 0, frame);
      if (message.method === "subscribe") assert.equal(typeof message.request.channel, "string");
    }
  }
});

test("no encoded message contains a line feed", () => {
  const data = { title: "a\nb\r\u2028", body: "\u0000", category: "c", eventType: "c" };
  const pub = { offset: 1, data, tags: { id: "i", createdAt: "t" } };
  const text = jsonCodec.encodePublication({
    channel: "a#\n",
    offset: 1,
    id: "i",
    text: JSON.stringify(pub),
  });
  assert.ok(!text.includes("\n"));
  assert.deepEqual(JSON.parse(text), { push: { channel: "a#\n", pub } });
});
