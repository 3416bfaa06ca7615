import assert from "node:assert/strict";
import { test } from "node:test";
import { createLogger } from "./logger.ts";
import { faultDelayMs, runBatch } from "./message-batch.ts";
import { DONE, type MessageHandler } from "./outcome.ts";
import type { PulledMessage } from "./pull.ts";

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
