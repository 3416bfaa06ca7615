import assert from "node:assert/strict";
import { test } from "node:test";
import { createSlots } from "./slots.ts";

test("a tenant alone gets half, so that a second one never waits for its hanging calls", async () => {
  const slots = createSlots(8, 8);
  assert.equal(await slots.take("hanging", 20, 0), 4);
  assert.equal(await slots.take("hanging", 1, 5), 0, "its share is used up");
  assert.equal(await slots.take("other", 20, 0), 2);
});

test("some tenants that hang at a time, each with all that it may have, leave room for one more", async () => {
  const slots = createSlots(256, 256, async () => 64);
  for (let tenant = 0; tenant < 8; tenant += 1) {
    for (let message = 0; message < 8; message += 1) await slots.take(`hanging ${tenant}`, 20, 0);
  }
  assert.equal(await slots.take("other", 1, 0), 1);
});

test("a tenant has no more in hand than its provider carries, however much is free", async () => {
  const slots = createSlots(64, 64, async (tenant) => (tenant === "smtp" ? 5 : 32));
  assert.equal(await slots.take("smtp", 20, 0), 5);
  assert.equal(await slots.take("smtp", 20, 0), 0);
  const next = slots.take("smtp", 20, 60_000);
  slots.give("smtp");
  assert.equal(await next, 1);
  assert.equal(await slots.take("http", 100, 0), 21);
});

test("whoever waits gets the first slot that its share allows", async () => {
  const slots = createSlots(2, 8);
  assert.equal(await slots.take("a", 1, 0), 1);
  const again = slots.take("a", 1, 60_000);
  const other = slots.take("b", 1, 60_000);
  assert.equal(await other, 1, "b is not behind a's queue");
  slots.give("a");
  assert.equal(await again, 1);
});

test("slots that are given back can all be taken again", async () => {
  const slots = createSlots(6, 8);
  for (let round = 0; round < 100; round += 1) {
    const taken = await slots.take("a", 3, 0);
    assert.equal(taken, 3);
    for (let n = 0; n < taken; n += 1) slots.give("a");
  }
});

test("a tenant's waiting messages are sent back before they fill the sender's hands", async () => {
  const slots = createSlots(2, 4);
  assert.equal(await slots.take("hanging", 1, 0), 1);
  const first = slots.take("hanging", 1, 2_000_000_000);
  const second = slots.take("hanging", 1, 50);
  assert.equal(await slots.take("hanging", 1, 2_000_000_000), 0, "at once: nothing comes free");
  assert.equal(await slots.take("other", 1, 0), 1);
  assert.equal(await second, 0);
  slots.give("hanging");
  assert.equal(await first, 1);
});
