import assert from "node:assert/strict";
import { test } from "node:test";
import { createHandClock } from "@belfry/testing/hand-clock";
import { createEndpointSlots } from "./endpoint-slots.ts";

const IN_TIME = { timedOut: false };
const TIMED_OUT = { timedOut: true };

/** Slots of which an endpoint has `most`, and who got one or was sent away, in order. */
function slotsOf(most: number, mostInDoubt = 100) {
  const clock = createHandClock();
  const slots = createEndpointSlots({ most, mostInDoubt, waitMs: 250, clock });
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
  slots.give("b", IN_TIME);
  await settled();
  assert.equal(told.length, 4, "another's slot is not its own");
  slots.give("a", IN_TIME);
  await third;
  assert.equal(told.at(-1), "3 got one");
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

  slots.give("a", IN_TIME);
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
    for (const _ of taken) slots.give("a", IN_TIME);
  }
  // More than were taken are no one's.
  slots.give("a", IN_TIME);
  const four = Array.from({ length: 4 }, () => slots.take("a"));
  clock.advance(250);
  assert.deepEqual(await Promise.all(four), [true, true, true, false]);
});

/** How many of the endpoint's calls find a slot at once: they are kept. */
async function takeAll({ clock, slots }: ReturnType<typeof slotsOf>, webhookId: string) {
  const taken = Array.from({ length: 20 }, () => slots.take(webhookId));
  clock.advance(250);
  return (await Promise.all(taken)).filter((got) => got).length;
}

test("an endpoint begins with four calls, earns one more by each that ends in time, and falls to one by a timeout", async () => {
  const under = slotsOf(16);
  const { slots } = under;
  assert.equal(await takeAll(under, "a"), 4);
  for (let call = 0; call < 4; call += 1) slots.give("a", IN_TIME);
  assert.equal(await takeAll(under, "a"), 8);
  for (let call = 0; call < 8; call += 1) slots.give("a", IN_TIME);
  assert.equal(await takeAll(under, "a"), 16);
  for (let call = 0; call < 15; call += 1) slots.give("a", TIMED_OUT);
  assert.equal(await takeAll(under, "a"), 0, "the last one is still in hand");
  slots.give("a", TIMED_OUT);
  assert.equal(await takeAll(under, "a"), 1);
  slots.give("a", IN_TIME);
  assert.equal(await takeAll(under, "a"), 2);
});

test("endpoints that hang have their share together, and those that answer find their slots beside it", async () => {
  const under = slotsOf(16, 8);
  const { slots } = under;
  assert.equal(await slots.take("answers"), true);
  slots.give("answers", IN_TIME);
  const hanging = Array.from({ length: 20 }, (_, at) => `hangs ${at}`);
  const takenBy = async () => {
    let taken = 0;
    for (const webhookId of hanging) taken += await takeAll(under, webhookId);
    return taken;
  };
  assert.equal(await takenBy(), 8);
  assert.equal(await takeAll(under, "new"), 0);
  assert.equal(await takeAll(under, "answers"), 5);
  for (const webhookId of hanging)
    for (let call = 0; call < 4; call += 1) slots.give(webhookId, TIMED_OUT);
  assert.equal(await takenBy(), 8, "one each of the two that have hung, and others'");
});
