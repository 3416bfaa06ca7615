import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import { type InputFault, InvalidInput } from "../input-error.ts";

const fault: InputFault = {
  field: "timezone",
  message: "must be an IANA name, as Europe/Berlin or UTC",
};

/** A zone by its IANA name, in its own letters; undefined: Intl knows none of this name. */
export function timeZoneName(text: string): string | undefined {
  // Intl takes offsets, too.
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(text)) return undefined;
  try {
    const { timeZone } = new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions();
    // An older name of a zone stays what the person wrote.
    return timeZone.toLowerCase() === text.toLowerCase() ? timeZone : text;
  } catch {
    return undefined;
  }
}

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
