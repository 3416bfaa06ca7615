import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type BatcherOptions, createBatcher } from "./batcher.ts";

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
  await nextTurn();
  assert.deepEqual(batches(), [["a", "b", "c"], ["d"], ["much longer than ten"], ["123456", "1234"], ["5"]]);
  for (const { end } of made) end();
});

test("no more calls at a time than allowed: the rest waits and shares the next", async () => {
  const { add, made, batches, batcher } = calls();
  add("1", "2", "3", "4", "5", "6", "7", "8");
  await nextTurn();
  assert.equal(made.length, 2);
  made[0]?.end();
  await nextTurn();
  assert.deepEqual(batches()[2], ["7", "8"]);
  let isIdle = false;
  const idle = batcher.idle().then(() => {
    isIdle = true;
  });
  made[1]?.end();
  await nextTurn();
  assert.equal(isIdle, false);
  made[2]?.end();
  await idle;
});

test("with a patience a second call waits for a full batch, or for a slow first call", async (t) => {
  const timers = t.mock.method(globalThis, "setTimeout");
  const { add, made, batches } = calls({ slowMs: 3_600_000 });
  add("1");
  await nextTurn();
  add("2", "3");
  await nextTurn();
  assert.deepEqual(batches(), [["1"]]);
  add("4");
  await nextTurn();
  assert.deepEqual(batches(), [["1"], ["2", "3", "4"]]);
  made[1]?.end();
  await nextTurn();
  add("5");
  await nextTurn();
  assert.equal(made.length, 2);
  // The first becomes slow.
  const [slow] = timers.mock.calls.filter(({ arguments: [, ms] }) => ms === 3_600_000);
  (slow!.arguments[0] as () => void)();
  await nextTurn();
  assert.deepEqual(batches()[2], ["5"]);
  for (const { end } of made) end();
});
