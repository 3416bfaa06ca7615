import assert from "node:assert/strict";
import { test } from "node:test";
import type { Stack } from "./stack.ts";

/** What the tests before have sent through the services, by what it looks like. */
const NEVER: Record<string, RegExp> = {
  "an API key": /bf_[A-Za-z0-9]{12,}/,
  "a token": /eyJ[A-Za-z0-9_-]{8,}\.eyJ/,
  "an email address": /[\w.+-]+@[\w-]+\.[a-z]{2,}/i,
  "a phone number": /\+\d{9,}/,
  "a rendered text": /Thank you, |Hello \w+, order/,
  "a signature": /"[0-9a-f]{64}"/,
  "a password in an address": /:\/\/[^/\s"]*:[^@\s"]+@/,
};

/** These tests run last: they read the logs of all other tests. */
export function logTests(stack: Stack): void {
  test("no key, token, address, number, text or signature is in any log of this run", () => {
    const lines = Object.entries(stack.processes).flatMap(([name, { lines }]) =>
      lines.map((line) => `${name}: ${line}`),
    );
    assert.ok(lines.length > 100);
    for (const [what, pattern] of Object.entries(NEVER)) {
      assert.deepEqual(lines.filter((line) => pattern.test(line)).slice(0, 3), [], what);
    }
    for (const { errors } of Object.values(stack.processes)) assert.equal(errors(), "");
  });

  test("a request and an attempt have a line each, with the trace id that finds them", () => {
    const logs = Object.values(stack.processes).flatMap((process) => process.logs());
    for (const message of ["request", "attempt"]) {
      const found = logs.filter((line) => line.msg === message);
      assert.ok(found.length > 0, message);
      for (const { traceId, level } of found) {
        assert.equal(typeof traceId, "string");
        assert.equal(level, "info");
      }
    }
  });
}
