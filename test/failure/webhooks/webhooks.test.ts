import assert from "node:assert/strict";
import { test } from "node:test";
import { runWebhooks, webhookFigures } from "./run-webhooks.ts";

/** The short form of `pnpm failure:webhooks`. */

const seed = Math.floor(Math.random() * 1_000_000);

test("every move is told in exactly one message, which arrives under one id, whatever is killed", async (t) => {
  const run = await runWebhooks(t, {
    seed,
    events: 400,
    perSecond: 60,
    killEveryMs: 300,
    // Longer than any slow machine takes.
    drainMs: 240_000,
  });
  for (const line of [`seed ${seed}`, ...webhookFigures(run)]) t.diagnostic(line);
  assert.deepEqual(run.verdict.breaches, []);
  // The mail, the notification, and the SMS that has no number to go to.
  assert.ok(run.verdict.messages >= 3 * run.events);
});
