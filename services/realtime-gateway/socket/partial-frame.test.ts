import assert from "node:assert/strict";
import { test } from "node:test";
import { PartialFrame } from "./partial-frame.ts";

const CHUNK_BYTES = 256;

test("whole frames hold nothing, and what follows them in their chunk is counted", () => {
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

test("a frame that comes byte by byte is counted with what each piece costs, until it is whole", () => {
  const partial = new PartialFrame();
  for (let byte = 0; byte < 100; byte += 1) partial.add(1);
  assert.equal(partial.heldBytes, 100 + 100 * CHUNK_BYTES);
  partial.ended(95);
  partial.add(1);
  assert.equal(partial.heldBytes, 0);
});

test("frames without data, which are not told, are forgotten with the next frame", () => {
  const partial = new PartialFrame();
  for (let ping = 0; ping < 50; ping += 1) partial.add(6);
  partial.ended(2);
  partial.add(8);
  assert.ok(partial.heldBytes <= 8 + CHUNK_BYTES);
});
