import assert from "node:assert/strict";
import test from "node:test";
import { startPort } from "../test/loopback-vendor.ts";
import { testDeps } from "../test/messages.ts";
import { createHttpCalls } from "./http-calls.ts";

test("a literal private address gets no connection, whoever let it pass before", async (t) => {
  const port = await startPort(t, () => assert.fail("connected"));
  const calls = createHttpCalls({ ...testDeps({ allowPrivateAddresses: false }), maxCalls: 32 });
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
