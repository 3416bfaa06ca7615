import { randomBytes } from "node:crypto";
import { createDatabase, createPool, type Database } from "@belfry/database/connection";
import { parseSecretKeys } from "@belfry/database/secrets";
import { createTestDatabase } from "@belfry/testing/postgres";

/** For the tests of this package: a database of the test's own, and keys. */
export const TEST_KEYS = parseSecretKeys(`t1:${randomBytes(32).toString("base64")}`);

interface Cleanup {
  after(fn: () => Promise<void>): void;
}

export async function testDatabase(t: Cleanup): Promise<Database> {
  const { url, [Symbol.asyncDispose]: drop } = await createTestDatabase();
  const db = createDatabase(createPool({ url, applicationName: "test", maxConnections: 4 }));
  t.after(async () => {
    await db.destroy();
    await drop();
  });
  return db;
}
