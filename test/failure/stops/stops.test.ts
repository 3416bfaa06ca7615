import assert from "node:assert/strict";
import { test } from "node:test";
import { openBrowsers } from "../browsers.ts";
import { SHORT } from "../settings.ts";
import { endAll, runStop, stopBreaches } from "./run-stop.ts";
import { createStopWorld } from "./stop-world.ts";

/** The short form of `pnpm failure:stops`. */

const seed = Math.floor(Math.random() * 1_000_000);

test(`one replica of every service ends under load: no request goes without an answer, and nothing is lost or sent twice (seed ${seed})`, async (t) => {
  const env = { SHUTDOWN_DELAY_MS: "5000", SHUTDOWN_SPREAD_MS: "200" };
  const settings = { ...SHORT, env, perSecond: 20 };
  const world = await createStopWorld(t, settings, { periodMs: 100, failureThreshold: 2 });
  const browsers = await openBrowsers(t, world);
  const result = await runStop(world, browsers, endAll, { label: "stops", seed });
  const { requests, stoppedAfterMs, webhooks, reconnections } = result;
  t.diagnostic(JSON.stringify({ requests, stoppedAfterMs, webhooks, reconnections }));
  assert.deepEqual(stopBreaches(result, endAll, { mayBeSlow: true }), []);
  assert.ok(reconnections > 0, "no browser was on the gateway that ended");
});
