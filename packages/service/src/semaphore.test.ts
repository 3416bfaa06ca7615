import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { createFairSemaphore, createSemaphore } from "./semaphore.ts";

test("the longest waiter gets a released unit, and one who waited too long has left the queue", async () => {
  const semaphore = createSemaphore(2);
  assert.deepEqual(await Promise.all([semaphore.acquire(0), semaphore.acquire(0)]), [true, true]);
  assert.equal(await semaphore.acquire(1), false);
  const order: string[] = [];
  const first = semaphore.acquire(60_000).then(() => order.push("first"));
  const second = semaphore.run(async () => order.push("second"));
  semaphore.release();
  semaphore.release();
  await Promise.all([first, second]);
  assert.deepEqual(order, ["first", "second"]);
  semaphore.release();
  assert.equal(semaphore.used, 0);
});

test("units that are released can all be taken again, also those of work that failed", async () => {
  const semaphore = createSemaphore(3);
  for (let round = 0; round < 50; round += 1) {
    const failing = semaphore.run(() => Promise.reject(new Error("away")), 3);
    const taken = [semaphore.acquire(60_000), semaphore.acquire(60_000), semaphore.acquire(60_000)];
    await assert.rejects(failing, /away/);
    assert.deepEqual(await Promise.all(taken), [true, true, true]);
    assert.equal(await semaphore.acquire(0), false);
    for (const _ of taken) semaphore.release();
  }
});

test("work with fewer units does not overtake work that waits for more", async () => {
  const semaphore = createSemaphore(10);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const all = [6, 8, 2].map((units) =>
    semaphore.run(() => {
      begun.push(units);
      return new Promise<void>((resolve) => ends.push(resolve));
    }, units),
  );
  await turn();
  assert.deepEqual(begun, [6]);
  ends[0]!();
  await turn();
  assert.deepEqual(begun, [6, 8, 2]);
  for (const end of ends) end();
  await Promise.all(all);
});

test("what fits may change: a narrower bound holds for those who ask next, a wider one lets waiters begin", async () => {
  let most = 3;
  const semaphore = createSemaphore((units, used) => used + units <= most);
  await Promise.all([semaphore.acquire(0), semaphore.acquire(0)]);
  most = 1;
  semaphore.release();
  assert.equal(await semaphore.acquire(0), false, "one unit is still in use");
  semaphore.release();
  assert.equal(await semaphore.acquire(0), true);
  const waiting = [semaphore.acquire(60_000), semaphore.acquire(60_000)];
  most = 3;
  semaphore.resume();
  assert.deepEqual(await Promise.all(waiting), [true, true]);
});

test("a tenant alone gets half, so that a second one never waits for its hanging calls", async () => {
  const slots = createFairSemaphore(8, 8);
  assert.equal(await slots.acquire("hanging", 20, 0), 4);
  assert.equal(await slots.acquire("hanging", 1, 5), 0, "its share is used up");
  assert.equal(await slots.acquire("other", 20, 0), 2);
});

test("some tenants that hang at a time, each with all that it may have, leave room for one more", async () => {
  const slots = createFairSemaphore(256, 256, async () => 64);
  for (let tenant = 0; tenant < 8; tenant += 1) {
    for (let message = 0; message < 8; message += 1)
      await slots.acquire(`hanging ${tenant}`, 20, 0);
  }
  assert.equal(await slots.acquire("other", 1, 0), 1);
});

test("a tenant has no more in hand than its provider carries, however much is free", async () => {
  const slots = createFairSemaphore(64, 64, async (tenant) => (tenant === "smtp" ? 5 : 32));
  assert.equal(await slots.acquire("smtp", 20, 0), 5);
  assert.equal(await slots.acquire("smtp", 20, 0), 0);
  const next = slots.acquire("smtp", 20, 60_000);
  slots.release("smtp");
  assert.equal(await next, 1);
  assert.equal(await slots.acquire("http", 100, 0), 21);
});

test("whoever waits gets the first slot that its share allows", async () => {
  const slots = createFairSemaphore(2, 8);
  assert.equal(await slots.acquire("a", 1, 0), 1);
  const again = slots.acquire("a", 1, 60_000);
  const other = slots.acquire("b", 1, 60_000);
  assert.equal(await other, 1, "b is not behind a's queue");
  slots.release("a");
  assert.equal(await again, 1);
});

test("slots that are given back can all be taken again", async () => {
  const slots = createFairSemaphore(6, 8);
  for (let round = 0; round < 100; round += 1) {
    const taken = await slots.acquire("a", 3, 0);
    assert.equal(taken, 3);
    for (let n = 0; n < taken; n += 1) slots.release("a");
  }
});

test("a tenant's waiting messages are sent back before they fill the sender's hands", async () => {
  const slots = createFairSemaphore(2, 4);
  assert.equal(await slots.acquire("hanging", 1, 0), 1);
  const first = slots.acquire("hanging", 1, 2_000_000_000);
  const second = slots.acquire("hanging", 1, 50);
  assert.equal(await slots.acquire("hanging", 1, 2_000_000_000), 0, "at once: nothing comes free");
  assert.equal(await slots.acquire("other", 1, 0), 1);
  assert.equal(await second, 0);
  slots.release("hanging");
  assert.equal(await first, 1);
});

test("a tenant gets the bytes of a body whole or not at all, and its first body also beyond its share", async () => {
  const room = createFairSemaphore(32, 8);
  const whole = (tenant: string, bytes: number, waitMs = 0) =>
    room.acquire(tenant, bytes, waitMs, bytes);
  assert.equal(await whole("a", 10), 10);
  assert.equal(await whole("a", 7), 0, "half is for others");
  assert.equal(await whole("a", 6), 6);
  assert.equal(room.used, 16);
  assert.equal(await whole("b", 16), 16, "its first");
  const next = whole("b", 4, 60_000);
  const third = whole("c", 8, 60_000);
  room.release("a", 10);
  assert.equal(await third, 8, "b has its share already");
  room.release("b", 16);
  assert.equal(await next, 4);
  assert.equal(room.used, 18);
});
