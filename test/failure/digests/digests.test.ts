import assert from "node:assert/strict";
import { test } from "node:test";
import { digestFigures, runDigests } from "./run-digests.ts";

/** The short form of `pnpm failure:digests`. */

const seed = Math.floor(Math.random() * 1_000_000);

test("every event is in exactly one message that counts right, whatever is killed", async (t) => {
  const run = await runDigests(t, {
    seed,
    events: 2_000,
    perSecond: 500,
    windowSeconds: 2,
    killEveryMs: 300,
    // Longer than any slow machine takes.
    drainMs: 180_000,
  });
  for (const line of [`seed ${seed}`, ...digestFigures(run)]) t.diagnostic(line);
  assert.deepEqual(run.verdict.breaches, []);
});
