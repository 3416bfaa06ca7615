import { createDatabase, createPool, type Database, type Pool } from "@belfry/database/connection";
import type { Cleanup } from "./cleanup.ts";
import { createTestDatabase } from "./postgres.ts";

/** A pool that also runs ``pool.sql`select id from events where tenant_id = ${tenantId}` `` and returns the rows. */
export type TestPool = Pool & {
  // biome-ignore lint/suspicious/noExplicitAny: as pg types a row
  sql<Row = any>(parts: TemplateStringsArray, ...values: unknown[]): Promise<Row[]>;
};

/** Creates a database for one test and connects to it; both are removed after the test. */
export async function connectedDatabase(
  t: Cleanup,
  { template, ...options }: { maxConnections?: number; template?: string } = {},
): Promise<{ url: string; pool: TestPool; db: Database }> {
  const { url, [Symbol.asyncDispose]: drop } = await createTestDatabase(undefined, template);
  const pool = createTestPool({ url, ...options });
  const db = createDatabase(pool);
  t.after(async () => {
    await db.destroy();
    // Kysely does not end a pool that it has never used.
    if (!pool.ending) await pool.end();
    await drop();
  });
  return { url, pool, db };
}

export function createTestPool(
  options: Partial<Parameters<typeof createPool>[0]> & { url: string },
): TestPool {
  const pool = createPool({ applicationName: "test", ...options });
  // Each inserted value is a parameter of the statement.
  const sql = async (parts: TemplateStringsArray, ...values: unknown[]) =>
    (
      await pool.query(
        parts.reduce((text, part, at) => `${text}$${at}${part}`),
        values,
      )
    ).rows;
  return Object.assign(pool, { sql }) as TestPool;
}

/** Returns a Kysely database that uses only this connection, inside its current transaction if there is one. */
export function databaseOver(client: Pick<Pool, "query">): Database {
  const connection = { query: client.query.bind(client), release: () => undefined };
  return createDatabase({ connect: async () => connection } as unknown as Pool);
}
