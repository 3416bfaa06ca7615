import assert from "node:assert/strict";
import { test } from "node:test";
import { loadConfig } from "@belfry/service/config";
import { configSchema, crossCheck, parseOrigins } from "./config.ts";

const KEYS = `k1:${Buffer.alloc(32).toString("base64")}`;
const env = {
  DATABASE_URL: "postgres://x@localhost/x",
  NATS_URL: "nats://localhost",
  SECRETS_KEYS: KEYS,
  REALTIME_TOKEN_KEYS: KEYS,
};

test("the default settings fit together", () => {
  loadConfig(configSchema, env, crossCheck);
});

test("settings that depend on one another are checked together", () => {
  const bad = {
    PONG_TIMEOUT_MS: "25000",
    SHUTDOWN_SPREAD_MS: "20000",
    MAX_QUEUE_BYTES: "3000",
    MAX_QUEUE_BYTES_PER_USER: "2000",
    MAX_QUEUE_BYTES_IN_ALL: "1500",
  };
  const faults = crossCheck(loadConfig(configSchema, { ...env, ...bad }));
  assert.deepEqual(
    faults.map((fault) => fault.split(":")[0]),
    ["PONG_TIMEOUT_MS", "MAX_QUEUE_BYTES", "MAX_QUEUE_BYTES_PER_USER", "SHUTDOWN_SPREAD_MS"],
  );
});

test("an origin is compared as a whole; a star stands only for labels", () => {
  const allows = parseOrigins(
    "https://app.example.com,https://*.example.org,http://localhost:3003",
  );
  for (const origin of [
    "https://APP.example.com",
    "https://a.b.example.org",
    "http://localhost:3003",
  ]) {
    assert.equal(allows(origin), true, origin);
  }
  for (const origin of [
    "https://appxexample.com",
    "https://example.org",
    "https://x/.example.org",
    "https://evil.net/.example.org",
    "http://localhost:3004",
    "http://localhost",
    "",
  ]) {
    assert.equal(allows(origin), false, origin);
  }
  assert.equal(allows(undefined), true);
});

test("an empty list allows any origin, and a bad entry stops the start", () => {
  assert.equal(parseOrigins(" ")("https://any.example"), true);
  for (const list of ["example.com", "https://a*b.com", "https://x/", "*"]) {
    assert.throws(() => parseOrigins(list), /origin 1 is not of the form/, list);
  }
});
