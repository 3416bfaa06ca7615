import assert from "node:assert/strict";
import { test } from "node:test";
import type { SendOutcome } from "@belfry/contracts/sending";
import { assertEach } from "@belfry/testing/assert-each";
import { nextStep } from "./next-step.ts";

const CONTEXT = {
  channel: "EMAIL",
  retries: 0,
  uncounted: 0,
  atMostOnce: false,
  random: () => 0.5,
} as const;

function outcome(more: Partial<SendOutcome>): SendOutcome {
  return {
    class: "transient",
    reason: "down",
    messageId: null,
    vendorStatus: null,
    vendorAnswer: null,
    retryAfterSeconds: null,
    ...more,
  };
}

test("a Retry-After longer than the schedule is respected up to an hour", () => {
  const wait = (retryAfterSeconds: number) =>
    nextStep(outcome({ retryAfterSeconds }), CONTEXT).delayMs;
  assert.equal(wait(2), 5_000);
  assert.equal(wait(60), 60_000);
  assert.equal(wait(86_400), 3_600_000);
});

test("a 429 without Retry-After waits longer each time, up to five minutes, and never fails", () => {
  const wait = (uncounted: number) =>
    nextStep(outcome({ class: "throttled" }), { ...CONTEXT, retries: 7, uncounted });
  assertEach([0, 1, 2, 50], (n) => wait(n).delayMs, [5_000, 10_000, 20_000, 300_000]);
  assert.ok([0, 1, 2, 50].every((n) => wait(n).status === "waiting" && !wait(n).counted));
});

test("an ambiguous attempt is retried unless the template says at most once", () => {
  const end = (atMostOnce: boolean) =>
    nextStep(outcome({ class: "ambiguous" }), { ...CONTEXT, atMostOnce }).status;
  assert.deepEqual([end(false), end(true)], ["waiting", "unknown"]);
});

test("jitter stays within ±20 %", () => {
  for (const random of [0, 0.2, 0.5, 0.9, 0.999_999]) {
    const { delayMs } = nextStep(outcome({}), { ...CONTEXT, retries: 1, random: () => random });
    assert.ok(delayMs! >= 24_000 && delayMs! <= 36_000, `${delayMs}`);
  }
});
