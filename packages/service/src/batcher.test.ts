import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type BatcherOptions, createAskedBatcher, createBatcher } from "./batcher.ts";

/** Waits several turns of the event loop, because work that ended in one turn may begin another call in the next. */
async function turns(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

function calls(options: Partial<BatcherOptions<string>> = {}) {
  const made: { batch: string[]; end(): void }[] = [];
  const batcher = createBatcher<string>({
    run: (batch) => new Promise((resolve) => made.push({ batch, end: resolve })),
    bytesOf: (item) => item.length,
    maxItems: 3,
    maxBytes: 10,
    maxInFlight: 2,
    ...options,
  });
  const add = (...items: string[]) => {
    for (const item of items) batcher.add(item);
  };
  return { batcher, add, made, batches: () => made.map(({ batch }) => batch) };
}

test("what comes in one turn travels together, up to so many items and bytes, and one at least", async () => {
  const { add, made, batches } = calls({ maxInFlight: 9 });
  add("a", "b", "c", "d", "much longer than ten", "123456", "1234", "5");
  await turns();
  assert.deepEqual(batches(), [
    ["a", "b", "c"],
    ["d"],
    ["much longer than ten"],
    ["123456", "1234"],
    ["5"],
  ]);
  for (const { end } of made) end();
});

test("what belongs together comes in one call, unless one cannot hold it", async () => {
  const belongTogether = (one: string, next: string) => one[0] === next[0];
  const { add, made, batches } = calls({ maxInFlight: 9, belongTogether });
  add("a1", "a2", "b1", "b2", "c", "d1", "d2", "d3", "d4", "e");
  await turns();
  assert.deepEqual(batches(), [
    ["a1", "a2"],
    ["b1", "b2", "c"],
    ["d1", "d2", "d3"],
    ["d4", "e"],
  ]);
  for (const { end } of made) end();
});

test("no more calls at a time than allowed: the rest waits and shares the next", async () => {
  const { add, made, batches, batcher } = calls();
  add("1", "2", "3", "4", "5", "6", "7", "8");
  await turns();
  assert.equal(made.length, 2);
  made[0]?.end();
  await turns();
  assert.deepEqual(batches()[2], ["7", "8"]);
  let isIdle = false;
  const idle = batcher.idle().then(() => {
    isIdle = true;
  });
  made[1]?.end();
  await turns();
  assert.equal(isIdle, false);
  made[2]?.end();
  await idle;
});

test("with a patience a second call waits for a full batch, or for a slow first call", async (t) => {
  const timers = t.mock.method(globalThis, "setTimeout");
  const { add, made, batches } = calls({ slowMs: 3_600_000 });
  add("1");
  await turns();
  add("2", "3");
  await turns();
  assert.deepEqual(batches(), [["1"]]);
  add("4");
  await turns();
  assert.deepEqual(batches(), [["1"], ["2", "3", "4"]]);
  made[1]?.end();
  await turns();
  add("5");
  await turns();
  assert.equal(made.length, 2);
  // The first becomes slow.
  const [slow] = timers.mock.calls.filter(({ arguments: [, ms] }) => ms === 3_600_000);
  (slow!.arguments[0] as () => void)();
  await turns();
  assert.deepEqual(batches()[2], ["5"]);
  for (const { end } of made) end();
});

const isItemFault = (error: unknown) => (error as { code?: string }).code === "22021";
const ASKED = { maxItems: 100, lingerMs: 1, maxInFlight: 1, isItemFault };

test("what comes in one moment is one call, and each gets its own result", async () => {
  const batches: number[][] = [];
  const ask = createAskedBatcher<number, number>({
    ...ASKED,
    run: async (items) => {
      batches.push(items);
      return items.map((item) => item * 2);
    },
  });
  assert.deepEqual(await Promise.all([1, 2, 3].map(ask)), [2, 4, 6]);
  assert.deepEqual(batches, [[1, 2, 3]]);
});

test("no batch is larger than told, and no more than so many run at a time", async () => {
  let running = 0;
  let most = 0;
  const sizes: number[] = [];
  const ask = createAskedBatcher<number, number>({
    ...ASKED,
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
  await Promise.all(Array.from({ length: 95 }, (_, item) => ask(item)));
  assert.equal(most, 2);
  assert.ok(Math.max(...sizes) <= 10);
});

test("one bad value fails alone; a lost connection fails all", async () => {
  let code = "22021";
  const ask = createAskedBatcher<string, string>({
    ...ASKED,
    run: async (items) => {
      if (items.includes("bad")) throw Object.assign(new Error("fault"), { code });
      return items;
    },
  });
  const add = () => Promise.allSettled(["a", "bad", "b"].map(ask));
  assert.deepEqual(
    (await add()).map((one) => one.status),
    ["fulfilled", "rejected", "fulfilled"],
  );
  code = "57P01";
  assert.ok((await add()).every((one) => one.status === "rejected"));
});
