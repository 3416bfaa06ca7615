import assert from "node:assert/strict";
import { test } from "node:test";
import type { Note } from "../act.ts";
import { allActs } from "../acts.ts";
import { USER_ACTIONS } from "./erase-notes.ts";

test("an erasure finds the audit entries of every act that names a user", async () => {
  const found = new Set<string>();
  for (const { name, audit, input, example } of await allActs()) {
    if (audit === undefined || !Object.hasOwn(input.properties, "userId")) continue;
    assert.ok(example, `${name} has an example`);
    const { userId } = example.input as { userId?: string };
    // A new user, and one who was known before.
    for (const before of [undefined, example.output]) {
      const notes: (Note | undefined)[] = [audit(example.input, { ...example, before })].flat();
      for (const note of notes) if (note?.target === userId) found.add(note!.action);
    }
  }
  assert.deepEqual([...found].toSorted(), [...USER_ACTIONS].toSorted());
});
