import assert from "node:assert/strict";
import { test } from "node:test";
import { loadConfig } from "@belfry/service/config";
import { configSchema, crossCheck } from "./config.ts";

const env = {
  DATABASE_URL: "postgres://x@localhost/x",
  NATS_URL: "nats://localhost",
  REALTIME_TOKEN_KEYS: `k1:${Buffer.alloc(32).toString("base64")}`,
};

test("the standard settings fit one another", () => {
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
