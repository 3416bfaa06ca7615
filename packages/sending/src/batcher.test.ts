import assert from "node:assert/strict";
import { test } from "node:test";
import { isDataFault } from "@belfry/database/data-fault";
import { createBatcher } from "./batcher.ts";

const OPTIONS = { maxItems: 100, lingerMs: 1, maxInFlight: 1, isItemFault: isDataFault };

test("what comes in one moment is one call, and each gets its own result", async () => {
  const batches: number[][] = [];
  const batcher = createBatcher<number, number>({
    ...OPTIONS,
    run: async (items) => {
      batches.push(items);
      return items.map((item) => item * 2);
    },
  });
  assert.deepEqual(await Promise.all([1, 2, 3].map(batcher.add)), [2, 4, 6]);
  assert.deepEqual(batches, [[1, 2, 3]]);
});

test("no batch is larger than told, and no more than so many run at a time", async () => {
  let running = 0;
  let most = 0;
  const sizes: number[] = [];
  const batcher = createBatcher<number, number>({
    ...OPTIONS,
    maxItems: 10,
    maxInFlight: 2,
    run: async (items) => {
      running += 1;
      most = Math.max(most, running);
      sizes.push(items.length);
      await new Promise((resolve) => setTimeout(resolve, 2));
      running -= 1;
      return items;
    },
  });
  await Promise.all(Array.from({ length: 95 }, (_, item) => batcher.add(item)));
  assert.equal(most, 2);
  assert.ok(Math.max(...sizes) <= 10);
});

test("one bad value fails alone; a lost connection fails all", async () => {
  let code = "22021";
  const batcher = createBatcher<string, string>({
    ...OPTIONS,
    run: async (items) => {
      if (items.includes("bad")) throw Object.assign(new Error("fault"), { code });
      return items;
    },
  });
  const add = () => Promise.allSettled(["a", "bad", "b"].map(batcher.add));
  assert.deepEqual(
    (await add()).map((one) => one.status),
    ["fulfilled", "rejected", "fulfilled"],
  );
  code = "57P01";
  assert.ok((await add()).every((one) => one.status === "rejected"));
});
