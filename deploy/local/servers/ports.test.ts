import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";
import { listen } from "@belfry/testing/listen";
import { isFree, portFaults, portLike } from "./ports.ts";

test("a taken port is named with the variable that moves it, and a free one is no fault", async (t) => {
  const port = await listen(t, createServer());
  const [free, other] = [await portLike(undefined, 0), await portLike(undefined, 0)];
  const faults = await portFaults({
    INGEST_API_PORT: free,
    REALTIME_GATEWAY_PORT: port,
    ADMIN_PORT: await portLike(undefined, 0),
    DEMO_PORT: other,
  });
  assert.equal(faults.length, 1);
  assert.match(faults[0]!, new RegExp(`port ${port} is taken.*REALTIME_GATEWAY_PORT`));
});

test("two variables with one port are told apart", async () => {
  const port = await portLike(undefined, 0);
  const faults = await portFaults({
    INGEST_API_PORT: port,
    REALTIME_GATEWAY_PORT: await portLike(undefined, 0),
    ADMIN_PORT: await portLike(undefined, 0),
    DEMO_PORT: port,
  });
  assert.deepEqual(faults, [
    `DEMO_PORT and INGEST_API_PORT are both ${port}: give each a port of its own`,
  ]);
});

test("a remembered port is used again while it is free, and another one when it is not", async (t) => {
  const free = await portLike(undefined, 0);
  assert.equal(await portLike(free, 0), free);
  const taken = await listen(t, createServer());
  const instead = await portLike(taken, 0);
  assert.notEqual(instead, taken);
  assert.equal(await isFree(instead), true);
});
