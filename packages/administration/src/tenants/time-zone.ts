import { NO_TIME_ZONE } from "@belfry/contracts/time-zone";
import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import { invalid } from "../input-error.ts";

/** Throws `InvalidInput` for a zone that `hasTimeZone` refuses. */
export async function requireTimeZone(db: Database, name: string): Promise<void> {
  if (!(await hasTimeZone(db, name))) throw invalid("timezone", NO_TIME_ZONE);
}

/**
 * Whether Postgres has a zone of this name. Postgres computes with zones too, and knows fewer names than Intl: `IST`
 * is a zone of Intl, but only an abbreviation there, of another zone.
 */
export async function hasTimeZone(db: Database, name: string): Promise<boolean> {
  knownNames ??= await readNames(db);
  return knownNames.has(name.toLowerCase());
}

/** Read once a process: Postgres reads a file a zone to list them. */
let knownNames: Set<string> | undefined;

async function readNames(db: Database): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    select lower(name) as name from pg_timezone_names`.execute(db);
  return new Set(rows.map(({ name }) => name));
}
