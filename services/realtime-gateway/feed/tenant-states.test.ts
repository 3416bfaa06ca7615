import assert from "node:assert/strict";
import { test } from "node:test";
import { createTenantStates } from "./tenant-states.ts";

test("an answer from before a change of the configuration is not kept", async () => {
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
  assert.equal(states.isKnownInactive("acme"), true);
});

test("a tenant that was only asked for is looked at again too", async () => {
  let asked: readonly string[] = [];
  const states = createTenantStates(async (ids) => {
    asked = ids;
    return new Set(ids);
  });
  await states.isActive("acme");
  await states.refresh(new Set(["globex"]));
  assert.deepEqual([...asked].sort(), ["acme", "globex"]);
});
