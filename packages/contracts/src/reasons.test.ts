import assert from "node:assert/strict";
import { test } from "node:test";
import { REASONS, type ReasonCode, reasonOf, reasonWords, storedReason } from "./reasons.ts";

test("a reason is stored as a code with arguments and read in words", () => {
  const until = "06:00, 3 Nov 2026 (Europe/Vienna)";
  for (const code of Object.keys(REASONS) as ReasonCode[]) {
    const stored = storedReason(code, { until });
    assert.deepEqual(reasonOf(stored), { code, args: { until } });
    assert.equal(reasonWords(stored), REASONS[code].replace("{until}", until));
  }
  assert.equal(
    reasonWords(storedReason("quiet", { until: "$& {until}" })),
    "quiet hours until $& {until}",
  );
});

test("words of a vendor or of a version before are shown as they are", () => {
  const words = [
    "quiet hours until 06:00",
    "HTTP 500",
    "#",
    "#quiet",
    "#quiet {",
    "#toString {}",
    "",
  ];
  for (const text of words) assert.equal(reasonWords(text), text);
  assert.equal(reasonWords(null), null);
});
