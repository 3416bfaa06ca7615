import assert from "node:assert/strict";
import { test } from "node:test";
import { createScryptQueue } from "./scrypt-queue.ts";

/** Makes a queue: two hashes at once, six waiting, three from one network. Each hash ends on command. */
function house() {
  const queue = createScryptQueue({ atOnce: 2, maxWaiting: 6, maxWaitingOfNetwork: 3 });
  const begun: string[] = [];
  const running: (() => void)[] = [];
  const ask = (network: string, signal?: AbortSignal) => {
    const client = signal === undefined ? { network } : { network, signal };
    const asked = queue.run(client, () => {
      begun.push(network);
      const { promise, resolve } = Promise.withResolvers<void>();
      running.push(resolve);
      return promise;
    });
    return asked.then(
      () => "hashed",
      (error: Error) => error.name,
    );
  };
  const turns = () => new Promise((resolve) => setImmediate(resolve));
  /** Ends one after the other, until nothing runs. */
  const finish = async () => {
    await turns();
    for (let end = running.shift(); end !== undefined; end = running.shift()) {
      end();
      await turns();
    }
  };
  return { queue, begun, ask, turns, finish };
}

test("networks take turns, whoever came first", async () => {
  const { begun, ask, finish } = house();
  const all = ["a", "a", "a", "a", "a", "b", "c"].map((network) => ask(network));
  await finish();
  assert.deepEqual(begun, ["a", "a", "a", "b", "c", "a", "a"]);
  assert.deepEqual(await Promise.all(all), Array(7).fill("hashed"));
});

test("so many wait, of a network and in all; a network that has nothing waiting takes a place of the largest crowd", async () => {
  const { queue, begun, ask, finish } = house();
  const answers = ["a", "a", "a", "a", "a", "a", "b", "b", "b", "c", "c"].map((n) => ask(n));
  assert.deepEqual(queue.counts(), { running: 2, waiting: 6, started: 2 });
  await finish();
  assert.deepEqual(await Promise.all(answers), [
    ...["hashed", "hashed"],
    // The newest of the three that wait goes for c; the fourth never had a place.
    ...["hashed", "hashed", "TooBusy", "TooBusy"],
    ...["hashed", "hashed", "hashed"],
    // Its second finds no place: it has one.
    ...["hashed", "TooBusy"],
  ]);
  assert.equal(begun.length, 8);
  assert.deepEqual(queue.counts(), { running: 0, waiting: 0, started: 8 });
});

test("a full queue of single ones refuses the next; whoever hangs up leaves, and is not hashed", async () => {
  const { queue, begun, ask, turns, finish } = house();
  const gone = new AbortController();
  const held = [ask("x"), ask("x")];
  const waiting = ["a", "b", "c", "d", "e", "f"].map((network) => ask(network, gone.signal));
  assert.equal(await ask("g"), "TooBusy");
  gone.abort();
  assert.deepEqual(await Promise.all(waiting), Array(6).fill("TooBusy"));
  assert.equal(await ask("a", gone.signal), "TooBusy", "gone before it asked");
  const last = ask("g");
  await turns();
  assert.equal(queue.counts().waiting, 1);
  await finish();
  assert.deepEqual(await Promise.all([...held, last]), Array(3).fill("hashed"));
  assert.deepEqual(begun, ["x", "x", "g"]);
});
