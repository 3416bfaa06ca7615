import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { createTestDatabase } from "./postgres.ts";

test("two test databases of one test do not see each other's rows", async (t) => {
  const [first, second] = await Promise.all([createTestDatabase(t), createTestDatabase(t)]);
  const client = new pg.Client({ connectionString: first.url });
  await client.connect();
  await client.query("CREATE TABLE only_here (n int)");
  await client.end();
  const other = new pg.Client({ connectionString: second.url });
  await other.connect();
  const { rows } = await other.query("SELECT to_regclass('only_here') AS found");
  await other.end();
  assert.equal(rows[0].found, null);
});

test("a test database goes away with its connections", async () => {
  const database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url });
  client.on("error", () => undefined);
  await client.connect();
  await database[Symbol.asyncDispose]();
  await assert.rejects(client.query("SELECT 1"));
});
