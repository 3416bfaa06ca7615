import assert from "node:assert/strict";
import { test } from "node:test";
import { createHandClock } from "@belfry/testing/hand-clock";
import { createEndpointSlots } from "./endpoint-slots.ts";

/** Slots of which an endpoint has `most`, and who got one or was sent away, in order. */
function slotsOf(most: number) {
  const clock = createHandClock();
  const slots = createEndpointSlots(most, { waitMs: 250, clock });
  const told: string[] = [];
  const take = (who: string, webhookId = "a") =>
    slots.take(webhookId).then((got) => void told.push(`${who} ${got ? "got one" : "left"}`));
  return { clock, slots, told, take };
}

const settled = () => new Promise((next) => setImmediate(next));

test("an endpoint has so many calls and no more, whatever others have", async () => {
  const { slots, told, take } = slotsOf(2);
  await Promise.all([take("1"), take("2")]);
  const third = take("3");
  await Promise.all([take("4", "b"), take("5", "b")]);
  assert.deepEqual(told, ["1 got one", "2 got one", "4 got one", "5 got one"]);
  slots.give("b");
  await settled();
  assert.equal(told.length, 4, "another's slot is not its own");
  slots.give("a");
  await third;
  assert.equal(told.at(-1), "3 got one");
});

test("a slot that comes free goes to who waits longest, and nobody overtakes", async () => {
  const { slots, told, take } = slotsOf(1);
  await take("1");
  const waiting = [take("2"), take("3"), take("4")];
  for (const _ of waiting) {
    slots.give("a");
    await settled();
  }
  const late = take("5");
  await settled();
  assert.deepEqual(
    told,
    ["1", "2", "3", "4"].map((who) => `${who} got one`),
  );
  slots.give("a");
  await late;
});

test("who has waited in vain is sent away; from then on nobody waits until a call has ended", async () => {
  const { clock, slots, told, take } = slotsOf(1);
  await take("1");
  const second = take("2");
  clock.advance(100);
  const third = take("3");
  clock.advance(149);
  await settled();
  assert.deepEqual(told, ["1 got one"]);
  assert.deepEqual(slots.full(), []);
  clock.advance(1);
  await second;
  assert.deepEqual(slots.full(), ["a"]);
  await take("4");
  assert.deepEqual(told.slice(1), ["2 left", "4 left"]);
  assert.equal(await slots.take("b"), true);
  assert.deepEqual(slots.full(), ["a"]);

  slots.give("a");
  await third;
  assert.equal(told.at(-1), "3 got one");
  assert.deepEqual(slots.full(), []);
  clock.advance(1_000);
  await settled();
  assert.deepEqual(slots.full(), [], "who was served waits no more");
});

test("slots that are given back can all be taken again, by nobody twice", async () => {
  const { clock, slots } = slotsOf(3);
  for (let round = 0; round < 100; round += 1) {
    const taken = await Promise.all([slots.take("a"), slots.take("a"), slots.take("a")]);
    assert.deepEqual(taken, [true, true, true]);
    const fourth = slots.take("a");
    clock.advance(250);
    assert.equal(await fourth, false);
    for (const _ of taken) slots.give("a");
  }
  // More than were taken are no one's.
  slots.give("a");
  const four = Array.from({ length: 4 }, () => slots.take("a"));
  clock.advance(250);
  assert.deepEqual(await Promise.all(four), [true, true, true, false]);
});
