import assert from "node:assert/strict";
import { test } from "node:test";
import { createTenantStates } from "./tenant-states.ts";

test("an answer from before a change of the configuration is not cached", async () => {
  let active = new Set(["acme"]);
  let answer: (() => void) | undefined;
  const states = createTenantStates(async () => {
    const read = new Set(active);
    if (answer === undefined) await new Promise<void>((resolve) => (answer = resolve));
    return read;
  });
  const early = states.isActive("acme");
  active = new Set();
  assert.deepEqual(await states.refresh(new Set(["acme"])), new Set(["acme"]));
  answer?.();
  assert.equal(await early, false);
  assert.equal(states.isKnownActive("acme"), false);
});

test("a change drops the cached state of a tenant without connections, which is then read again", async () => {
  let active = new Set(["acme", "globex"]);
  const states = createTenantStates(async () => active);
  assert.equal(await states.isActive("acme"), true);
  assert.equal(states.isKnownActive("acme"), true);
  active = new Set(["globex"]);
  assert.deepEqual(await states.refresh(new Set(["globex"])), new Set());
  assert.equal(states.isKnownActive("acme"), false);
  assert.equal(await states.isActive("acme"), false);
});
