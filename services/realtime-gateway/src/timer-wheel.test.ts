import assert from "node:assert/strict";
import { test } from "node:test";
import { type Timed, TimerWheel } from "./timer-wheel.ts";

test("every callback runs at its time, once, and not after it was cancelled", () => {
  let nowMs = 1_000_000;
  const called: string[] = [];
  const faults: unknown[] = [];
  const wheel = new TimerWheel({
    tickMs: 50,
    nowMs: () => nowMs,
    onFault: (error) => faults.push(error),
  });
  const timed = (name: string, then: () => void = () => undefined): Timed => ({
    wheelSlot: 0,
    onTimer(at) {
      called.push(`${name} ${at - 1_000_000}`);
      then();
    },
  });
  const again = timed("again", () => {
    if (called.length < 3) wheel.schedule(again, nowMs + 100);
  });
  const moved = timed("moved");
  const cancelled = timed("cancelled");
  wheel.schedule(again, nowMs + 100);
  wheel.schedule(moved, nowMs + 100);
  wheel.schedule(moved, nowMs + 400);
  wheel.schedule(cancelled, nowMs + 100);
  wheel.cancel(cancelled);
  const failing = timed("failing", () => {
    throw new Error("no");
  });
  wheel.schedule(failing, nowMs + 350);
  // In the past: at the next turn.
  wheel.schedule(timed("past"), nowMs - 5000);
  for (let step = 0; step < 10; step += 1) {
    nowMs += 50;
    wheel.turn();
  }
  wheel[Symbol.dispose]();
  assert.deepEqual(called, ["past 50", "again 100", "again 200", "failing 350", "moved 400"]);
  assert.equal(faults.length, 1);
});

test("a process that was held up catches up", () => {
  let nowMs = 0;
  let called = 0;
  const wheel = new TimerWheel({ tickMs: 50, nowMs: () => nowMs, onFault: assert.ifError });
  const onTimer = () => {
    called += 1;
  };
  wheel.schedule({ wheelSlot: 0, onTimer }, 70);
  nowMs = 5000;
  wheel.turn();
  wheel[Symbol.dispose]();
  assert.equal(called, 1);
});

test("an empty wheel causes no wake-ups", (t) => {
  const started = t.mock.method(globalThis, "setInterval");
  const stopped = t.mock.method(globalThis, "clearInterval");
  const timers = () =>
    started.mock.callCount() - stopped.mock.calls.filter((call) => call.arguments[0]).length;
  let nowMs = 0;
  let called = 0;
  const wheel = new TimerWheel({ tickMs: 50, nowMs: () => nowMs, onFault: assert.ifError });
  const timed = (): Timed => ({
    wheelSlot: 0,
    onTimer() {
      called += 1;
    },
  });
  assert.equal(timers(), 0);
  for (const atMs of [100, 1_000_000]) {
    wheel.schedule(timed(), atMs);
    assert.equal(timers(), 1);
    nowMs = atMs;
    wheel.turn();
    assert.equal(timers(), 0);
  }
  assert.equal(called, 2);
  const cancelled = timed();
  wheel.schedule(cancelled, nowMs + 100);
  wheel.cancel(cancelled);
  wheel.turn();
  assert.equal(timers(), 0);
});
