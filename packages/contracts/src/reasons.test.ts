import assert from "node:assert/strict";
import { test } from "node:test";
import { reasonOf, reasonWords, storedReason } from "./reasons.ts";

test("a reason is stored as a code with arguments and read in words", () => {
  const until = "06:00, 3 Nov 2026 (Europe/Vienna)";
  const stored = storedReason("quiet", { until });
  assert.deepEqual(reasonOf(stored), { code: "quiet", args: { until } });
  assert.equal(reasonWords(stored), `quiet hours until ${until}`);
  assert.equal(
    reasonWords(storedReason("quiet", { until: "$& {until}" })),
    "quiet hours until $& {until}",
  );
  assert.equal(reasonWords(storedReason("cancelled")), "cancelled");
  assert.equal(
    reasonWords(
      storedReason("retries-exhausted", { why: storedReason("no-reply", { code: "EX" }) }),
    ),
    "retries exhausted: the message left and no reply came (EX)",
  );
  assert.equal(
    reasonWords(storedReason("retries-exhausted", { why: "HTTP 500" })),
    "retries exhausted: HTTP 500",
  );
});

test("words that a version before has stored have their code, where they had no arguments", () => {
  assert.deepEqual(reasonOf("tenant inactive"), { code: "tenant-inactive", args: {} });
  assert.equal(reasonOf("throttled until 10:30"), undefined);
});

test("words of a vendor or of a version before are shown as they are", () => {
  const words = ["quiet hours until 06:00", "HTTP 500", "#", "#quiet {", "#toString {}", ""];
  for (const text of words) assert.equal(reasonWords(text), text);
  assert.equal(reasonWords(null), null);
});
