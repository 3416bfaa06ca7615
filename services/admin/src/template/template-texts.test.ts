import assert from "node:assert/strict";
import { test } from "node:test";
import { differences } from "./template-texts.ts";

/** So many lines, of which the first ones are others. */
function text(lines: number, changed: number, mark: string): string {
  return Array.from({ length: lines }, (_, at) => (at < changed ? `${mark}${at}` : `${at}`)).join(
    "\n",
  );
}

/** The differences with their words in English. */
function told(from: string, to: string) {
  return differences(from, to).map(({ kind, text }) => ({ kind, text: String(text) }));
}

test("what changed is shown line by line, with three equal lines around it", () => {
  const to = text(40, 0, "").replace("\n20\n", "\nother\n");
  assert.deepEqual(told(text(40, 0, ""), to), [
    { kind: "skipped", text: "17 equal lines" },
    ...["17", "18", "19"].map((same) => ({ kind: "same", text: same })),
    { kind: "removed", text: "20" },
    { kind: "added", text: "other" },
    ...["21", "22", "23"].map((same) => ({ kind: "same", text: same })),
    { kind: "skipped", text: "16 equal lines" },
  ]);
});

test("beyond 300 changed lines two texts are shown whole, in one piece each: nobody waits for the comparison", () => {
  const counts = (from: string, to: string) => differences(from, to).length;
  // 150 lines taken out and 150 put in, and the equal ones below.
  assert.equal(counts(text(4000, 150, "a"), text(4000, 150, "b")), 150 + 150 + 3 + 1);
  const [from, to] = [text(4000, 151, "a"), text(4000, 151, "b")];
  assert.deepEqual(told(from, to), [
    {
      kind: "skipped",
      text: "Too different to compare line by line: both texts are shown whole",
    },
    { kind: "removed", text: from },
    { kind: "added", text: to },
  ]);
  // If one of the two is empty, nothing can be compared.
  assert.deepEqual(told("", to), [{ kind: "added", text: to }]);
  assert.deepEqual(told(from, ""), [{ kind: "removed", text: from }]);
  assert.deepEqual(told("", ""), []);
});
