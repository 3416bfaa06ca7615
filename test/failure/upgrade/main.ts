import { runOnce } from "../run-once.ts";
import { runUpgrade } from "./run-upgrade.ts";
import { lastRelease } from "./version-before.ts";

/**
 * `pnpm failure:upgrade`: a rolling upgrade from the last release, or from the commit `--from`, and back, over 100,000
 * stored events.
 */
await runOnce({ events: 100_000, perSecond: 50 }, async (t, options) =>
  runUpgrade(t, { ...options, from: options.from ?? (await lastRelease()) }),
);
