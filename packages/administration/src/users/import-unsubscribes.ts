import { textFault } from "@belfry/contracts/identifiers";
import { preferenceFaults } from "@belfry/contracts/preference-faults";
import type { PreferenceChange, PreferenceChannel } from "@belfry/contracts/preferences";
import { type Database, inTransaction } from "@belfry/database/connection";
import { noteUse } from "@belfry/database/note-use";
import { categoriesOfTenant, holdUsers, tellPreferences } from "@belfry/database/preferences";
import { sql } from "kysely";
import { faultAt } from "../input-error.ts";
import { requireTenant } from "../tenants/require-tenant.ts";
import { csvFields } from "./csv-line.ts";
import { type FileOfLines, type ReadLine, ROWS_PER_STATEMENT, readRows } from "./read-rows.ts";

export interface ImportedUnsubscribes {
  /** Without the heading and empty ones. */
  lines: number;
  /** Cells that are off now and were not before. */
  turnedOff: number;
  /** Those that were off before keep where they came from, and when. */
  alreadyOff: number;
}

interface Cell {
  userId: string;
  category: string;
  channel: PreferenceChannel;
}

const COLUMNS = ["user", "category", "channel"];
/** Of one user; what is more goes in another message. */
const CELLS_PER_MESSAGE = 100;

/**
 * Turns off what the lines of a CSV file say: user, category (a key, or *) and channel (or *). A first line that
 * names these columns is left out. All of it in one transaction, or nothing: throws `InvalidInput` with a fault a
 * bad line, at most 50 and how many more there are; `NotFound` for an unknown tenant. Within a caller's transaction
 * it joins that one.
 */
export async function importUnsubscribes(
  db: Database,
  tenantId: string,
  file: FileOfLines,
): Promise<ImportedUnsubscribes> {
  return await inTransaction(db, async (transaction) => {
    await requireTenant(transaction, tenantId);
    const known = await categoriesOfTenant(transaction, tenantId);
    const categories = new Map(known.map((category) => [category.key, category]));
    await sql`
      create temp table unsubscribes (user_id text, category text, channel text) on commit drop
    `.execute(transaction);
    await sql`
      create temp table turned_off (user_id text collate "C", category text collate "C", channel text collate "C")
      on commit drop`.execute(transaction);
    const { lines } = await readRows(file, {
      read: (line) => readLine(line, categories),
      store: (cells) => addUnsubscribes(transaction, cells),
      notUtf8: (line) => `must be UTF-8: line ${line} is not`,
    });
    if (lines === 0) return { lines, turnedOff: 0, alreadyOff: 0 };
    await noteUse(transaction, tenantId, "uses_preferences");
    const { changed, all } = await turnOff(transaction, tenantId);
    if (changed > 0) await tellTurnedOff(transaction, tenantId);
    return { lines, turnedOff: changed, alreadyOff: all - changed };
  });
}

function readLine(
  line: string,
  categories: Parameters<typeof preferenceFaults>[1],
): ReadLine<Cell> {
  const parsed = csvFields(line);
  if ("fault" in parsed) return { faults: [parsed.fault] };
  const { fields } = parsed;
  const isHeading = fields.join(",").toLowerCase() === COLUMNS.join(",");
  if (fields.length !== COLUMNS.length) {
    const fault = `must have three columns, ${COLUMNS.join(", ")}: it has ${fields.length}`;
    return { faults: [fault] };
  }
  const [userId = "", category = "", channel = ""] = fields;
  const row = { userId, category, channel: channel as PreferenceChannel };
  const faults = [
    faultAt("user", textFault(userId)),
    ...preferenceFaults({ ...row, enabled: false }, categories),
  ]
    .filter((fault) => fault !== undefined)
    .map(({ field, message }) => `${field} ${message}`);
  return { isHeading, faults, ...(faults.length === 0 && { row }) };
}

async function addUnsubscribes(db: Database, cells: readonly Cell[]): Promise<void> {
  const column = (name: keyof Cell) => cells.map((cell) => cell[name]);
  await sql`
    insert into unsubscribes select * from unnest(
      ${column("userId")}::text[], ${column("category")}::text[], ${column("channel")}::text[])
  `.execute(db);
}

async function turnOff(db: Database, tenantId: string): Promise<{ changed: number; all: number }> {
  await holdUsers(db, tenantId, sql`select user_id from unsubscribes`);
  const { rows } = await sql<{ changed: number; all: number }>`
    with named as materialized (
      select distinct u.user_id collate "C" as user_id, u.category collate "C" as category,
        u.channel collate "C" as channel
      from unsubscribes u
    ),
    written as (
      insert into preferences as p (tenant_id, user_id, category, channel, enabled, source, at)
      select ${tenantId}, n.user_id, n.category, n.channel, false, 'import', now() from named n
      order by n.user_id, n.category, n.channel
      on conflict (tenant_id, user_id, category, channel) do update
        set enabled = false, source = excluded.source, at = excluded.at
        where p.enabled
      returning p.user_id, p.category, p.channel
    ),
    noted as (insert into turned_off select * from written returning 1)
    select (select count(*)::integer from noted) as changed,
           (select count(*)::integer from named) as all`.execute(db);
  return rows[0]!;
}

/** Tells the tenant's endpoints of what was turned off, user by user, some thousands of cells at a time. */
async function tellTurnedOff(db: Database, tenantId: string): Promise<void> {
  await sql`create index on turned_off (user_id, category, channel)`.execute(db);
  let after: Cell | undefined;
  for (;;) {
    const { rows } = await sql<Cell>`
      select user_id as "userId", category, channel from turned_off
      ${
        after === undefined
          ? sql``
          : sql`where (user_id, category, channel) > (${after.userId}, ${after.category}, ${after.channel})`
      }
      order by user_id, category, channel limit ${ROWS_PER_STATEMENT}`.execute(db);
    const users: { userId: string; cells: PreferenceChange[] }[] = [];
    for (const { userId, category, channel } of rows) {
      const last = users.at(-1);
      const cell = { category, channel, enabled: false };
      if (last?.userId === userId && last.cells.length < CELLS_PER_MESSAGE) last.cells.push(cell);
      else users.push({ userId, cells: [cell] });
    }
    if (users.length > 0) await tellPreferences(db, tenantId, "import", users);
    if (rows.length < ROWS_PER_STATEMENT) return;
    after = rows.at(-1);
  }
}
