import assert from "node:assert/strict";
import { test } from "node:test";
import { publicationText } from "@belfry/contracts/realtime-message";
import { decodeReplies, encodeCommands } from "@belfry/testing/centrifuge-proto";
import { NOT_JSON, NOT_UTF8 } from "@belfry/testing/hostile";
import fc from "fast-check";
import { jsonCodec } from "./codec.ts";
import type { Incoming } from "./commands.ts";
import { protobufCodec } from "./protobuf-codec.ts";
import type { Push, Reply } from "./protocol.ts";

const UINT32 = 2 ** 32 - 1;
const INT32 = 2 ** 31 - 1;

// `grapheme` brings letters of every length in UTF-8; neither encoding can carry a lone surrogate.
const text = fc.string({ unit: "grapheme", maxLength: 40 });
const uint32 = fc.integer({ min: 0, max: UINT32 });
const offset = fc.maxSafeNat();
const json = fc.oneof(
  fc.dictionary(text, fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)), {
    maxKeys: 4,
    noNullPrototype: true,
  }),
  fc.array(fc.integer()),
);
const some = <T extends Record<string, fc.Arbitrary<unknown>>>(fields: T) =>
  fc.record(fields, { requiredKeys: [] });
const toBytes = (value: unknown) => Buffer.from(JSON.stringify(value));

const channelOf = fc.record({ channel: text });
const tokenOf = fc.record({ token: text });
/** Each method with the fields that the gateway reads, and others that it skips. */
const methods: Record<string, fc.Arbitrary<Record<string, unknown>>> = {
  connect: some({
    token: text,
    name: text,
    headers: fc.dictionary(text, text, { noNullPrototype: true }),
    subs: fc.constant({ a: { channel: "b", offset: 1, tf: { op: "x", nodes: [{ op: "y" }] } } }),
  }),
  subscribe: some({
    channel: text,
    token: text,
    recover: fc.boolean(),
    offset,
    epoch: text,
    flag: fc.maxSafeNat(),
    type: fc.integer({ min: 0, max: INT32 }),
    delta: text,
    tf: fc.constant({ op: "and", vals: ["a"], nodes: [{ op: "or" }] }),
    positioned: fc.boolean(),
    limit: fc.integer({ min: -INT32, max: INT32 }),
    cursor: text,
  }),
  unsubscribe: channelOf,
  publish: some({ channel: text, key: text, removed: fc.boolean() }),
  presence: channelOf,
  presence_stats: channelOf,
  history: some({
    channel: text,
    limit: fc.integer({ min: -INT32 - 1, max: INT32 }),
    reverse: fc.boolean(),
    since: some({ offset, epoch: text }),
  }),
  ping: fc.constant({}),
  send: fc.constant({}),
  rpc: some({ method: text, data: json }),
  refresh: tokenOf,
  sub_refresh: some({ channel: text, token: text }),
};
const command = fc
  .constantFrom(...Object.entries(methods))
  .chain(([method, request]) =>
    fc.tuple(
      fc.integer({ min: 1, max: UINT32 }),
      request.map((one) => ({ [method]: one })),
    ),
  )
  .map(([id, method]): Record<string, unknown> => ({ id, ...method }));
const commands = fc.array(fc.oneof(command, fc.constant<Record<string, unknown>>({})), {
  minLength: 1,
  maxLength: 5,
});

function inProtobuf(one: Record<string, unknown>): object {
  const rpc = one.rpc as { data?: unknown } | undefined;
  return rpc?.data === undefined ? one : { ...one, rpc: { ...rpc, data: toBytes(rpc.data) } };
}

/** Parses text that is still encoded, so that its meaning is compared. */
function comparable(incoming: Incoming[] | undefined): unknown {
  return incoming?.map((one) => {
    if (one === "pong") return one;
    const { bytes: _, request, ...rest } = one;
    const data = request && "data" in request ? request.data : undefined;
    const read = (data as { read?(): unknown } | undefined)?.read;
    return { ...rest, request, ...(read && { data: read.call(data) }) };
  });
}

test("commands as protobufjs writes them are read as those of a JSON client", () => {
  fc.assert(
    fc.property(commands, (all) => {
      const frame = encodeCommands(...all.map(inProtobuf));
      const lines = Buffer.from(all.map((one) => JSON.stringify(one)).join("\n"));
      const read = protobufCodec.decodeFrame(frame);
      assert.ok(read !== undefined);
      assert.deepEqual(comparable(read), comparable(jsonCodec.decodeFrame(lines)));
      const bytes = read.map((one) => (one === "pong" ? 0 : one.bytes));
      const sizes = all.map((one) => encodeCommands(inProtobuf(one)).length);
      for (const [index, size] of sizes.entries()) {
        assert.ok(bytes[index]! < size && bytes[index]! >= size - 3);
      }
    }),
    { numRuns: 500 },
  );
});

