import { createDatabase, createPool, type Database, type Pool } from "@belfry/database/connection";
import type { Cleanup } from "./cleanup.ts";
import { createTestDatabase } from "./postgres.ts";

/** Creates a database for one test and connects to it; both are removed after the test. */
export async function connectedDatabase(
  t: Cleanup,
  { template, ...options }: { maxConnections?: number; template?: string } = {},
): Promise<{ url: string; pool: Pool; db: Database }> {
  const { url, [Symbol.asyncDispose]: drop } = await createTestDatabase(undefined, template);
  const pool = createPool({ url, applicationName: "test", ...options });
  const db = createDatabase(pool);
  t.after(async () => {
    await db.destroy();
    // Kysely does not end a pool that it has never used.
    if (!pool.ending) await pool.end();
    await drop();
  });
  return { url, pool, db };
}

/** Returns a Kysely database that uses only this connection, inside its current transaction if there is one. */
export function databaseOver(client: Pick<Pool, "query">): Database {
  const connection = { query: client.query.bind(client), release: () => undefined };
  return createDatabase({ connect: async () => connection } as unknown as Pool);
}
