import { NO_TIME_ZONE, timeZoneName } from "@belfry/contracts/time-zone";
import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import { type InputFault, InvalidInput } from "../input-error.ts";

const fault: InputFault = { field: "timezone", message: NO_TIME_ZONE };

export function timeZoneFault(text: string | null | undefined): InputFault | undefined {
  return text == null || timeZoneName(text) !== undefined ? undefined : fault;
}

/** Throws `InvalidInput` where Postgres, which computes with zones too, does not know this one. */
export async function requireTimeZone(db: Database, name: string): Promise<void> {
  const { rows } = await sql`
    select name from pg_timezone_names where lower(name) = ${name.toLowerCase()} limit 1`.execute(
    db,
  );
  if (rows.length === 0) throw new InvalidInput([fault]);
}
