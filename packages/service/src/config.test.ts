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

test("a server's address whose password is not percent-encoded is a fault that names the variable and hides the password", () => {
  const faultsOf = (env: Record<string, string>) => {
    const good = { DATABASE_URL: "postgres://u:p@db/belfry", NATS_URL: "nats://a:4222" };
    try {
      loadConfig(Type.Object(commonConfig), { ...good, ...env });
      return [];
    } catch (error) {
      return (error as ConfigError).faults;
    }
  };
  for (const password of ["se#cret", "se/cret", "se?cret", "12#34", "12/34"]) {
    const [databaseUrl, natsUrl] = [
      `postgres://u:${password}@h/db`,
      `nats://a,tls://u:${password}@h`,
    ];
    const faults = faultsOf({ DATABASE_URL: databaseUrl, NATS_URL: natsUrl });
    assert.equal(faults.length, 2, password);
    assert.match(faults[0]!, /^DATABASE_URL: must be a URL: in a password write # as %23/);
    assert.match(faults[1]!, /^NATS_URL: must be a URL: in a password/);
    assert.ok(!faults.join().includes(password));
  }
  for (const env of [
    { DATABASE_URL: "postgres://u:a%23b%2Fc%3Fd%40@h:5432/db?sslmode=verify-full" },
    { DATABASE_URL: "postgres://u:p@/db?host=/var/run/postgresql" },
    { DATABASE_URL: "postgres:///db?host=/tmp" },
    { DATABASE_URL: "postgres://%2Ftmp/db?user=ann@example.com" },
    { NATS_URL: "nats://u:a%23b@a:4222,tls://token@b" },
  ]) {
    assert.deepEqual(faultsOf(env), [], JSON.stringify(env));
  }
});
