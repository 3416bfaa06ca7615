import type pg from "pg";
import { type FunctionFile, SCHEMA, type SchemaSource } from "./schema-files.ts";

/**
 * Functions are one state for every version that runs: a later one replaces them by `create or replace`,
 * an earlier one leaves them alone. So a changed signature is a new name, and the old function stays
 * while the version before may run.
 */

/** Made before anything else: a database with migrations and without this one is of a trial installation. */
export async function createFunctionTable(client: pg.ClientBase): Promise<void> {
  await client.query(
    `create table if not exists applied_functions (
       file text primary key,
       hash text not null,
       version text not null
     )`,
  );
}

/** Applies what the database lacks, all or nothing. Returns the names of the files. */
export async function applyFunctions(
  client: pg.ClientBase,
  source: SchemaSource = SCHEMA,
): Promise<string[]> {
  const lacking = await lackingFunctions(client, source);
  if (lacking.length === 0) return [];
  await client.query("begin");
  try {
    // They name each other, in whatever order they come.
    await client.query("set local check_function_bodies = off");
    for (const { name, text, hash } of lacking) {
      await client.query(text);
      await client.query(
        `insert into applied_functions (file, hash, version) values ($1, $2, $3)
         on conflict (file) do update set hash = excluded.hash, version = excluded.version`,
        [name, hash, source.version],
      );
    }
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
  return lacking.map(({ name }) => name);
}

/** The files that the database has neither as they are nor of a later version. */
export async function lackingFunctions(
  client: Pick<pg.ClientBase, "query">,
  { functions, version }: SchemaSource = SCHEMA,
): Promise<FunctionFile[]> {
  const { rows } = await client.query<{ file: string; hash: string; version: string }>(
    "select file, hash, version from applied_functions",
  );
  const applied = new Map(rows.map((row) => [row.file, row]));
  return functions.filter(({ name, hash }) => {
    const found = applied.get(name);
    return found === undefined || (found.hash !== hash && !isLater(found.version, version));
  });
}

function isLater(one: string, other: string): boolean {
  return one.localeCompare(other, "en", { numeric: true }) > 0;
}
