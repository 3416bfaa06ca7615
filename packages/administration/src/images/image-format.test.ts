import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import { MAX_IMAGE_SIDE } from "@belfry/contracts/images";
import * as SAMPLES from "../../test/image-samples.ts";
import { readImage } from "./image-format.ts";

const { PNG, JPEG, GIF, WEBP, WEBP_LOSSLESS, WEBP_CANVAS } = SAMPLES;

const FOUND: Record<keyof typeof SAMPLES, object> = {
  PNG: { type: "image/png", width: 3, height: 2 },
  JPEG: { type: "image/jpeg", width: 3, height: 2 },
  GIF: { type: "image/gif", width: 1, height: 1 },
  WEBP: { type: "image/webp", width: 3, height: 2 },
  WEBP_LOSSLESS: { type: "image/webp", width: 3, height: 2 },
  WEBP_CANVAS: { type: "image/webp", width: 3, height: 2 },
  WEBP_ANIMATED: { type: "image/webp", width: 3, height: 2 },
};

test("type and size of a picture are read from its bytes", () => {
  const found = Object.entries(SAMPLES).map(([name, data]) => [name, readImage(data)]);
  assert.deepEqual(Object.fromEntries(found), FOUND);
});

test("a picture that is cut off anywhere, or has a byte behind its end, is none", () => {
  for (const [name, data] of Object.entries(SAMPLES)) {
    for (let length = 0; length < data.length; length += 1) {
      assert.match(String(readImage(data.subarray(0, length))), /^is (no|a damaged)/, name);
    }
    for (const more of ["\0", "<script>alert(1)</script>", "PK\x03\x04"]) {
      const polyglot = Buffer.concat([data, Buffer.from(more, "latin1")]);
      assert.match(String(readImage(polyglot)), /^is a damaged/, name);
    }
  }
});

test("what only calls itself a picture is none", () => {
  for (const text of [
    "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
    "<!doctype html><script>alert(1)</script>",
    "%PDF-1.7",
    "BM\x3a\0\0\0\0\0\0\0",
    "GIF89a/*<svg/onload=alert(1)>*/=1;",
    "\x89PNG\r\n\x1a\n<html>",
    "\xff\xd8\xff\xfe\x00\x08/*<h1>",
    "RIFF\x10\0\0\0WEBP<html></html>",
    "",
  ]) {
    assert.match(String(readImage(Buffer.from(text, "latin1"))), /^is (no|a damaged)/, text);
  }
});

/** With other bytes at an offset. */
function changed(data: Buffer, at: number, bytes: readonly number[]): Buffer {
  const copy = Buffer.from(data);
  copy.set(bytes, at);
  return copy;
}

test("a size of 100 megapixels is refused before anybody unpacks it", () => {
  const png = changed(PNG, 16, [0, 0, 0x27, 0x10, 0, 0, 0x27, 0x10]);
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29);
  const frame = JPEG.indexOf(Buffer.from([0xff, 0xc0]));
  const [lossy, lossless] = [WEBP.indexOf("\x9d\x01\x2a", 0, "latin1"), 21];
  for (const data of [
    png,
    changed(JPEG, frame + 5, [0x27, 0x10, 0x27, 0x10]),
    changed(GIF, 6, [0x10, 0x27, 0x10, 0x27]),
    changed(WEBP, lossy + 3, [0x10, 0x27, 0x10, 0x27]),
    changed(WEBP_LOSSLESS, lossless, [0x0f, 0xe7, 0xc3, 0x09]),
  ]) {
    assert.equal(readImage(data), `is 10000 × 10000 pixels: at most ${MAX_IMAGE_SIDE} a side`);
  }
  for (const data of [
    changed(PNG, 16, [0, 0, 0, 0]),
    changed(JPEG, frame + 5, [0, 0]),
    changed(GIF, 6, [0, 0]),
    changed(WEBP_CANVAS, 24, [0xff, 0x0f, 0]),
  ]) {
    assert.match(String(readImage(data)), /^is a damaged/, "no size, or another than its pixels");
  }
});
