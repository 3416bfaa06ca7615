import { type ImportKind, MAX_IMPORT_FAULTS } from "@belfry/contracts/imports";
import { type Database, isDataFault, isOutage } from "@belfry/database/connection";
import { sql } from "kysely";
import { type Actor, writeNote } from "../audited.ts";
import { IMPORTED } from "./import-kinds.ts";
import {
  ERASED_LINE,
  endImport,
  erasedSince,
  type LineFault,
  type StoredRecord,
  withoutErased,
} from "./import-rows.ts";
import { targetOf } from "./imports.ts";
import { workTopicDeletion } from "./topic-rows.ts";

interface ImportWork {
  db: Database;
  /** Waits as long as the step took, which it gets as `ms`. So imports use at most half of the time. */
  rest(ms: number, signal: AbortSignal): Promise<void>;
  /**
   * Called when a chunk could not be written and is retried a minute later. After ten of these, not counting outages,
   * the import fails.
   */
  onPostponed?(error: unknown): void;
  /** A monotonic clock in ms. Default: that of the process. */
  nowMs?: () => number;
}

const AGAIN_AFTER_SECONDS = 60;
const MAX_TRIES = 10;
/** Immediate retries of a chunk, because most failures are lost connections. */
const MAX_TRIES_AT_ONCE = 3;

/**
 * Writes the lines of imports in chunks, one transaction per chunk, alternating between the tenants, until nothing is
 * left or the signal aborts. Then removes the remaining members of deleted topics. The transaction that writes a chunk
 * also deletes it, so the process may die at any time. All replicas may run this; only the oldest import of a tenant is
 * worked on at a time. Returns the number of chunks.
 */
export async function workImports(work: ImportWork, signal: AbortSignal): Promise<number> {
  const { db, rest, nowMs = () => performance.now() } = work;
  await giveUpUnfinished(db);
  let last = "";
  let chunks = 0;
  const timed = async <T>(step: () => Promise<T>) => {
    const begunAtMs = nowMs();
    const result = await step();
    await rest(nowMs() - begunAtMs, signal);
    return result;
  };
  while (!signal.aborted) {
    const tenantId = await timed(() => workChunk(work, last));
    if (tenantId === undefined) break;
    last = tenantId;
    chunks += 1;
  }
  while (!signal.aborted && (await timed(() => workTopicDeletion(db))));
  return chunks;
}

interface ClaimedImport extends Actor {
  id: string;
  tenantId: string;
  kind: ImportKind;
  topic: string | null;
  columns: string[];
  requestedAt: Date;
  lines: number;
  processed: number;
  added: number;
  alreadyThere: number;
  leftOut: number;
  faults: LineFault[];
}

/**
 * Writes the next chunk of the first tenant after `after`, or else of the first tenant. Returns the tenant's id, or
 * undefined if there is nothing to do. A chunk that fails changes nothing and is retried.
 */
async function workChunk(
  work: ImportWork,
  after: string,
  triesLeft = MAX_TRIES_AT_ONCE,
): Promise<string | undefined> {
  const { db, onPostponed } = work;
  let claimed: ClaimedImport | undefined;
  try {
    return await db.transaction().execute(async (transaction) => {
      claimed = await claimImport(transaction, after);
      if (claimed === undefined && after !== "") claimed = await claimImport(transaction, "");
      if (claimed !== undefined) await writeChunk(transaction, claimed);
      return claimed?.tenantId;
    });
  } catch (error) {
    if (claimed === undefined) throw error;
    if (triesLeft > 0 && !isDataFault(error)) return await workChunk(work, after, triesLeft - 1);
    onPostponed?.(error);
    await postponeImport(db, claimed, isOutage(error));
    return claimed.tenantId;
  }
}

async function claimImport(db: Database, after: string): Promise<ClaimedImport | undefined> {
  const { rows } = await sql<ClaimedImport>`
    select i.id, i.tenant_id as "tenantId", i.kind, i.topic, i.columns, i.requested_at as "requestedAt", i.lines,
           i.processed, i.added, i.already_there as "alreadyThere", i.left_out as "leftOut", i.faults,
           i.person_id as "personId", i.person, i.address
    from imports i join tenants t on t.id = i.tenant_id
    where i.state in ('waiting', 'running') and i.tenant_id > ${after} and i.due_at <= now()
      and not exists (
        select from imports o
        where o.tenant_id = i.tenant_id and o.id < i.id and o.state in ('waiting', 'running')
      )
    order by i.tenant_id, i.id limit 1
    -- Requesting an erasure and deleting a tenant lock the tenant's row, so they happen before or after this chunk.
    for share of t skip locked for no key update of i skip locked`.execute(db);
  return rows[0];
}

