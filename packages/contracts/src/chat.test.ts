import assert from "node:assert/strict";
import { test } from "node:test";
import { incidentOf } from "./chat.ts";

test("an incident's key may be a text or a number, and other values are left out", () => {
  for (const [dedup_key, key] of [
    ["disk-7", "disk-7"],
    [4711, "4711"],
    ["k".repeat(10_000), "k".repeat(255)],
  ] as const) {
    assert.deepEqual(incidentOf({ dedup_key, event_action: "resolve" }), {
      key,
      action: "resolve",
    });
  }
  for (const dedup_key of ["", null, true, ["a"], { a: 1 }]) {
    assert.equal(
      incidentOf({ dedup_key, event_action: "RESOLVE", severity: ["error"] }),
      undefined,
    );
  }
});
