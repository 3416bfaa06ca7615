import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import type { UserOfTenant } from "../tenants/realtime.ts";
import { OPEN_STATES, type StoredRecord, withoutErased } from "../users/import-rows.ts";

/** Number of chunks per transaction. Each chunk has at most 128 KiB. */
const CHUNKS_PER_STEP = 50;

/**
 * Removes a user's lines from the files that are being imported. If a line has been uploaded only in part, it may stay
 * for up to one hour. Then either the next part arrives and the import skips the line, or the import is cancelled.
 */
export async function eraseImportLines(
  db: Database,
  { tenantId, userId }: UserOfTenant,
  onStep: () => Promise<void>,
): Promise<void> {
  const imports = await db
    .selectFrom("imports")
    .select("id")
    .where("tenant_id", "=", tenantId)
    .where("state", "in", OPEN_STATES)
    .execute();
  for (const { id } of imports) {
    let after: number | undefined = 0;
    while (after !== undefined) {
      const from: number = after;
      after = await db
        .transaction()
        .execute((step) => eraseInChunks(step, { id, userId, after: from }));
      await onStep();
    }
  }
}

/** Returns the number of the last chunk that it read, or undefined if there are no more. */
async function eraseInChunks(
  db: Database,
  part: { id: string; userId: string; after: number },
): Promise<number | undefined> {
  const { id, userId, after } = part;
  // Locks the import, as adding and writing chunks do.
  const found = await db
    .selectFrom("imports")
    .select("columns")
    .where("id", "=", id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  const text = JSON.stringify(userId);
  const { rows } = await sql<{ number: number; records: string | null }>`
    select c.number, case when position(${text} in c.records) > 0 then c.records end as records
    from import_chunks c where c.import_id = ${id} and c.number > ${after}
    order by c.number limit ${CHUNKS_PER_STEP}`.execute(db);
  for (const { number, records } of rows) {
    if (records === null) continue;
    const stored = JSON.parse(records) as StoredRecord[];
    const left = withoutErased(stored, found?.columns ?? [], (one) => one === userId);
    await db
      .updateTable("import_chunks")
      .set({ records: JSON.stringify(left) })
      .where("import_id", "=", id)
      .where("number", "=", number)
      .execute();
  }
  return rows.length === CHUNKS_PER_STEP ? rows.at(-1)?.number : undefined;
}
