import type pg from "pg";
import { type FunctionFile, SCHEMA, type SchemaSource } from "./schema-files.ts";

// The functions of the database are shared by all running versions. A later version replaces them by `create or
// replace`; an earlier one leaves them unchanged. So a function whose signature changes gets a new name, and the old
// function stays as long as the previous version may run.

/**
 * Creates the table before everything else: a database that has migrations but not this table is a trial installation.
 */
export async function createFunctionTable(client: pg.ClientBase): Promise<void> {
  await client.query(
    `create table if not exists applied_functions (
       file text primary key,
       hash text not null,
       version text not null
     )`,
  );
}

/** Applies the functions that the database lacks, all or none. Returns the names of the files. */
export async function applyFunctions(
  client: pg.ClientBase,
  source: SchemaSource = SCHEMA,
): Promise<string[]> {
  const applied = await appliedFunctions(client);
  const lacking = lackingOf(applied, source);
  // Marks unchanged functions as those of this version, so that earlier versions can no longer replace them.
  const same = source.functions.filter(({ name, hash }) => {
    const found = applied.get(name);
    return found?.hash === hash && compareVersions(source.version, found.version) > 0;
  });
  if (lacking.length + same.length === 0) return [];
  await client.query("begin");
  try {
    // The functions call each other and are created in any order.
    await client.query("set local check_function_bodies = off");
    for (const { text } of lacking) await client.query(text);
    for (const { name, hash } of [...lacking, ...same]) {
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

/** Returns the files that the database has neither in this form nor from a later version. */
export async function lackingFunctions(
  client: Pick<pg.ClientBase, "query">,
  source: SchemaSource = SCHEMA,
): Promise<FunctionFile[]> {
  return lackingOf(await appliedFunctions(client), source);
}

type AppliedFunctions = ReadonlyMap<string, { hash: string; version: string }>;

async function appliedFunctions(client: Pick<pg.ClientBase, "query">): Promise<AppliedFunctions> {
  const { rows } = await client.query<{ file: string; hash: string; version: string }>(
    "select file, hash, version from applied_functions",
  );
  return new Map(rows.map((row) => [row.file, row]));
}

function lackingOf(applied: AppliedFunctions, { functions, version }: SchemaSource) {
  return functions.filter(({ name, hash }) => {
    const found = applied.get(name);
    return (
      found === undefined || (found.hash !== hash && compareVersions(found.version, version) <= 0)
    );
  });
}

/**
 * Returns a number above 0 if `one` is the later version, by the precedence of Semantic Versioning (2.0.0, 11). Equal
 * ones are compared by build number, which the standard ignores. In order: `0.1.0-rc.2`, `0.1.0-rc.10`, `0.1.0`,
 * `0.1.0+7`, `0.1.0+12`, `0.1.1`.
 */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [versionParts(one), versionParts(other)];
  const isOneReleased = a.preRelease.length === 0 ? 1 : 0;
  const isOtherReleased = b.preRelease.length === 0 ? 1 : 0;
  return (
    compareIdentifiers(a.core, b.core) ||
    isOneReleased - isOtherReleased ||
    compareIdentifiers(a.preRelease, b.preRelease) ||
    compareIdentifiers(a.build, b.build)
  );
}

function versionParts(version: string) {
  const [precedence = "", build] = version.split("+", 2);
  const dash = precedence.indexOf("-");
  const identifiers = (text: string | undefined) => text?.split(".") ?? [];
  return {
    core: identifiers(dash === -1 ? precedence : precedence.slice(0, dash)),
    preRelease: dash === -1 ? [] : identifiers(precedence.slice(dash + 1)),
    build: identifiers(build),
  };
}

/**
 * Compares numbers by value and texts by characters; numbers are before texts. If all items of the shorter list are
 * equal to those of the longer one, the shorter is first.
 */
function compareIdentifiers(some: readonly string[], others: readonly string[]): number {
  for (const [at, one] of some.entries()) {
    const other = others[at];
    if (other === undefined) return 1;
    const [isNumber, isOtherNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)];
    if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
    const difference = isNumber
      ? Number(one) - Number(other)
      : Number(one > other) - Number(one < other);
    if (difference !== 0) return difference;
  }
  return some.length - others.length;
}
