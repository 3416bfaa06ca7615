import assert from "node:assert/strict";
import { test } from "node:test";
import { every } from "./every.ts";
import { createLogger } from "./logger.ts";

const HOUR_MS = 3_600_000;

test("work that must not be missed begins with the process, however soon that ends; other work rests first", async () => {
  for (const atOnce of [true, false]) {
    const stop = new AbortController();
    const calls: number[] = [];
    const work = async () => void calls.push(1);
    const done = every(HOUR_MS, "working", work, {
      log: createLogger({ service: "test", level: "silent" }),
      signal: stop.signal,
      atOnce,
    });
    // The call itself begins the work that begins at once.
    stop.abort();
    await done;
    assert.equal(calls.length, atOnce ? 1 : 0);
  }
});
