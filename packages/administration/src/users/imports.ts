import { flag, id, oneOf, orNull, time } from "@belfry/contracts/fields";
import { UUID } from "@belfry/contracts/identifiers";
import {
  csvPart,
  IGNORED_COLUMNS,
  IMPORT_DAYS,
  IMPORT_KINDS,
  IMPORT_STATES,
  MAX_IMPORT_BYTES,
  MAX_IMPORT_FAULTS,
  MAX_IMPORT_LINES,
  partNumber,
} from "@belfry/contracts/imports";
import { topicKey } from "@belfry/contracts/topics";
import { noteUse } from "@belfry/database/configuration-version";
import type { Database } from "@belfry/database/connection";
import { type Static, Type } from "@sinclair/typebox";
import { sql } from "kysely";
import { defineAct, defineRead, EDIT, LOOK, note, optional } from "../act.ts";
import { writeNote } from "../audited.ts";
import { columnsOf } from "../columns.ts";
import { InvalidInput, invalid, TooLate } from "../input-error.ts";
import { pageFields, pageFrom, pageOf } from "../pages.ts";
import { endImport, insertImport, noImport, receivePart } from "./import-rows.ts";

const MOST_LISTED = 100;
const LISTED = 20;
/** Enough for a part in characters of three bytes, some of them escaped. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** A CSV file that is imported in the background. */
const Import = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    kind: oneOf(IMPORT_KINDS),
    topic: orNull(Type.String({ description: "Topic of an import of members" })),
    state: oneOf(IMPORT_STATES, {
      description:
        "`receiving` while parts of the file come, then `waiting` and `running`; of a tenant one runs at a time",
    }),
    person: Type.String({ description: "The person who began it" }),
    parts: Type.Integer({ description: "Parts that have arrived" }),
    lines: Type.Integer({
      description: "Lines that have arrived, without the heading and empty ones",
    }),
    processed: Type.Integer({
      description: "Lines that were processed: the sum of the three fields below",
    }),
    added: Type.Integer({ description: "Users that were created" }),
    alreadyThere: Type.Integer({
      description: "Users that existed, or that an earlier line named",
    }),
    leftOut: Type.Integer({ description: "Bad lines; `faults` lists the first ones" }),
    requestedAt: time("When it was begun"),
    startedAt: orNull(time("When its first lines were written")),
    endedAt: orNull(time("When it ended; null: it is open")),
  },
  { title: "Import" },
);
const ShownImport = Type.Object(
  {
    ...Import.properties,
    faults: Type.Array(
      Type.Object({ line: Type.Integer(), field: Type.String(), message: Type.String() }),
      { description: `The first ${MAX_IMPORT_FAULTS}, without any value of the file` },
    ),
    ...IGNORED_COLUMNS,
  },
  { title: "ShownImport" },
);
export type Import = Static<typeof Import>;
export type ShownImport = Static<typeof ShownImport>;

const IMPORT_ID = "0198c0de-0000-7000-8000-000000000001";
const RECEIVING: ShownImport = {
  id: IMPORT_ID,
  kind: "members",
  topic: "news",
  state: "waiting",
  person: "key pipeline",
  parts: 1,
  lines: 2,
  processed: 0,
  added: 0,
  alreadyThere: 0,
  leftOut: 0,
  requestedAt: "2026-11-20T09:30:00.000Z",
  startedAt: null,
  endedAt: null,
  faults: [],
  ignoredColumns: [],
};
const { faults: _, ignoredColumns: __, ...LISTED_IMPORT } = RECEIVING;

const importId = id({ description: "the import's id" });
const more = optional(flag(), "further parts of the file follow");

export const startImport = defineAct({
  name: "import start",
  http: "POST /imports",
  access: EDIT,
  effect: "steps",
  maxBodyBytes: MAX_BODY_BYTES,
  summary: "Import a CSV file of users, or of a topic's members, in the background",
  description: [
    "`users`: the first line names the columns: userId, and any of email, phone, chat, locale, timezone and quietHours (as 22:00-06:00).",
    "An empty field says that there is none; a column that the file has not stays as it is.",
    "`members`: the users of the column userId are added to the topic, or, by their addresses in the directory, those of the column email.",
    `A file may have ${MAX_IMPORT_LINES} lines and ${MAX_IMPORT_BYTES / 1024 / 1024} MiB: send a longer text in parts.`,
    `Bad lines are left out and told. It is kept for ${IMPORT_DAYS} days after its end.`,
  ].join(" "),
  input: Type.Object({
    kind: oneOf(IMPORT_KINDS, { description: IMPORT_KINDS.join(" or ") }),
    topic: optional(topicKey("of members: the topic, which is made where there is none")),
    file: csvPart(),
    more,
  }),
  output: ShownImport,
  example: {
    input: { kind: "members", topic: "news", file: "userId\nuser-1\nuser-2\n" },
    output: RECEIVING,
  },
  async run({ db, tenantId, actor }, { kind, topic, file, more: isMore = false }) {
    if ((kind === "members") !== (topic !== undefined)) {
      throw invalid("topic", kind === "members" ? "is missing" : "is for members alone");
    }
    // Runs before the transactions of the lines, so that none of them locks the configuration version.
    if (kind === "users") await noteUse(db, tenantId, "uses_recipients");
    const begun = await db.transaction().execute(async (transaction) => {
      const made = await insertImport(transaction, tenantId, { kind, topic, actor });
      await receivePart(transaction, { tenantId, id: made }, { part: 1, text: file, more: isMore });
      const told = note("import.start", targetOf({ kind, topic: topic ?? null }));
      await writeNote(transaction, actor, { tenantId, ...told, after: { import: made } });
      return made;
    });
    return { output: await shownImport(db, tenantId, begun) };
  },
});

