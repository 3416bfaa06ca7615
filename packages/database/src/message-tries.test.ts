import assert from "node:assert/strict";
import { test } from "node:test";
import { connectedDatabase } from "@belfry/testing/database";
import { isDataFault, isWritable } from "./connection.ts";
import { messageTries } from "./message-tries.ts";

async function setUp(t: test.TestContext) {
  const { pool } = await connectedDatabase(t, { maxConnections: 1 });
  return pool;
}

test("what stands of the tries of a message are those that never ended, per stream", async (t) => {
  const pool = await setUp(t);
  const [one, other] = [messageTries(pool, "one"), messageTries(pool, "other")];
  const message = { streamSequence: 7 };
  assert.equal(await one.begin(message), 0);
  assert.equal(await one.begin(message), 1);
  assert.equal(await other.begin(message), 0);
  await one.end(message);
  assert.equal(await one.begin(message), 0);
  assert.equal(await other.begin(message), 1);
});

test("a server that takes no writes is no place to work, and its refusal condemns no event", async (t) => {
  const pool = await setUp(t);
  assert.equal(await isWritable(pool), true);
  await pool.query("set default_transaction_read_only = on");
  assert.equal(await isWritable(pool), false);
  const refusal = await pool.query("delete from events").catch((err: unknown) => err);
  assert.equal((refusal as { code?: string }).code, "25006");
  assert.equal(isDataFault(refusal), false);
});

test("only data and constraints speak of the values", () => {
  const judged = (code: string) => isDataFault(Object.assign(new Error(), { code }));
  for (const code of ["22P02", "22021", "23505", "23514"]) assert.equal(judged(code), true, code);
  const ours = ["25006", "40001", "40P01", "53100", "53300", "54000", "57P01", "58030", "08006"];
  for (const code of [...ours, "ECONNRESET", "EPIPE"]) assert.equal(judged(code), false, code);
});
