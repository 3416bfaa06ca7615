import { EXAMPLE_CHANNEL } from "@belfry/contracts/channels";
import { textFault } from "@belfry/contracts/identifiers";
import { IGNORED_COLUMNS } from "@belfry/contracts/imports";
import { type PreferenceChannel, preferenceFaults } from "@belfry/contracts/preferences";
import { noteUse } from "@belfry/database/configuration-version";
import type { Database } from "@belfry/database/connection";
import {
  categoriesOfTenant,
  holdUsers,
  notePreferenceChange,
  tellPreferences,
} from "@belfry/database/preferences";
import { type Static, Type } from "@sinclair/typebox";
import { sql } from "kysely";
import { type ActContext, defineAct, EDIT } from "../act.ts";
import { audited } from "../audited.ts";
import { faultAt } from "../input-error.ts";
import { requireTenant } from "../tenants/tenant-rows.ts";
import {
  checkShare,
  csvFile,
  type FileOfLines,
  type ReadRecord,
  readRows,
  SHARES,
  writeInParts,
} from "./read-rows.ts";

interface Cell {
  userId: string;
  category: string;
  channel: PreferenceChannel;
}

/** Names of the columns in exports of other services. */
const COLUMN_NAMES = {
  user: ["user", "user id", "external id", "external user id", "customer id", "recipient id"],
  category: ["category", "category key", "topic", "list", "group", "subscription"],
  channel: ["channel", "medium"],
};
const COLUMNS = Object.keys(COLUMN_NAMES);
/** Most cells of a user in one webhook message. Further cells are sent in another message. */
const CELLS_PER_MESSAGE = 100;

const Counts = Type.Object({
  lines: Type.Integer({ description: "Lines without the heading and empty ones" }),
  turnedOff: Type.Integer({ description: "Cells that this import turned off" }),
  alreadyOff: Type.Integer({
    description: "These were off before: they keep their source and time",
  }),
  ...IGNORED_COLUMNS,
});

export const importUnsubscribes = defineAct({
  name: "user import",
  http: "POST /users/import-unsubscribes",
  access: EDIT,
  effect: "steps",
  summary:
    "Import a CSV file of users who unsubscribed elsewhere; a bad line refuses the whole file",
  description:
    "The whole file is read before anything is written, a thousand cells a transaction. After a failure in between, import it again: what is off stays as it is.",
  input: Type.Object({
    file: csvFile({
      description:
        "columns user, category (a key or *), channel (or *), or a heading that names them",
    }),
    ...SHARES,
  }),
  output: Counts,
  example: {
    input: { file: `user-1,offers,${EXAMPLE_CHANNEL}\n` },
    output: { lines: 1, turnedOff: 1, alreadyOff: 0, ignoredColumns: [] },
  },
  flags: { part: null, parts: null },
  run: async (context, { file, ...share }) => ({
    output: await turnOffLines(context, file, share),
  }),
});

async function turnOffLines(
  { db, tenantId, actor }: ActContext,
  file: FileOfLines,
  share: Parameters<typeof checkShare>[0],
) {
  await requireTenant(db, tenantId);
  checkShare(share);
  const known = await categoriesOfTenant(db, tenantId);
  const categories = new Map(known.map((category) => [category.key, category]));
  const { rows, lines, ignoredColumns } = await readRows(file, {
    columns: COLUMN_NAMES,
    read: (fields) => readCell(fields, categories),
  });
  if (rows.length === 0) return { lines, turnedOff: 0, alreadyOff: 0, ignoredColumns };
  // Runs before the first part, so that no part locks the configuration version.
  await noteUse(db, tenantId, "uses_preferences");
  const done = await writeInParts(
    async (change, note) => {
      await notePreferenceChange(db, tenantId);
      return await audited(db, actor, change, note);
    },
    rows,
    (transaction, cells) => turnOff(transaction, tenantId, cells),
    (counts, { name }) => ({
      tenantId,
      action: "user.import-unsubscribes",
      target: `${lines} ${lines === 1 ? "line" : "lines"}${name}`,
      after: counts,
    }),
    share,
  );
  const sum = (name: "turnedOff" | "alreadyOff") =>
    done.reduce((total, counts) => total + counts[name], 0);
  return {
    lines,
    turnedOff: sum("turnedOff"),
    alreadyOff: sum("alreadyOff"),
    ignoredColumns,
  };
}

function readCell(
  fields: readonly string[],
  categories: Parameters<typeof preferenceFaults>[1],
): ReadRecord<Cell> {
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
  return { faults, ...(faults.length === 0 && { row }) };
}

async function turnOff(
  db: Database,
  tenantId: string,
  cells: readonly Cell[],
): Promise<Pick<Static<typeof Counts>, "turnedOff" | "alreadyOff">> {
  const column = (name: keyof Cell) => cells.map((cell) => cell[name]);
  await holdUsers(db, tenantId, column("userId"));
  const { rows } = await sql<Cell>`
    insert into preferences as p (tenant_id, user_id, category, channel, enabled, source, at)
    select ${tenantId}, c.user_id, c.category, c.channel, false, 'import', now()
    from unnest(${column("userId")}::text[], ${column("category")}::text[], ${column("channel")}::text[])
      c (user_id, category, channel)
    order by c.user_id collate "C", c.category collate "C", c.channel collate "C"
    on conflict (tenant_id, user_id, category, channel) do update
      set enabled = false, source = excluded.source, at = excluded.at
      where p.enabled
    returning p.user_id as "userId", p.category, p.channel`.execute(db);
  await tellTurnedOff(db, tenantId, rows);
  return { turnedOff: rows.length, alreadyOff: cells.length - rows.length };
}

/** Sends the tenant's endpoints the cells that were turned off, user by user. */
async function tellTurnedOff(
  db: Database,
  tenantId: string,
  cells: readonly Cell[],
): Promise<void> {
  const users = [...Map.groupBy(cells, ({ userId }) => userId)].flatMap(([userId, own]) => {
    const changes = own.map(({ category, channel }) => ({ category, channel, enabled: false }));
    const messages = Math.ceil(changes.length / CELLS_PER_MESSAGE);
    return Array.from({ length: messages }, (_, at) => ({
      userId,
      cells: changes.slice(at * CELLS_PER_MESSAGE, (at + 1) * CELLS_PER_MESSAGE),
    }));
  });
  if (users.length > 0) await tellPreferences(db, tenantId, "import", users);
}
