import assert from "node:assert/strict";
import { test } from "node:test";
import { deviceFigures, runDevices } from "./run-devices.ts";

/** The short form of `pnpm failure:devices`. */

const seed = Math.floor(Math.random() * 1_000_000);

test("each device gets each message once, and once more only for a sender that died, whatever is killed", async (t) => {
  const run = await runDevices(t, {
    seed,
    events: 400,
    perSecond: 40,
    killEveryMs: 300,
    // Longer than any slow machine takes.
    drainMs: 240_000,
  });
  for (const line of [`seed ${seed}`, ...deviceFigures(run)]) t.diagnostic(line);
  assert.deepEqual(run.verdict.breaches, []);
});
