import { hash } from "node:crypto";
import {
  type IgnoredColumn,
  type ImportKind,
  MAX_IMPORT_BYTES,
  MAX_IMPORT_LINES,
  MAX_OPEN_IMPORTS,
  PART_WITHIN_MINUTES,
  PARTS_WITHIN_HOURS,
} from "@belfry/contracts/imports";
import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import { uuidv7 } from "uuidv7";
import type { Actor } from "../audited.ts";
import { withoutMark } from "../file-text.ts";
import { type InputFault, invalid, NotFound, TooLate } from "../input-error.ts";
import { holdTenant } from "../tenants/tenant-rows.ts";
import { isMisspelt, readHeading, widthFault } from "./csv-heading.ts";
import { type CsvPlace, csvReader } from "./csv-records.ts";
import { IMPORTED } from "./import-kinds.ts";
import { holdTopic } from "./topic-rows.ts";

/** States of an import that has not ended. */
export const OPEN_STATES = ["receiving", "waiting", "running"] as const;

/** Bounds of a chunk, which is written in one transaction. */
const RECORDS_PER_CHUNK = 500;
const CHARACTERS_PER_CHUNK = 128 * 1024;

/** A record in a chunk: its line number and fields; for a bad line its number, null and the fault. */
export type StoredRecord =
  | [line: number, ...fields: string[]]
  | [line: number, none: null, fault: string];

/** A fault of a line. It contains no value of the file. */
export type LineFault = InputFault & { line: number };

