import assert from "node:assert/strict";
import { test } from "node:test";
import { crossCheck, senderConfig } from "./sender-config.ts";

const GOOD = {
  PROVIDER_TIMEOUT_MS: 10_000,
  LEASE_MS: 30_000,
  DELIVERY_ACK_WAIT_MS: 30_000,
  CONCURRENCY: 64,
  MESSAGES_IN_HAND: 256,
};

test("the defaults fit together, and messages of a dead sender are redelivered when its leases end", () => {
  const { properties } = senderConfig;
  const defaults = Object.keys(GOOD).map((name) => [
    name,
    properties[name as keyof typeof GOOD].default,
  ]);
  assert.deepEqual(Object.fromEntries(defaults), GOOD);
  assert.deepEqual(crossCheck(GOOD), []);
});

test("a lease that could end during a call, or outlive the ack wait, is refused", () => {
  assert.match(crossCheck({ ...GOOD, PROVIDER_TIMEOUT_MS: 26_000 }).join("\n"), /LEASE_MS.*31000/);
  assert.match(
    crossCheck({ ...GOOD, LEASE_MS: 60_000 }).join("\n"),
    /LEASE_MS.*DELIVERY_ACK_WAIT_MS/,
  );
});

test("fewer messages in progress than calls are refused, and reported with every other fault", () => {
  const config = { ...GOOD, LEASE_MS: 12_000, MESSAGES_IN_HAND: 64 };
  assert.match(
    crossCheck(config).join("\n"),
    /^LEASE_MS: .*\nMESSAGES_IN_HAND: must be more than CONCURRENCY, 64$/,
  );
});
