import assert from "node:assert/strict";
import { once } from "node:events";
import test from "node:test";
import { startPatience } from "./patience.ts";

/** Nothing of this thread runs meanwhile. */
function standStill(ms: number) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test("who does not answer in time is told so by the code timeout", async () => {
  const { signal } = startPatience(5);
  await once(signal, "abort");
  assert.equal(signal.reason.code, "timeout");
});

test("an answer in time ends it, and the next piece of work has its own time", async () => {
  const answered = startPatience(5);
  answered.renew(60_000);
  const silent = startPatience(10);
  await once(silent.signal, "abort");
  assert.equal(answered.signal.aborted, false);
  answered.renew(1);
  answered.end();
  const later = startPatience(10);
  await once(later.signal, "abort");
  assert.equal(answered.signal.aborted, false);
});

test("after a pause of our own, what waits in the sockets is read before anything is judged", async () => {
  const patience = startPatience(10);
  const sameTurn = new Promise((resolve) => setTimeout(resolve, 11));
  standStill(30);
  await sameTurn;
  assert.equal(patience.signal.aborted, false);
  patience.end();
});

test("after a long pause the other side has the time in which we did not listen, once", async () => {
  const patience = startPatience(100);
  standStill(400);
  const resumedAt = performance.now();
  await once(patience.signal, "abort");
  assert.ok(performance.now() - resumedAt >= 99, `${performance.now() - resumedAt} ms`);
});