/** Whether an import into a topic is open. The caller must lock the topic, because starting an import locks it too. */
export async function hasOpenImport(
  db: Database,
  { tenantId, key }: { tenantId: string; key: string },
): Promise<boolean> {
  const row = await db
    .selectFrom("imports")
    .select("id")
    .where("tenant_id", "=", tenantId)
    .where("state", "in", OPEN_STATES)
    .where("topic", "=", key)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Stores an import that waits for its first part, and creates its topic if there is none. Returns the import's id.
 * Throws `NotFound`, `TooLate`, `InvalidInput`.
 */
export async function insertImport(
  db: Database,
  tenantId: string,
  { kind, topic, actor }: { kind: ImportKind; topic: string | undefined; actor: Actor },
): Promise<string> {
  await holdTenant(db, tenantId);
  const { count } = await db
    .selectFrom("imports")
    .select(sql<number>`count(*)::integer`.as("count"))
    .where("tenant_id", "=", tenantId)
    .where("state", "in", OPEN_STATES)
    .executeTakeFirstOrThrow();
  if (count >= MAX_OPEN_IMPORTS) {
    throw new TooLate(`${count} imports are not done yet: wait for one, or cancel one`);
  }
  if (topic !== undefined) await holdTopic(db, { tenantId, key: topic }, "topic");
  const id = uuidv7();
  const { personId: person_id, person, address } = actor;
  await db
    .insertInto("imports")
    .values({
      id,
      tenant_id: tenantId,
      kind,
      topic: topic ?? null,
      person_id,
      person,
      address,
      faults: "[]",
      ignored_columns: "[]",
    })
    .execute();
  return id;
}

/**
 * Stores the next part of a file: complete records as chunks, and an incomplete one as the state for the next part. If
 * the last part is sent again, nothing changes. Throws `NotFound`, `TooLate`, `InvalidInput`.
 */
export async function receivePart(
  db: Database,
  { tenantId, id }: { tenantId: string; id: string },
  { part, text, more }: { part: number; text: string; more: boolean },
): Promise<void> {
  const found = await db
    .selectFrom("imports")
    .select(["kind", "state", "parts", "reader", "columns", "bytes", "lines"])
    .select("requested_at as requestedAt")
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (found === undefined) throw noImport(id);
  if (part === found.parts) return;
  if (found.state !== "receiving")
    throw new TooLate(`the import takes no part: it is ${found.state}`);
  if (part !== found.parts + 1) throw invalid("part", `must be ${found.parts + 1}, the next one`);

  const { columns, ignored, lines, chunks, reader } = readPart(found, text, more);
  const isErased = await erasedSince(db, { tenantId, requestedAt: found.requestedAt });
  const stored = chunks.map((records) =>
    JSON.stringify(withoutErased(records, columns ?? [], isErased)),
  );
  const sizes = [text, ...stored].map((one) => Buffer.byteLength(one));
  // Counts what is larger, the text of the part or its chunks as JSON.
  const bytes = Number(found.bytes) + Math.max(sizes[0]!, sum(sizes.slice(1)));
  if (bytes > MAX_IMPORT_BYTES) throw invalid("file", `must be at most ${MAX_IMPORT_BYTES} bytes`);
  if (lines > MAX_IMPORT_LINES)
    throw invalid("file", `must have at most ${MAX_IMPORT_LINES} lines`);
  if (!more && lines === 0) throw invalid("file", "must have a line");
  await sql`
    insert into import_chunks (import_id, number, records)
    select ${id}, (select coalesce(max(c.number), 0) from import_chunks c where c.import_id = ${id}) + n.number, n.records
    from unnest(${stored}::text[]) with ordinality n (records, number)`.execute(db);
  await db
    .updateTable("imports")
    .set({
      parts: part,
      columns: columns ?? null,
      ...(ignored && { ignored_columns: JSON.stringify(ignored) }),
      reader: more ? JSON.stringify(reader) : null,
      lines,
      bytes: String(bytes),
      state: more ? "receiving" : "waiting",
      // The deadline for the next part or, for a complete file, the time from which the lines are written.
      due_at: more
        ? sql`least(now() + ${PART_WITHIN_MINUTES} * interval '1 minute',
                    requested_at + ${PARTS_WITHIN_HOURS} * interval '1 hour')`
        : sql`now()`,
    })
    .where("id", "=", id)
    .execute();
}

/** The fault of a line whose user's erasure was requested after the import began. */
export const ERASED_LINE = "was erased after the import was begun";

/** Replaces the records of erased users by a fault without their data. `columns`: the columns of the file. */
export function withoutErased(
  records: readonly StoredRecord[],
  columns: readonly string[],
  isErased: (userId: string) => boolean,
): StoredRecord[] {
  const at = columns.filter((column) => column !== "").indexOf("userId");
  return records.map((record) => {
    const [line, ...fields] = record;
    return fields[0] !== null && isErased(fields[at] ?? "") ? [line, null, ERASED_LINE] : record;
  });
}

/**
 * Returns a function that tests whether a user's erasure was requested since an import began. The import must not store
 * such a user again.
 */
export async function erasedSince(
  db: Database,
  { tenantId, requestedAt }: { tenantId: string; requestedAt: Date },
): Promise<(userId: string) => boolean> {
  const rows = await db
    .selectFrom("erasures")
    .select("user_hash as userHash")
    .where("tenant_id", "=", tenantId)
    .where("requested_at", ">=", requestedAt)
    .execute();
  if (rows.length === 0) return () => false;
  const hashes = new Set(rows.map(({ userHash }) => userHash.toString("hex")));
  return (userId) => hashes.has(hash("sha256", `${tenantId}\n${userId}`));
}

interface Received {
  kind: ImportKind;
  reader: string | null;
  columns: string[] | null;
  lines: number;
}

function readPart({ kind, ...before }: Received, text: string, more: boolean) {
  let { lines } = before;
  let columns = before.columns ?? undefined;
  /** Set if the heading is in this part. */
  let ignored: IgnoredColumn[] | undefined;
  const { columns: names, needed, mayLackHeading } = IMPORTED[kind];
  const isFirst = before.reader === null;
  const reader = csvReader(isFirst ? undefined : (JSON.parse(before.reader ?? "") as CsvPlace));
  const chunks: StoredRecord[][] = [];
  let room = 0;
  const store = (record: StoredRecord, characters: number) => {
    const last = chunks.at(-1);
    if (last === undefined || last.length === RECORDS_PER_CHUNK || characters > room) {
      chunks.push([record]);
      room = CHARACTERS_PER_CHUNK;
    } else last.push(record);
    room -= characters;
    lines += 1;
  };
  const take = (
    records: Iterable<ReturnType<typeof reader.read> extends Iterable<infer R> ? R : never>,
  ) => {
    for (const record of records) {
      if ("fault" in record) {
        // If the first line is bad, the columns are unknown.
        if (columns === undefined && !mayLackHeading) throw noHeading(kind);
        store([record.line, null, record.fault], record.fault.length);
        continue;
      }
      if (columns === undefined) {
        const heading = readHeading(names, record.fields);
        if (needed.some((column) => heading.columns.includes(column))) {
          ({ columns, ignored } = heading);
          continue;
        }
        const isId = widthFault(record.fields, 1) === undefined;
        const [text = ""] = record.fields;
        if (!mayLackHeading || !isId || isMisspelt(names, text)) throw noHeading(kind);
        columns = ["userId"];
      }
      const fault = widthFault(record.fields, columns.length);
      if (fault !== undefined) {
        store([record.line, null, fault], fault.length);
        continue;
      }
      const fields = columns.flatMap((column, at) =>
        column === "" ? [] : (record.fields[at] ?? ""),
      );
      store([record.line, ...fields], sum(fields.map((one) => one.length)));
    }
  };
  // The first part begins with the file's mark; later parts continue the reader's state.
  take(reader.read(isFirst ? withoutMark(text) : text));
  if (!more) take(reader.end());
  return { columns, ignored, lines, chunks, reader: reader.place() };
}

function noHeading(kind: ImportKind) {
  const { columns, needed } = IMPORTED[kind];
  const more = Object.keys(columns).filter((column) => !needed.includes(column));
  const others = more.length === 0 ? "" : `, and may name ${more.join(", ")}`;
  return invalid(
    "file",
    `must begin with a line that names the column ${needed.join(" or ")}${others}`,
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

export function noImport(id: string): NotFound {
  return new NotFound("importId", `no import has the id ${JSON.stringify(id)}`);
}

/**
 * Ends an open import and deletes its remaining chunks. Lines that are written stay. Waits for a chunk that is being
 * written. Returns false if the import has ended or does not exist.
 */
export async function endImport(
  db: Database,
  { tenantId, id }: { tenantId: string; id: string },
  state: "failed" | "cancelled",
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("imports")
    .set({ state, ended_at: sql<Date>`now()`, reader: null })
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id)
    .where("state", "in", OPEN_STATES)
    .executeTakeFirst();
  await db.deleteFrom("import_chunks").where("import_id", "=", id).execute();
  return numUpdatedRows > 0n;
}
