import type pg from "pg";

/**
 * Settings that our statements and the driver need. They override those of the server, the database and the role. The
 * driver parses these formats, and our locks assume the isolation level read committed.
 */
export const SESSION_SETTINGS = {
  DateStyle: "ISO, YMD",
  IntervalStyle: "postgres",
  TimeZone: "UTC",
  bytea_output: "hex",
  extra_float_digits: "1",
  standard_conforming_strings: "on",
  array_nulls: "on",
  transform_null_equals: "off",
  default_transaction_isolation: "read committed",
} as const;

/** The settings as the startup parameter `options`. */
export const SESSION_OPTIONS = Object.entries(SESSION_SETTINGS)
  .map(([name, value]) => `-c ${name}=${value.replaceAll(" ", "\\ ")}`)
  .join(" ");

/**
 * Returns the statements that give the role the settings that its sessions lack, because a pooler drops startup
 * parameters: those above, and any `statement_timeout`.
 */
export async function lackingSettings(client: Pick<pg.ClientBase, "query">): Promise<string[]> {
  const wanted = Object.entries({ ...SESSION_SETTINGS, statement_timeout: "30s" });
  const { rows } = await client.query<{ statement: string }>(
    `select format('alter role %I in database %I set %I = %L', session_user, current_database(), name, value) as statement
     from unnest($1::text[], $2::text[]) as wanted (name, value)
     where case name when 'statement_timeout' then current_setting(name) = '0'
                     else current_setting(name) <> value end`,
    [wanted.map(([name]) => name), wanted.map(([, value]) => value)],
  );
  return rows.map(({ statement }) => statement);
}
