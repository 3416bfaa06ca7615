import { runOnce } from "../run-once.ts";
import { digestFigures, runDigests } from "./run-digests.ts";

/**
 * `pnpm failure:digests`: 100,000 events for 50 users over fixed and sliding windows, with kill -9 of each part.
 * A breach: an event is not in exactly one message, a count is wrong, or a message came before its time or twice
 * for no documented cause.
 */
await runOnce({ events: 100_000, perSecond: 600 }, async (t, options) => {
  const more = { windowSeconds: 10, killEveryMs: 2_000, drainMs: 600_000 };
  const run = await runDigests(t, { ...options, ...more });
  return { figures: digestFigures(run), breaches: run.verdict.breaches };
});
