import assert from "node:assert/strict";
import { test } from "node:test";
import { assertEach } from "@belfry/testing/assert-each";
import { createVersionedCache } from "./versioned-cache.ts";

/** Answers reads when told to. */
function source() {
  const calls: { keys: readonly string[]; answer(values: object): void; fail(): void }[] = [];
  const read = (keys: readonly string[]) =>
    new Promise<ReadonlyMap<string, string>>((resolve, reject) => {
      calls.push({
        keys,
        answer: (values) => resolve(new Map(Object.entries(values))),
        fail: () => reject(new Error("no answer")),
      });
    });
  return { calls, cache: createVersionedCache<string>({ max: 100, read }) };
}

test("keys are read together, each once at a time, and what does not exist is remembered too", async () => {
  const { calls, cache } = source();
  const first = cache.getAll(["a", "b"]);
  const second = cache.getAll(["b", "c"]);
  assertEach(calls, ({ keys }) => keys, [["a", "b"], ["c"]]);
  calls[0]?.answer({ a: "1" });
  calls[1]?.answer({ c: "3" });
  assert.deepEqual([...(await first)], [["a", "1"]]);
  assert.deepEqual([...(await second)], [["c", "3"]]);
  assert.equal(await cache.get("b"), undefined);
  assert.deepEqual(cache.peek("b"), { value: undefined });
  assert.equal(calls.length, 2);
});

test("what was read before a change is not remembered, and serves only who asked before it", async () => {
  const { calls, cache } = source();
  const before = cache.get("a");
  cache.clear();
  const after = cache.get("a");
  calls[1]?.answer({ a: "new" });
  assert.equal(await after, "new");
  calls[0]?.answer({ a: "old" });
  assert.equal(await before, "old");
  assert.equal(await cache.get("a"), "new");
});

test("a read that fails fails all who wait for it, and is made again for the next", async () => {
  const { calls, cache } = source();
  const waiting = [cache.get("a"), cache.getAll(["a", "b"])];
  calls[0]?.fail();
  calls[1]?.answer({});
  for (const one of waiting) await assert.rejects(one, /no answer/);
  const again = cache.get("a");
  calls[2]?.answer({ a: "1" });
  assert.equal(await again, "1");
});
