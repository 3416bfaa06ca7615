import { createDatabase, createPool, type Database, type Pool } from "@belfry/database/connection";
import type { Cleanup } from "./cleanup.ts";
import { createTestDatabase } from "./postgres.ts";

/** A database of the test's own with connections to it, all gone after the test. */
export async function connectedDatabase(
  t: Cleanup,
  { template, ...options }: { maxConnections?: number; template?: string } = {},
): Promise<{ url: string; pool: Pool; db: Database }> {
  const { url, [Symbol.asyncDispose]: drop } = await createTestDatabase(undefined, template);
  const pool = createPool({ url, applicationName: "test", ...options });
  const db = createDatabase(pool);
  t.after(async () => {
    await db.destroy();
    // Kysely ends no pool that it has not used.
    if (!pool.ending) await pool.end();
    await drop();
  });
  return { url, pool, db };
}

/** Works on this connection alone, within the transaction that it may be in. */
export function databaseOver(client: Pick<Pool, "query">): Database {
  const connection = { query: client.query.bind(client), release: () => undefined };
  return createDatabase({ connect: async () => connection } as unknown as Pool);
}