const publication = fc
  .record({
    offset: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    data: fc.record({ title: text, body: text, category: text, eventType: text }),
    tags: fc.record(
      { id: text, createdAt: text, url: text, actions: text },
      { requiredKeys: ["id", "createdAt"] },
    ),
  })
  .map(
    (one) =>
      one as { offset: number; data: typeof one.data; tags: { id: string; createdAt: string } },
  );
const publications = fc.array(publication, { maxLength: 3 });
const id = fc.integer({ min: 1, max: UINT32 });
const grant = { client: text, version: text, expires: fc.constant(true as const), ttl: uint32 };
const yes = fc.constant(true as const);
const reply = fc.oneof(
  fc.record({
    id,
    error: fc.oneof(
      fc.record({ code: uint32, message: text }),
      fc.record({ code: uint32, message: text, temporary: yes }),
    ),
  }),
  fc.record({ id, connect: fc.record({ ...grant, ping: uint32, pong: yes }) }),
  fc.record({ id, refresh: fc.record(grant) }),
  fc.record({
    id,
    subscribe: fc.record(
      {
        recoverable: yes,
        positioned: yes,
        epoch: text,
        offset,
        was_recovering: yes,
        recovered: yes,
        publications,
      },
      { requiredKeys: ["recoverable", "positioned", "epoch", "offset"] },
    ),
  }),
  fc.record({ id, unsubscribe: fc.constant({}) }),
  fc.record({ id, history: fc.record({ publications, offset, epoch: text }) }),
  fc.record({ id, rpc: fc.record({ data: json as fc.Arbitrary<unknown> }) }),
);
const push = fc.oneof(
  fc.record({ channel: text, pub: publication }),
  fc.record({ channel: text, unsubscribe: fc.record({ code: uint32, reason: text }) }),
  fc.record({ message: fc.record({ data: json as fc.Arbitrary<unknown> }) }),
);

const decode = (message: string) => decodeReplies(Buffer.from(message, "latin1"));

/** Converts a value to protobufjs' form: data as bytes, without fields that are zero, empty or false. */
function asDecoded(value: unknown, name = ""): unknown {
  if (name === "data") return toBytes(value);
  if (Array.isArray(value)) return value.map((item) => asDecoded(item));
  if (typeof value !== "object" || value === null) return value;
  const isSet = ([key, member]: [string, unknown]) =>
    key !== "data" && Array.isArray(member) ? member.length > 0 : Boolean(member);
  // A tag may be empty.
  const fields = Object.entries(value).filter((field) => name === "tags" || isSet(field));
  return Object.fromEntries(fields.map(([key, member]) => [key, asDecoded(member, key)]));
}

test("protobufjs reads every reply and push as it was meant, and finds the same JSON as data", () => {
  fc.assert(
    fc.property(
      fc.array(reply, { maxLength: 4 }),
      fc.array(push, { maxLength: 4 }),
      (replies, pushes) => {
        const messages = [
          ...replies.map((one) => protobufCodec.encodeReply(one as Reply)),
          ...pushes.map((one) => protobufCodec.encodePush(one as Push)),
          protobufCodec.ping,
        ];
        const expected = [...replies, ...pushes.map((one) => ({ push: one })), {}];
        assert.deepEqual(
          decode(messages.join(protobufCodec.separator)),
          expected.map((one) => asDecoded(one)),
        );
      },
    ),
    { numRuns: 500 },
  );
});

test("a publication's data are the very bytes that the dispatcher wrote, whatever its texts hold", () => {
  const marks = fc.constantFrom(
    ...[
      '","tags":{"',
      '},"tags":{',
      ',"data":',
      '"',
      "\\",
      "\\\\",
      "\n",
      "\u0000",
      "é",
      "🔔",
      "\u2028",
      ",",
    ],
  );
  const hostile = fc.array(fc.oneof(marks, text), { maxLength: 6 }).map((parts) => parts.join(""));
  const tags = fc.record(
    { id: text, createdAt: text, url: hostile, actions: hostile },
    { requiredKeys: ["id", "createdAt"] },
  );
  const data = fc.record({ title: hostile, body: hostile, category: hostile, eventType: hostile });
  fc.assert(
    fc.property(hostile, offset, data, tags, (channel, at, fields, all) => {
      const tagsOf = all as { id: string; createdAt: string };
      const one = publicationText({ channel, offset: at, data: fields, tags: tagsOf });
      const expected = asDecoded({
        push: { channel, pub: { offset: at, data: fields, tags: all } },
      });
      assert.deepEqual(decode(protobufCodec.encodePublication(one)), [expected]);
      // Another order of fields, which another version may write.
      const text = JSON.stringify({ tags: all, data: fields, offset: at });
      assert.deepEqual(decode(protobufCodec.encodePublication({ ...one, text })), [expected]);
    }),
    { numRuns: 500 },
  );
});

