import { randomBytes } from "node:crypto";
import pg from "pg";
import type { Cleanup } from "./cleanup.ts";
import { recordStatements } from "./recorded-statements.ts";
import { testServerUrl } from "./test-server-url.ts";

/** The migrated database that every test database is cloned from; `test/run.ts` creates it. */
export const TEMPLATE_DATABASE = "belfry_template";

// biome-ignore lint/style/noProcessEnv: set by a whole run
const { RECORDED_STATEMENTS } = process.env;
if (RECORDED_STATEMENTS !== undefined) recordStatements(RECORDED_STATEMENTS);

interface TestDatabase {
  url: string;
  name: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Creates a migrated database for one test. It is dropped after the test `t`, or by `await using`, even if connections
 * are open. With the template "template0", the database is empty.
 */
export async function createTestDatabase(
  t?: Cleanup,
  template: string = TEMPLATE_DATABASE,
): Promise<TestDatabase> {
  const server = testServerUrl("TEST_DATABASE_URL");
  const name = `test_${randomBytes(8).toString("hex")}`;
  // file_copy takes half the time of the default, which logs every page. The test server syncs nothing.
  await runOn(server, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  let dropped = false;
  const drop = async () => {
    if (dropped) return;
    dropped = true;
    await runOn(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  };
  t?.after(drop);
  return { url: url.href, name, [Symbol.asyncDispose]: drop };
}

async function runOn(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
