import assert from "node:assert/strict";
import { test } from "node:test";
import type pg from "pg";
import { waitForSchema } from "./open-database.ts";
import { tooOld } from "./schema-files.ts";

const SENTENCE = "Belfry needs PostgreSQL 15 or newer, and this server is PostgreSQL 14";

test("a server before PostgreSQL 15 is refused in one sentence, and not waited for", async () => {
  assert.equal(tooOld(140_099), SENTENCE);
  assert.equal(tooOld(150_000), null);
  assert.equal(tooOld(190_001), null);
  const old = { query: async () => ({ rows: [{ version: "140004" }] }) };
  const log = { info: () => undefined, warn: () => assert.fail("it waits") };
  const waiting = waitForSchema(old as unknown as pg.Pool, {
    log,
    signal: AbortSignal.timeout(60_000),
  });
  await assert.rejects(waiting, { message: SENTENCE });
});
