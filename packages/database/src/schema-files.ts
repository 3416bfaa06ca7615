import { hash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { REASONS } from "@belfry/contracts/reasons";
import { type Kysely, sql } from "kysely";
import type pg from "pg";

import description from "../package.json" with { type: "json" };

export interface Migration {
  up(db: Kysely<unknown>): Promise<void>;
  /**
   * For SQL that cannot run in a transaction, such as `create index concurrently`. Such a migration begins with `drop
   * index concurrently if exists`, because it is run again if it ends halfway.
   */
  withoutTransaction?: true;
}

/** A file of functions, each made by `create or replace`: it may be applied again at any time. */
export interface FunctionFile {
  /** The file's name without folder and `.sql`. */
  name: string;
  text: string;
  /** SHA-256 of the text. */
  hash: string;
}

const TABLES = new URL("../schema/", import.meta.url);
const FUNCTIONS = new URL("./functions/", import.meta.url);
/** The first line of a file that cannot run in a transaction; each of its paragraphs is a statement. */
const ALONE = "-- Outside a transaction, a statement a paragraph.\n";

/** The SQL that creates a database. */
export interface SchemaSource {
  /** Migrations of tables by name. They run in the order of their names. */
  migrations: Readonly<Record<string, Migration>>;
  /** Applied after the migrations. */
  functions: readonly FunctionFile[];
  /** The version of this code. A database whose functions are of a later version is left as it is. */
  version: string;
}

/** The SQL of this version. */
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

/**
 * Returns the SQL that stores the words of reasons, for texts that the database writes. Words of removed codes stay,
 * because an older version may still write them.
 */
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

/** The oldest major version that the tests have run with: test/deploy/restore.test.ts. */
const NEEDED = 15;

/** Returns a sentence for an operator if this `server_version_num` is too old, else null. */
export function tooOld(serverVersionNum: number): string | null {
  const major = Math.floor(serverVersionNum / 10_000);
  if (major >= NEEDED) return null;
  return `Belfry needs PostgreSQL ${NEEDED} or newer, and this server is PostgreSQL ${major}`;
}

/** Returns the same for the server of this client. */
export async function serverFault(client: Pick<pg.ClientBase, "query">): Promise<string | null> {
  const { rows } = await client.query<{ version: string }>(
    "select current_setting('server_version_num') as version",
  );
  return tooOld(Number(rows[0]?.version));
}

/** The error of every program that finds such a database; nothing in it is changed. */
export const TRIAL_DATABASE =
  "this database was made by a trial of Belfry from before its first release, and is not migrated: use an empty database, or drop this one when you need nothing of it";

/** Returns whether the migrations are from before their squash: since then, `applied_functions` is made first. */
export async function isTrialDatabase(client: Pick<pg.ClientBase, "query">): Promise<boolean> {
  const { rows } = await client.query<{ trial: boolean }>(
    `select to_regclass('kysely_migration') is not null
        and to_regclass('applied_functions') is null as trial`,
  );
  return rows[0]?.trial === true;
}
