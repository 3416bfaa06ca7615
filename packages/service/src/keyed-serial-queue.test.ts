import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { createKeyedSerialQueue } from "./keyed-serial-queue.ts";

test("work of one key runs one at a time, in the order of asking, and beside work of other keys", async () => {
  const queue = createKeyedSerialQueue();
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (key: string, name: string) =>
    queue.run(key, () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const all = [run("ann", "a1"), run("ann", "a2"), run("bob", "b1"), run("ann", "a3")];
  await turn();
  assert.deepEqual(begun, ["a1", "b1"]);
  for (const [ended, next] of [
    ["a1", "a2"],
    ["a2", "a3"],
  ] as const) {
    ends.get(ended)!();
    await turn();
    assert.equal(begun.at(-1), next);
  }
  ends.get("a3")!();
  ends.get("b1")!();
  await Promise.all(all);
});

test("work that fails lets the next go on", async () => {
  const queue = createKeyedSerialQueue();
  const failed = queue.run("ann", () => Promise.reject(new Error("away")));
  const next = queue.run("ann", async () => "done");
  await assert.rejects(failed, /away/);
  assert.equal(await next, "done");
});

test("a place with several keys waits for all who hold one of them, and they are waited for by all after it", async () => {
  const queue = createKeyedSerialQueue();
  const ready: string[] = [];
  const enter = (name: string, ...keys: string[]) => {
    const place = queue.enter(new Set(keys));
    place.ready.then(() => ready.push(name), assert.ifError);
    return place;
  };
  const first = enter("first", "ann");
  const second = enter("second", "bob");
  const both = enter("both", "ann", "bob");
  enter("last", "bob", "cid");
  await turn();
  assert.deepEqual(ready, ["first", "second"]);
  first.leave();
  await turn();
  assert.equal(ready.length, 2);
  second.leave();
  await turn();
  assert.deepEqual(ready.slice(2), ["both"]);
  both.leave();
  await turn();
  assert.deepEqual(ready.slice(3), ["last"]);
});
