import assert from "node:assert/strict";
import { test } from "node:test";
import { createHandClock } from "@belfry/testing/hand-clock";
import { createTargetPace } from "./target-pace.ts";

const SLACK = { id: "s", kind: "slack" };

test("of 700 messages to a target one goes each second, and each asks a few times", () => {
  const clock = createHandClock();
  const pace = createTargetPace(clock, Math.random);
  const due = Array.from({ length: 700 }, () => 0);
  let asked = 0;
  for (let second = 0; second < 900 && due.length > 0; second += 1) {
    let gone = 0;
    for (const [at, time] of [...due.entries()].reverse()) {
      if (time > clock.nowMs()) continue;
      asked += 1;
      const waitMs = pace.take(SLACK, "slack:#ops");
      assert.ok(waitMs <= 300_000);
      if (waitMs === 0) {
        due.splice(at, 1);
        gone += 1;
      } else due[at] = clock.nowMs() + waitMs;
    }
    assert.ok(gone <= 1);
    clock.advance(1_000);
  }
  assert.equal(due.length, 0, "all have gone");
  assert.ok(asked < 700 * 10, `${asked} questions`);
});

test("a message waits no longer than five minutes for turns that nobody comes for, and a rest counts from its end", () => {
  const clock = createHandClock();
  const pace = createTargetPace(clock, () => 0);
  for (let message = 0; message < 1_000; message += 1) pace.take(SLACK, "slack:#ops");
  assert.equal(pace.take(SLACK, "slack:ops"), 300_000, "the same address");
  assert.equal(pace.take(SLACK, "slack:#dev"), 0);
  assert.equal(pace.take({ id: "t", kind: "slack" }, "slack:#ops"), 0, "of another provider");
  const refused = { class: "deferred", retryAfterSeconds: 600 } as never;
  pace.note(SLACK, "slack:#dev", refused);
  assert.equal(pace.take(SLACK, "slack:#dev"), 600_000);
  assert.equal(pace.take(SLACK, "slack:#dev"), 600_000);
  clock.advance(600_000);
  assert.equal(pace.take(SLACK, "slack:#dev"), 0);
});

test("a sandbox takes any number of messages at once", () => {
  const pace = createTargetPace(createHandClock(), () => 0);
  for (let message = 0; message < 10; message += 1) {
    assert.equal(pace.take({ id: "s", kind: "sandbox" }, "slack:#ops"), 0);
  }
});
