import assert from "node:assert/strict";
import { test } from "node:test";
import { createDeadlines } from "./accept.ts";

const WITHIN_MS = 20;

/** Deadlines, and what they have reported; `late` resolves with the next item. */
function setUp() {
  const told: { item: string; at: number }[] = [];
  let next: (() => void) | undefined;
  const onLate = (item: string) => {
    told.push({ item, at: performance.now() });
    next?.();
  };
  const deadlines = createDeadlines(WITHIN_MS, onLate, () => performance.now());
  const toldOf = async (count: number) => {
    while (told.length < count) {
      await new Promise<void>((resolve) => {
        next = resolve;
      });
    }
    return told.map(({ item }) => item);
  };
  return { deadlines, told, toldOf };
}

test("items that are not deleted in time are reported, the oldest first and none too early", async () => {
  const { deadlines, told, toldOf } = setUp();
  const start = performance.now();
  for (const item of ["first", "deleted", "last"]) deadlines.add(item);
  deadlines.delete("deleted");
  assert.deepEqual(await toldOf(2), ["first", "last"]);
  for (const { at } of told) assert.ok(at - start >= WITHIN_MS);
});

test("an item that arrives while others wait has the whole time", async () => {
  const { deadlines, told, toldOf } = setUp();
  let addedAt = 0;
  deadlines.add("first");
  setTimeout(() => {
    addedAt = performance.now();
    deadlines.add("second");
  }, WITHIN_MS / 2);
  assert.deepEqual(await toldOf(2), ["first", "second"]);
  assert.ok(told[1]!.at - addedAt >= WITHIN_MS);
});

test("the timer starts again after a time without items", async () => {
  const { deadlines, toldOf } = setUp();
  deadlines.add("deleted");
  deadlines.delete("deleted");
  deadlines.add("first");
  assert.deepEqual(await toldOf(1), ["first"]);
  deadlines.add("second");
  assert.deepEqual(await toldOf(2), ["first", "second"]);
});
