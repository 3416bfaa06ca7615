import assert from "node:assert/strict";
import { test } from "node:test";
import { openBrowsers } from "../browsers.ts";
import { SHORT } from "../settings.ts";
import { hangingEmail, runStop, stopAll, stopBreaches } from "./run-stop.ts";
import { createStopWorld } from "./stop-world.ts";

/** The short form of `pnpm failure --stops`. */

const seed = Math.floor(Math.random() * 1_000_000);

test(`replicas end under load: no request goes without an answer, and nothing is lost or sent twice (seed ${seed})`, async (t) => {
  const env = { SHUTDOWN_DELAY_MS: "5000", SHUTDOWN_SPREAD_MS: "200", PROVIDER_TIMEOUT_MS: "3000" };
  const settings = { ...SHORT, env, perSecond: 30 };
  const world = await createStopWorld(t, settings, { periodMs: 100, failureThreshold: 2 });
  const browsers = await openBrowsers(t, world);
  for (const [at, stop] of [stopAll, hangingEmail].entries()) {
    const options = { label: `s${at}`, seed: seed + at };
    const result = await runStop(world, browsers, stop, options);
    const { requests, stoppedAfterMs, webhooks, reconnections } = result;
    const seen = { requests, stoppedAfterMs, webhooks, reconnections };
    t.diagnostic(`${stop.name}: ${JSON.stringify(seen)}`);
    assert.deepEqual(stopBreaches(result, stop, { mayBeSlow: true }), [], stop.name);
    if (stop === stopAll) assert.ok(reconnections > 0, "no browser was on the gateway that ended");
  }
});
