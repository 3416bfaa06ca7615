import assert from "node:assert/strict";
import { test } from "node:test";
import { configSchema, crossCheck } from "./config.ts";

const GOOD = {
  LEASE_MS: 30_000,
  DELIVERY_ACK_WAIT_MS: 30_000,
  CONCURRENCY: 256,
  MESSAGES_IN_HAND: 512,
};

test("the defaults go together, and messages of a dead sender come again as its leases end", () => {
  const { properties } = configSchema;
  const defaults = Object.keys(GOOD).map((name) => [
    name,
    properties[name as keyof typeof GOOD].default,
  ]);
  assert.deepEqual(Object.fromEntries(defaults), GOOD);
  assert.deepEqual(crossCheck(GOOD), []);
});

test("private addresses are called where somebody says so, and nowhere else", () => {
  assert.equal(configSchema.properties.ALLOW_PRIVATE_WEBHOOK_ADDRESSES.default, false);
});

test("a lease that could end during a call, or outlive the ack wait, is refused", () => {
  assert.deepEqual(crossCheck({ ...GOOD, LEASE_MS: 20_000 }), []);
  assert.deepEqual(crossCheck({ ...GOOD, LEASE_MS: 19_999 }), [
    "LEASE_MS: must be at least 20000, a whole call and its record",
  ]);
  assert.deepEqual(crossCheck({ ...GOOD, LEASE_MS: 30_001 }), [
    "LEASE_MS: must be at most DELIVERY_ACK_WAIT_MS, 30000",
  ]);
});