test("data of 64 KiB and more, with every character that JSON escapes, arrives as it is", () => {
  const escapes = Array.from({ length: 0x80 }, (_, code) => String.fromCharCode(code)).join("");
  const body = `${escapes}é字🔔`.repeat(600);
  const data = { title: escapes, body, category: "c", eventType: "c" };
  const tags = {
    id: "i",
    createdAt: "t",
    actions: JSON.stringify([{ label: body, url: '/"data":' }]),
  };
  const message = protobufCodec.encodePublication(
    publicationText({ channel: "a#é", offset: 7, data, tags }),
  );
  assert.ok(message.length > 2 * 65_536);
  assert.equal(protobufCodec.byteLength(message), Buffer.from(message, "latin1").length);
  assert.deepEqual(decode(message), [
    { push: { channel: "a#é", pub: { offset: 7, data: toBytes(data), tags } } },
  ]);
});

const good = encodeCommands({ id: 1, connect: { token: "t" } });
const endless = (count: number, last: number) => [...Array(count).fill(0xff), last];
/** A message behind its length. */
const framed = (...bytes: number[]) => Buffer.of(bytes.length, ...bytes);

test("one message that is not whole, or not of the protocol, makes the whole frame bad", () => {
  const bad: Record<string, Buffer> = {
    "nothing at all": Buffer.of(),
    "a length without its end": Buffer.of(0x80),
    "a length of more bytes than follow": Buffer.of(5, 8, 1),
    "a length beyond 32 bits": Buffer.of(...endless(5, 0x7f), 1),
    "a length of eleven bytes": Buffer.of(...endless(10, 0x01)),
    "a length that never ends": Buffer.alloc(65_536, 0xff),
    "half a message": good.subarray(0, good.length - 1),
    "an id of eleven bytes": framed(0x08, ...endless(10, 0x01)),
    "an id beyond 64 bits": framed(0x08, ...endless(9, 0x02)),
    "an id beyond 32 bits": framed(0x08, ...endless(5, 0x01), 0x22, 0),
    "an id that is cut": framed(0x08, 0x80),
    "an id alone": framed(0x08, 1),
    "an unknown number of eleven bytes": framed(
      ...[0x08, 1, 0x22, 0, 0x80, 1, 0x81, ...Array(9).fill(0x80), 0],
    ),
    "an unknown number beyond 64 bits": framed(
      ...[0x08, 1, 0x22, 0, 0x80, 1, ...Array(9).fill(0x80), 2],
    ),
    "a method without an id": framed(0x22, 0),
    "an unknown method": framed(0x08, 1, 0x82, 1, 0),
    "an inner length that lies": framed(0x08, 1, 0x22, 9, 0x0a, 1, 0x74),
    "an inner length beyond the message, though not the frame": Buffer.of(
      4,
      0x08,
      1,
      0x22,
      2,
      0x0a,
      0,
    ),
    "a text as a number": framed(0x08, 1, 0x22, 2, 0x08, 1),
    "a number as text": framed(0x0a, 1, 1, 0x22, 0),
    "field number 0": framed(0x08, 1, 0x22, 0, 0x00, 1),
    "a field number beyond 29 bits": framed(0x08, 1, 0x22, 0, ...endless(5, 0x7f), 1),
    "wire type 6": framed(0x08, 1, 0x22, 0, 0x86, 1),
    "wire type 7": framed(0x08, 1, 0x22, 0, 0x87, 1),
    "four bytes of eight": framed(0x08, 1, 0x22, 0, 0x81, 1, 0, 0, 0, 0),
    "two bytes of four": framed(0x08, 1, 0x22, 0, 0x85, 1, 0, 0),
    "a group that does not end": framed(0x08, 1, 0x22, 0, 0x83, 1),
    "a group that another ends": framed(0x08, 1, 0x22, 0, 0x83, 1, 0x8c, 1),
    "an end without a group": framed(0x08, 1, 0x22, 0, 0x84, 1),
    "a group for a message": framed(0x08, 1, 0x23, 0x24),
    "a negative offset": encodeCommands({ id: 1, subscribe: { channel: "a", offset: -1 } }),
    "an offset beyond 2^53": framed(0x08, 1, 0x2a, 9, 0x38, ...endless(7, 0x1f)),
    "a negative flag": encodeCommands({ id: 1, subscribe: { channel: "a", flag: -1 } }),
    "a negative type": encodeCommands({ id: 1, subscribe: { channel: "a", type: -1 } }),
    text: Buffer.from('{"id":1,"connect":{}}'),
  };
  for (const bytes of NOT_UTF8) {
    if (bytes.length > 120 || bytes.every((byte) => byte < 0x80)) continue;
    bad[`the token ${Buffer.from(bytes).toString("hex")}`] = framed(
      ...[0x08, 1, 0x22, bytes.length + 2, 0x0a, bytes.length, ...bytes],
    );
  }
  for (const [what, frame] of Object.entries(bad)) {
    assert.equal(protobufCodec.decodeFrame(frame), undefined, what);
    if (frame.length === 0) continue;
    assert.equal(protobufCodec.decodeFrame(Buffer.concat([good, frame])), undefined, what);
  }
});

