import type pg from "pg";

/** The oldest that the tests have seen: test/deploy/restore.test.ts. */
const NEEDED = 15;

/** A sentence for an operator where this `server_version_num` is too old; null where it is not. */
export function tooOld(serverVersionNum: number): string | null {
  const major = Math.floor(serverVersionNum / 10_000);
  if (major >= NEEDED) return null;
  return `Belfry needs PostgreSQL ${NEEDED} or newer, and this server is PostgreSQL ${major}`;
}

/** The same of the server that is asked. */
export async function serverFault(client: Pick<pg.ClientBase, "query">): Promise<string | null> {
  const { rows } = await client.query<{ version: string }>(
    "select current_setting('server_version_num') as version",
  );
  return tooOld(Number(rows[0]?.version));
}
