import assert from "node:assert/strict";
import { test } from "node:test";
import { publicationText } from "@belfry/contracts/realtime-message";
import { type Codec, SharedPush } from "./codec.ts";
import { jsonCodec } from "./json-codec.ts";
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
