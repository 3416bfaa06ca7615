import { runOnce } from "../run-once.ts";
import { deviceFigures, runDevices } from "./run-devices.ts";

/**
 * `pnpm failure:devices`: 7,000 events to users with devices of all kinds, with kill -9 of each part. A breach: a
 * device is forgotten, gets a message more often than a sender died, or twice in spite of "never send twice".
 */
await runOnce({ events: 7_000, perSecond: 40 }, async (t, options) => {
  const run = await runDevices(t, { ...options, killEveryMs: 1_000, drainMs: 600_000 });
  return { figures: deviceFigures(run), breaches: run.verdict.breaches };
});
