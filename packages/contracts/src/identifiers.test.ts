import assert from "node:assert/strict";
import { test } from "node:test";
import { secondsSinceId } from "./identifiers.ts";

test("an event's id says when it was accepted; another kind of id says nothing", () => {
  // 2026-01-01T00:00:00Z in milliseconds is 0x019b76da a800.
  const id = "019b76da-a800-7000-8000-000000000000";
  const madeAtMs = Date.parse("2026-01-01T00:00:00Z");
  assert.equal(secondsSinceId(id, madeAtMs + 1500), 1.5);
  assert.equal(secondsSinceId(id, madeAtMs - 1500), 0);
  assert.equal(secondsSinceId("3b9d8c56-1a2b-4c3d-8e4f-000000000000", madeAtMs), undefined);
  assert.equal(secondsSinceId("", madeAtMs), undefined);
});
