import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";
import { listen } from "@belfry/testing/listen";
import { isFree, portLike } from "./ports.ts";

test("a remembered port is used again while it is free, and another one when it is not", async (t) => {
  const free = await portLike(undefined, 0);
  assert.equal(await portLike(free, 0), free);
  const taken = await listen(t, createServer());
  const instead = await portLike(taken, 0);
  assert.notEqual(instead, taken);
  assert.equal(await isFree(instead), true);
});
