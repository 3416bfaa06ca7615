import assert from "node:assert/strict";
import { test } from "node:test";
import { register } from "prom-client";
import { gauge, secondsSinceId } from "./metrics.ts";

test("an event's id says when it was accepted; another kind of id says nothing", () => {
  // 2026-01-01T00:00:00Z in milliseconds is 0x019b76da a800.
  const id = "019b76da-a800-7000-8000-000000000000";
  const madeAtMs = Date.parse("2026-01-01T00:00:00Z");
  assert.equal(secondsSinceId(id, madeAtMs + 1500), 1.5);
  assert.equal(secondsSinceId(id, madeAtMs - 1500), 0);
  assert.equal(secondsSinceId("3b9d8c56-1a2b-4c3d-8e4f-000000000000", madeAtMs), undefined);
  assert.equal(secondsSinceId("", madeAtMs), undefined);
});

test("a value that cannot be read is missing, and the others are there", async () => {
  let works = true;
  gauge("test_value", "read from somewhere", ["where"], (it) => {
    if (!works) throw new Error("away");
    it.set({ where: "here" }, 3);
  });
  gauge("test_bare", "without labels", [], (it) => {
    if (!works) throw new Error("away");
    it.set(4);
  });
  gauge("test_other", "always there", [], (it) => it.set(1));
  assert.match(await register.metrics(), /test_value\{where="here"\} 3/);
  assert.match(await register.metrics(), /^test_bare 4$/m);
  works = false;
  const text = await register.metrics();
  assert.doesNotMatch(text, /test_value\{/);
  assert.doesNotMatch(text, /^test_bare /m);
  assert.match(text, /test_other 1/);
});
