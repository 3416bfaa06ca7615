import assert from "node:assert/strict";
import { test } from "node:test";
import { assertHas } from "@belfry/testing/assert-has";
import { Type } from "@sinclair/typebox";
import { ConfigError, commonConfig, loadConfig } from "./config.ts";

const Schema = Type.Object({
  PORT: Type.Integer({ minimum: 1, maximum: 65_535, default: 3000 }),
  RATIO: Type.Number({ minimum: 0, default: 0.5 }),
  FAST: Type.Boolean({ default: false }),
  MODE: Type.Union([Type.Literal("a"), Type.Literal("b")], { default: "a" }),
  KEY: Type.String({ minLength: 8, description: "signing key", secret: true }),
  LABEL: Type.Optional(Type.String({ pattern: "^[a-z]+$" })),
});

test("values become what the schema says, and defaults stand in for the unset and the empty", () => {
  const config = loadConfig(Schema, { PORT: "80", RATIO: "0.25", FAST: "true", KEY: "12345678" });
  assert.deepEqual(config, { PORT: 80, RATIO: 0.25, FAST: true, MODE: "a", KEY: "12345678" });
  const empty = loadConfig(Schema, { PORT: "", LABEL: "", KEY: "12345678" });
  assert.equal(empty.PORT, 3000);
  assert.equal("LABEL" in empty, false);
});

test("every bad or missing variable is named in one error, with its rule", () => {
  const env = { PORT: "70000", RATIO: "-1", FAST: "yes", MODE: "c", LABEL: "X1" };
  assert.throws(
    () => loadConfig(Schema, env),
    (error: ConfigError) => {
      assert.ok(error instanceof ConfigError);
      assert.deepEqual(error.faults, [
        "PORT: must be between 1 and 65535",
        "RATIO: must be at least 0",
        "FAST: must be true or false",
        "MODE: must be one of a, b",
        "KEY: is required (signing key)",
        "LABEL: must match ^[a-z]+$",
      ]);
      for (const fault of error.faults) assert.ok(error.message.includes(fault));
      return true;
    },
  );
});

test("numbers are whole decimal numbers: no blanks, no hexadecimal, no exponent", () => {
  for (const PORT of ["80 ", " 80", "0x50", "8e1", "80.5", "NaN", "eighty"]) {
    assert.throws(() => loadConfig(Schema, { PORT, KEY: "12345678" }), /PORT: must be a whole/);
  }
});

test("a bad value is never part of the error: it may be a secret", () => {
  assert.throws(
    () => loadConfig(Schema, { KEY: "hunter2", PORT: "hunter3" }),
    (error: Error) => !/hunter/.test(String(error.stack) + error.message),
  );
});

test("the common variables have defaults for everything but the two servers", () => {
  assert.throws(
    () => loadConfig(Type.Object(commonConfig), {}),
    (error: ConfigError) => error.faults.length === 2,
  );
  const config = loadConfig(Type.Object(commonConfig), {
    DATABASE_URL: "postgres://u:p@db/belfry",
    NATS_URL: "nats://a:4222,tls://b",
  });
  assertHas(config, { NATS_PREFIX: "belfry", LOG_LEVEL: "info", STOP_WITH_PARENT: false });
  assert.throws(
    () =>
      loadConfig(Type.Object(commonConfig), {
        DATABASE_URL: "mysql://x",
        NATS_URL: "http://x",
        NATS_PREFIX: "a.b",
        LOG_LEVEL: "loud",
      }),
    (error: ConfigError) => error.faults.length === 4,
  );
});