test("a message is not completed by the next frame", () => {
  for (let at = 1; at < good.length; at += 1) {
    assert.equal(protobufCodec.decodeFrame(good.subarray(0, at)), undefined);
    assert.equal(protobufCodec.decodeFrame(good.subarray(at)), undefined);
  }
});

test("unknown fields of every wire type are skipped, groups of any depth as well", () => {
  const depth = 16_000;
  const unknown = [
    Buffer.of(0xa0, 1, ...endless(9, 1)),
    Buffer.of(0xa1, 1, 1, 2, 3, 4, 5, 6, 7, 8),
    Buffer.of(0xa2, 1, 3, 0xff, 0xfe, 0xfd),
    Buffer.of(0xa5, 1, 1, 2, 3, 4),
    Buffer.of(0xa3, 1, 0xaa, 1, 1, 9, 0xab, 1, 0xac, 1, 0xa4, 1),
    Buffer.concat([
      ...Array(depth).fill(Buffer.of(0xa3, 1)),
      ...Array(depth).fill(Buffer.of(0xa4, 1)),
    ]),
  ];
  const connect = Buffer.of(0x08, 1, 0x22, 0);
  for (const field of unknown) {
    for (const body of [Buffer.concat([field, connect]), Buffer.concat([connect, field])]) {
      const length = encodeLength(body.length);
      const [one] = protobufCodec.decodeFrame(Buffer.concat([length, body])) ?? [];
      assert.ok(one !== "pong" && one?.method === "connect", field.subarray(0, 12).toString("hex"));
    }
  }
});

function encodeLength(length: number): Buffer {
  const bytes: number[] = [];
  let rest = length;
  for (; rest >= 0x80; rest >>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.of(...bytes, rest);
}

test("of a field that comes twice the last counts, and messages are merged, as other readers do", () => {
  const frame = framed(
    ...[0x08, 9, 0x08, 1],
    ...[0x52, 3, 0x0a, 1, 0x61],
    ...[0x52, 6, 0x42, 4, 0x08, 1, 0x08, 7],
    ...[0x52, 5, 0x42, 3, 0x12, 1, 0x65],
  );
  assert.deepEqual(protobufCodec.decodeFrame(frame), [
    {
      id: 1,
      bytes: frame.length - 1,
      method: "history",
      request: { channel: "a", limit: 0, reverse: false, since: { offset: 7, epoch: "e" } },
    },
  ]);
});

test("data of a call that is no JSON is a list, which no call accepts; empty, it is absent", () => {
  const dataOf = (data: Uint8Array) => {
    const [one] =
      protobufCodec.decodeFrame(encodeCommands({ id: 1, rpc: { method: "m", data } })) ?? [];
    assert.ok(one !== "pong" && one?.method === "rpc");
    return one.request.data;
  };
  const notJson = NOT_JSON.map((one) => Buffer.from(one));
  for (const bytes of [...notJson, ...NOT_UTF8]) {
    assert.deepEqual(dataOf(bytes), [], bytes.subarray(0, 20).toString("hex"));
  }
  assert.equal(dataOf(Buffer.of()), undefined);
  assert.equal(dataOf(Buffer.from("null")), undefined);
});

test("no frame, however mangled, makes the decoder throw or return anything but commands", () => {
  const mangled = fc.tuple(
    commands,
    fc.array(fc.tuple(fc.nat(), fc.nat({ max: 4 }), fc.uint8Array({ maxLength: 12 })), {
      maxLength: 6,
    }),
  );
  fc.assert(
    fc.property(fc.oneof(mangled, fc.uint8Array({ maxLength: 200 })), (input) => {
      let frame: Buffer;
      if (input instanceof Uint8Array) frame = Buffer.from(input);
      else {
        frame = encodeCommands(...input[0].map(inProtobuf));
        for (const [where, cut, bytes] of input[1]) {
          const at = where % (frame.length + 1);
          frame = Buffer.concat([frame.subarray(0, at), bytes, frame.subarray(at + cut)]);
        }
      }
      for (const one of protobufCodec.decodeFrame(frame) ?? []) {
        if (one === "pong") continue;
        assert.ok(Number.isSafeInteger(one.id) && one.id >= 0 && one.id <= UINT32);
        if (one.method === "subscribe") assert.equal(typeof one.request.channel, "string");
      }
    }),
    { numRuns: 5_000 },
  );
});