async function writeChunk(db: Database, claimed: ClaimedImport): Promise<void> {
  const { id, tenantId, kind, topic } = claimed;
  const chunk = await db
    .selectFrom("import_chunks")
    .select(["number", "records"])
    .where("import_id", "=", id)
    .orderBy("number")
    .limit(1)
    .executeTakeFirst();
  const stored = chunk === undefined ? [] : (JSON.parse(chunk.records) as StoredRecord[]);
  const isErased = await erasedSince(db, claimed);
  const records = withoutErased(stored, claimed.columns, isErased);
  const columns = claimed.columns.filter((column) => column !== "");
  const at = columns.indexOf("userId");
  const faults: LineFault[] = [];
  const read = [];
  for (const [line, ...fields] of records) {
    if (fields[0] === null) {
      const message = fields[1] ?? "";
      faults.push({ line, field: message === ERASED_LINE ? "userId" : "line", message });
      continue;
    }
    const texts = fields as string[];
    read.push({ line, userId: texts[at] ?? "", fields: texts });
  }
  const { findUsers, write } = IMPORTED[kind];
  const place = { tenantId, topic, columns };
  const found = (await findUsers?.(db, place, read)) ?? { lines: read, faults: [] };
  const good = [];
  for (const one of found.lines) {
    if (!isErased(one.userId)) good.push(one);
    else faults.push({ line: one.line, field: "userId", message: ERASED_LINE });
  }
  const written = await write(db, place, good);
  faults.push(...found.faults, ...written.faults);
  const leftOut = new Set(faults.map(({ line }) => line)).size;
  const alreadyThere = records.length - leftOut - written.added;
  if (chunk !== undefined) {
    await db
      .deleteFrom("import_chunks")
      .where("import_id", "=", id)
      .where("number", "=", chunk.number)
      .execute();
  }
  const isDone = claimed.processed + records.length === claimed.lines;
  const counts = {
    processed: claimed.processed + records.length,
    added: claimed.added + written.added,
    alreadyThere: claimed.alreadyThere + alreadyThere,
    leftOut: claimed.leftOut + leftOut,
  };
  const allFaults = [...claimed.faults, ...faults.toSorted((a, b) => a.line - b.line)];
  await db
    .updateTable("imports")
    .set({
      state: isDone ? "done" : "running",
      started_at: sql<Date>`coalesce(started_at, now())`,
      ended_at: isDone ? sql<Date>`now()` : null,
      processed: counts.processed,
      added: counts.added,
      already_there: counts.alreadyThere,
      left_out: counts.leftOut,
      faults: JSON.stringify(allFaults.slice(0, MAX_IMPORT_FAULTS)),
      tries: 0,
    })
    .where("id", "=", id)
    .execute();
  if (isDone) await tellEnd(db, claimed, "import.done", counts);
}

/** Writes the end of an import to the audit log, with counts but without users. */
async function tellEnd(db: Database, claimed: ClaimedImport, action: string, counts: object) {
  const { personId, person, address, tenantId, id } = claimed;
  const after = { import: id, ...counts };
  const note = { tenantId, action, target: targetOf(claimed), after };
  await writeNote(db, { personId, person, address }, note);
}

async function postponeImport(
  db: Database,
  claimed: ClaimedImport,
  isFree: boolean,
): Promise<void> {
  const { id, tenantId, processed, added, alreadyThere, leftOut } = claimed;
  await db.transaction().execute(async (transaction) => {
    const row = await transaction
      .updateTable("imports")
      .set({
        tries: sql<number>`tries + ${isFree ? 0 : 1}::integer`,
        due_at: sql<Date>`now() + ${AGAIN_AFTER_SECONDS} * interval '1 second'`,
      })
      .where("id", "=", id)
      .where("state", "in", ["waiting", "running"])
      .returning("tries")
      .executeTakeFirst();
    if (row === undefined || row.tries < MAX_TRIES) return;
    await endImport(transaction, { tenantId, id }, "failed");
    const counts = { processed, added, alreadyThere, leftOut };
    await tellEnd(transaction, claimed, "import.failed", counts);
  });
}

/** Cancels imports that have received no part for an hour, because their sender is gone. */
async function giveUpUnfinished(db: Database): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ id: string; tenantId: string }>`
      select id, tenant_id as "tenantId" from imports
      where state = 'receiving' and due_at < now() for no key update skip locked`.execute(
      transaction,
    );
    for (const place of rows) await endImport(transaction, place, "cancelled");
  });
}
