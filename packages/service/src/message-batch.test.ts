import assert from "node:assert/strict";
import { test } from "node:test";
import { createLogger } from "./logger.ts";
import {
  DONE,
  faultDelayMs,
  type MessageHandler,
  type PulledMessage,
  runBatch,
} from "./message-batch.ts";

const NO_TRIES = { begin: async () => 0, end: async () => undefined };

const log = createLogger({ service: "test", level: "silent" });

/** Messages that note what the server would be told. The consume loop's own test uses a real server. */
function messages(count: number, said: string[]): PulledMessage[] {
  return Array.from({ length: count }, (_, at) => ({
    data: new Uint8Array([at]),
    subject: "s",
    deliveryCount: 1,
    streamSequence: at,
    ack: () => void said.push(`ack ${at}`),
    nak: () => void said.push(`nak ${at}`),
    term: () => void said.push(`term ${at}`),
    working: () => undefined,
  }));
}

async function run(count: number, handler: MessageHandler, canWork?: () => boolean) {
  const said: string[] = [];
  const result = await runBatch(messages(count, said), {
    handler,
    setAside: async () => undefined,
    tries: NO_TRIES,
    ackWaitMs: 30_000,
    log,
    signal: new AbortController().signal,
    canWork,
  });
  return { said, result };
}

test("a fault while what the handler needs is away is not tried again one by one", async () => {
  let calls = 0;
  const { said, result } = await run(
    5,
    async () => {
      calls += 1;
      throw new Error("no database");
    },
    () => false,
  );
  assert.equal(calls, 1);
  assert.deepEqual(said, ["nak 0", "nak 1", "nak 2", "nak 3", "nak 4"]);
  assert.equal(result.allFailed, true);
});

test("three poisoned messages in front do not hide that the others are good, once one has worked", async () => {
  const poisoned = new Set([1, 2, 3, 4]);
  const { said } = await run(8, async (batch) => {
    if (batch.some((message) => poisoned.has(message.streamSequence))) throw new Error("poison");
    return batch.map(() => DONE);
  });
  assert.deepEqual(said, [
    ...["ack 0", "nak 1", "nak 2", "nak 3", "nak 4"],
    ...["ack 5", "ack 6", "ack 7"],
  ]);
});

/** One message that has come often; `tries` outlives the process that handles it, as a table does. */
function often(handler: MessageHandler, tries = new Map<number, number>()) {
  const said: string[] = [];
  const aside: string[] = [];
  const isWritable = { now: true };
  const runOnce = () =>
    runBatch(
      messages(1, said).map((message) => ({ ...message, deliveryCount: 500 })),
      {
        handler,
        setAside: async (_message, reason) => void aside.push(reason),
        tries: {
          async begin({ streamSequence }) {
            if (!isWritable.now) throw new Error("read only");
            const unfinished = tries.get(streamSequence) ?? 0;
            tries.set(streamSequence, unfinished + 1);
            return unfinished;
          },
          async end({ streamSequence }) {
            if (!isWritable.now) throw new Error("read only");
            tries.delete(streamSequence);
          },
        },
        ackWaitMs: 30_000,
        log,
        signal: new AbortController().signal,
      },
    );
  return { said, aside, tries, isWritable, runOnce };
}

test("a message that came often and always met a fault of ours is kept, and done when it is over", async () => {
  let isBroken = true;
  const { said, aside, tries, runOnce } = often(async (batch) => {
    if (isBroken) throw new Error("disk full");
    return batch.map(() => DONE);
  });
  for (let at = 0; at < 20; at += 1) assert.equal((await runOnce()).allFailed, true);
  isBroken = false;
  await runOnce();
  assert.deepEqual(said, [...Array.from({ length: 20 }, () => "nak 0"), "ack 0"]);
  assert.deepEqual(aside, []);
  assert.equal(tries.size, 0);
});

test("a message that ends the process at every try is set aside before a fourth", async (t) => {
  const tries = new Map<number, number>();
  let begun = 0;
  const unfinished: (number | undefined)[] = [];
  const { promise: never, resolve: end } = Promise.withResolvers<[]>();
  t.after(() => end([]));
  for (let at = 0; at < 3; at += 1) {
    // The process is gone: this call never comes back.
    const crashing = often(([message]) => {
      begun += 1;
      unfinished.push(message?.unfinishedTries);
      return never;
    }, tries);
    void crashing.runOnce();
    await new Promise(setImmediate);
  }
  assert.deepEqual(unfinished, [0, 1, 2], "the handler is told");
  const last = often(async (batch) => batch.map(() => DONE), tries);
  await last.runOnce();
  assert.deepEqual(
    [begun, last.aside, last.said],
    [3, ["ended the process too often"], ["term 0"]],
  );
  assert.equal(tries.size, 0);
});

test("where a try cannot be noted none is made, and the message is put off", async () => {
  let calls = 0;
  const { said, aside, isWritable, runOnce } = often(async (batch) => {
    calls += 1;
    return batch.map(() => DONE);
  });
  isWritable.now = false;
  assert.equal((await runOnce()).allFailed, true);
  assert.deepEqual([calls, said, aside], [0, ["nak 0"], []]);
});

test("outcomes belong to messages by their place", async () => {
  const { said } = await run(3, async () => [
    DONE,
    { kind: "retry", delayMs: 5, reason: "later" },
    { kind: "reject", reason: "never" },
  ]);
  assert.deepEqual(said, ["ack 0", "nak 1", "term 2"]);
});

test("the delay after a fault doubles from a second to a minute, less up to half", () => {
  const longest = [1, 2, 3, 4, 5, 6, 7, 8, 50].map((count) => faultDelayMs(count, () => 0));
  assert.deepEqual(longest, [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  assert.equal(
    faultDelayMs(1, () => 0.999999),
    500,
  );
});
