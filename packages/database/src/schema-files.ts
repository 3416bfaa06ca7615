import { hash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { REASONS } from "@belfry/contracts/reasons";
import { type Kysely, sql } from "kysely";
import description from "../package.json" with { type: "json" };

export interface Migration {
  up(db: Kysely<unknown>): Promise<void>;
  /**
   * For what may not stand in a transaction, as `create index concurrently`. Such a migration begins
   * with `drop index concurrently if exists`: when it ends halfway, it is run again.
   */
  withoutTransaction?: true;
}

/** A file of functions, each made by `create or replace`: it may be applied again at any time. */
export interface FunctionFile {
  /** Without its folder and `.sql`. */
  name: string;
  text: string;
  /** SHA-256 of the text. */
  hash: string;
}

const TABLES = new URL("../schema/", import.meta.url);
const FUNCTIONS = new URL("./functions/", import.meta.url);
/** The first line of a file that may not stand in a transaction; its paragraphs are the statements. */
const ALONE = "-- Outside a transaction, a statement a paragraph.\n";

/** What makes a database. */
export interface SchemaSource {
  /** Of tables, by name; they run in the order of their names. */
  migrations: Readonly<Record<string, Migration>>;
  /** Applied after the migrations. */
  functions: readonly FunctionFile[];
  /** A database whose functions are of a later version is left as it is. */
  version: string;
}

/** Of this code. */
export const SCHEMA: SchemaSource = {
  migrations: Object.fromEntries(
    (await readFiles(TABLES, /^\d{4}-.*\.sql$/)).map(({ name, text }) => [name, migrationOf(text)]),
  ),
  functions: [
    ...(await readFiles(FUNCTIONS, /\.sql$/)).map(({ name, text }) => functionFile(name, text)),
    functionFile("reason-words", reasonWordsTable()),
  ],
  version: description.version,
};

export function functionFile(name: string, text: string): FunctionFile {
  return { name, text, hash: hash("sha256", text) };
}

/** The words of reasons, for what the database itself tells. Codes that an older version still writes stay. */
function reasonWordsTable(): string {
  const rows = Object.entries(REASONS).map(
    ([code, words]) => `('${code}', '${words.replaceAll("'", "''")}')`,
  );
  return `insert into reason_words (code, words) values ${rows.join(", ")}
    on conflict (code) do update set words = excluded.words`;
}

export function migrationOf(text: string): Migration {
  if (!text.startsWith(ALONE)) {
    return {
      async up(db) {
        await sql.raw(text).execute(db);
      },
    };
  }
  return {
    withoutTransaction: true,
    async up(db) {
      for (const statement of text.slice(ALONE.length).split(/\n{2,}/)) {
        if (statement.trim() !== "") await sql.raw(statement).execute(db);
      }
    },
  };
}

async function readFiles(folder: URL, names: RegExp): Promise<{ name: string; text: string }[]> {
  const found = (await readdir(folder)).filter((name) => names.test(name)).sort();
  return await Promise.all(
    found.map(async (file) => ({
      name: file.slice(0, -".sql".length),
      text: await readFile(new URL(file, folder), "utf8"),
    })),
  );
}