export const addToImport = defineAct({
  name: "import add",
  http: "POST /imports/:importId/parts",
  access: EDIT,
  effect: "steps",
  maxBodyBytes: MAX_BODY_BYTES,
  command: false,
  summary: "Send the next part of a file",
  description:
    "Parts come one after the other; a file may be cut at any place. The part that came last may be sent again. A file that is too large is refused, and its import cancelled.",
  input: Type.Object({ importId, part: partNumber(), file: csvPart(), more }),
  output: ShownImport,
  example: {
    input: { importId: IMPORT_ID, part: 2, file: "user-3\n" },
    output: { ...RECEIVING, parts: 2, lines: 3 },
  },
  async run({ db, tenantId }, { importId: of, part, file, more: isMore = false }) {
    const place = { tenantId, id: requireId(of) };
    await db
      .transaction()
      .execute((transaction) => receivePart(transaction, place, { part, text: file, more: isMore }))
      .catch(async (error) => {
        const isFile = error instanceof InvalidInput && error.faults[0]?.field === "file";
        if (isFile) await endImport(db, place, "cancelled");
        throw error;
      });
    return { output: await shownImport(db, tenantId, of) };
  },
});

export const showImport = defineRead({
  name: "import show",
  http: "GET /imports/:importId",
  access: LOOK,
  summary: "Show the progress of an import, and the faults of its lines",
  input: Type.Object({ importId }),
  output: ShownImport,
  example: { input: { importId: IMPORT_ID }, output: RECEIVING },
  flags: { importId: "<id>" },
  run: ({ db, tenantId }, { importId: of }) => shownImport(db, tenantId, requireId(of)),
});

export const listImports = defineRead({
  name: "import list",
  http: "GET /imports",
  access: LOOK,
  pages: true,
  summary: "A tenant's imports, the newest first",
  input: Type.Object(pageFields(MOST_LISTED, LISTED, (place) => UUID.test(place))),
  output: pageOf(Import),
  example: { input: {}, output: { items: [LISTED_IMPORT] } },
  async run({ db, tenantId }, { limit = LISTED, after }) {
    const { rows } = await sql<Import>`
      select ${columnsOf(Import, "i")} from imports i
      where i.tenant_id = ${tenantId} ${after === undefined ? sql`` : sql`and i.id < ${after}::uuid`}
      order by i.id desc limit ${limit + 1}`.execute(db);
    return pageFrom(rows, limit, (last) => last.id);
  },
});

export const cancelImport = defineAct({
  name: "import cancel",
  http: "POST /imports/:importId/cancel",
  access: EDIT,
  summary: "Stop an import; the lines that were imported stay",
  input: Type.Object({ importId }),
  output: ShownImport,
  example: {
    input: { importId: IMPORT_ID },
    output: { ...RECEIVING, state: "cancelled", endedAt: "2026-11-20T09:30:02.000Z" },
  },
  flags: { importId: "<id>" },
  async run({ db, tenantId }, { importId: of }) {
    const isStopped = await endImport(db, { tenantId, id: requireId(of) }, "cancelled");
    const output = await shownImport(db, tenantId, of);
    if (!isStopped) throw new TooLate(`the import has ended: it is ${output.state}`);
    return { output };
  },
  audit: (_input, { output }) =>
    note("import.cancel", targetOf(output), { after: { import: output.id } }),
});

/** Returns the import's name in the audit log. */
export function targetOf({ kind, topic }: Pick<Import, "kind" | "topic">): string {
  return topic === null ? kind : `${kind} of ${topic}`;
}

function requireId(given: string): string {
  if (!UUID.test(given)) throw noImport(given);
  return given;
}

/** Returns an import. Throws `NotFound`. */
async function shownImport(db: Database, tenantId: string, of: string): Promise<ShownImport> {
  const { rows } = await sql<ShownImport>`
    select ${columnsOf(ShownImport, "i")} from imports i
    where i.tenant_id = ${tenantId} and i.id = ${of}`.execute(db);
  if (rows[0] === undefined) throw noImport(of);
  return rows[0];
}
