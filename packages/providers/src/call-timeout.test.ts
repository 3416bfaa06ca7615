import assert from "node:assert/strict";
import { once } from "node:events";
import test from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createHandClock } from "@belfry/testing/hand-clock";
import { startCallTimeout } from "./call-timeout.ts";

test("who does not answer in time is told so by the code timeout", async () => {
  const { signal } = startCallTimeout(5);
  await once(signal, "abort");
  assert.equal(signal.reason.code, "timeout");
});

test("an answer in time ends it, and the next piece of work has its own time", async () => {
  const clock = createHandClock();
  const { signal, renew, end } = startCallTimeout(5, clock);
  clock.advance(4);
  renew(60_000);
  clock.advance(59_999);
  await nextTurn();
  assert.equal(signal.aborted, false);
  end();
  clock.advance(1);
  await nextTurn();
  assert.equal(signal.aborted, false);
});

test("what waits in the sockets when the time is over is read before anything is judged", async () => {
  const clock = createHandClock();
  const { signal } = startCallTimeout(10, clock);
  clock.advance(10);
  assert.equal(signal.aborted, false);
  await nextTurn();
  assert.equal(signal.aborted, true);
});

test("after a pause of our own the other side has the time in which we did not listen, once", async () => {
  for (const [pauseMs, moreMs] of [
    [180, 80],
    [900, 100],
  ] as const) {
    const clock = createHandClock();
    const { signal } = startCallTimeout(100, clock);
    clock.jump(pauseMs);
    clock.advance(moreMs - 1);
    await nextTurn();
    assert.equal(signal.aborted, false);
    clock.advance(1);
    await nextTurn();
    assert.equal(signal.aborted, true);
  }
});
