import assert from "node:assert/strict";
import { test } from "node:test";
import { assertEach } from "@belfry/testing/assert-each";
import type { ChannelRead, ChannelState } from "./realtime-history.ts";
import { createHistoryReader } from "./realtime-history.ts";

const read = (name: string, limit = 0): ChannelRead => ({
  tenantId: "acme",
  userId: "1",
  name,
  after: 0,
  limit,
  partial: false,
});

test("many simultaneous reads become few statements, two at a time, each answer to its caller", async () => {
  const sizes: number[] = [];
  let inFlight = 0;
  const reader = createHistoryReader(async (reads) => {
    sizes.push(reads.length);
    inFlight += 1;
    assert.ok(inFlight <= 2);
    await new Promise((resolve) => setTimeout(resolve, 1));
    inFlight -= 1;
    return reads.map((one): ChannelState => ({ epoch: one.name, top: 0, publications: [] }));
  });
  const names = Array.from({ length: 1700 }, (_, index) => String(index));
  const states = await Promise.all(names.map((name) => reader.read(read(name))));
  assertEach(states, (state) => state.epoch, names);
  assert.deepEqual(sizes, [500, 500, 500, 200]);
});

test("reads of many publications share a statement up to a limit in bytes, and a single one is always read", async () => {
  const sizes: number[] = [];
  const reader = createHistoryReader(async (reads) => {
    sizes.push(reads.length);
    return reads.map((): ChannelState => ({ epoch: "e", top: 0, publications: [] }));
  });
  const limits = [300, 300, 1, 1000, 1];
  await Promise.all(limits.map((limit) => reader.read(read("a", limit))));
  assert.deepEqual(sizes, [1, 2, 1, 1]);
});

test("a failed statement fails only its own reads", async () => {
  let calls = 0;
  const reader = createHistoryReader(async () => {
    calls += 1;
    if (calls === 1) throw new Error("away");
    return [{ epoch: "e", top: 1, publications: [] }];
  });
  await assert.rejects(reader.read(read("a")), /away/);
  assert.equal((await reader.read(read("a"))).top, 1);
});
