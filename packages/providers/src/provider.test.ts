import assert from "node:assert/strict";
import test from "node:test";
import type { SmsMessage } from "@belfry/contracts/sending";
import { Type } from "@sinclair/typebox";
import { SMS, testDeps } from "../test/messages.ts";
import { createTurns, defineProvider } from "./provider.ts";
import { outcome } from "./send-outcome.ts";

test("a library that cannot be loaded costs no attempt, and is loaded again for the next message", async () => {
  let loads = 0;
  const kind = defineProvider<SmsMessage, ReturnType<typeof Type.Object>>({
    kind: "late",
    content: "text",
    title: "Late",
    settings: Type.Object({}),
    async create() {
      loads += 1;
      if (loads === 1) throw new Error("EMFILE");
      return { send: async () => outcome("accepted", "there"), close: async () => {} };
    },
  });
  const provider = kind.create({}, testDeps());
  const missed = await provider.send(SMS);
  assert.deepEqual(
    [missed.class, missed.notBegun, missed.reason],
    ["transient", true, "the vendor's library could not be loaded"],
  );
  assert.equal((await provider.send(SMS)).class, "accepted");
  assert.equal((await provider.send(SMS)).class, "accepted");
  assert.equal(loads, 2);
  await provider.close();
});

test("whoever waits longest has the next turn, and who waited too long has left the line", async () => {
  const turns = createTurns(2);
  assert.deepEqual(await Promise.all([turns.take(0), turns.take(0)]), [true, true]);
  assert.equal(await turns.take(1), false);
  const order: string[] = [];
  const first = turns.take(60_000).then(() => order.push("first"));
  const second = turns.take(60_000).then(() => order.push("second"));
  turns.give();
  turns.give();
  await Promise.all([first, second]);
  assert.deepEqual(order, ["first", "second"]);
});

test("turns that are given back can all be taken again", async () => {
  const turns = createTurns(3);
  for (let round = 0; round < 50; round += 1) {
    const taken = await Promise.all([turns.take(0), turns.take(0), turns.take(0)]);
    assert.deepEqual(taken, [true, true, true]);
    assert.equal(await turns.take(0), false);
    for (const _ of taken) turns.give();
  }
});

test("a limit holds for the next turns, and a wider one serves the line at once", async () => {
  const turns = createTurns(3);
  await Promise.all([turns.take(0), turns.take(0)]);
  turns.limit(1);
  assert.equal(turns.most, 1);
  turns.give();
  assert.equal(await turns.take(0), false, "one is out still");
  turns.give();
  assert.equal(await turns.take(0), true);
  const waiting = [turns.take(60_000), turns.take(60_000)];
  turns.limit(3);
  assert.deepEqual(await Promise.all(waiting), [true, true]);
});
