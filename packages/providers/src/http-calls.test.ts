import assert from "node:assert/strict";
import test from "node:test";
import { startPort } from "../test/loopback-vendor.ts";
import { testDeps } from "../test/messages.ts";
import { createHttpCalls } from "./http-calls.ts";

test("a literal private address gets no connection, whoever let it pass before", async (t) => {
  const port = await startPort(t, () => assert.fail("connected"));
  const calls = createHttpCalls(testDeps({ allowPrivateAddresses: false }));
  t.after(() => calls.close());
  for (const host of [
    "127.0.0.1",
    "2130706433",
    "0x7f.1",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "localhost",
  ]) {
    const url = `http://${host}:${port}/`;
    const result = await calls.post({ url, headers: {}, body: "secret" });
    assert.equal(result.answered, false, host);
    assert.equal(!result.answered && result.outcome.class, "credentials", host);
  }
});

test("waiting for a free connection past the timeout is transient: nothing had left", async (t) => {
  const port = await startPort(t, () => {});
  const calls = createHttpCalls(testDeps({ timeoutMs: 700 }));
  t.after(() => calls.close());
  const post = () => calls.post({ url: `http://127.0.0.1:${port}/`, headers: {}, body: "x" });
  const results = await Promise.all(Array.from({ length: 40 }, post));
  const classes = results.map((result) => !result.answered && result.outcome.class);
  assert.equal(classes.filter((outcomeClass) => outcomeClass === "ambiguous").length, 32);
  assert.equal(classes.filter((outcomeClass) => outcomeClass === "transient").length, 8);
});
