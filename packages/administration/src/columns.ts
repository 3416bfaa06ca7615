import type { Static, TObject } from "@sinclair/typebox";
import { type RawBuilder, sql } from "kysely";

/**
 * Returns the SQL columns of an output, so that each row has the output's type: `createdAt` is `created_at` of the
 * table, and times are text in ISO 8601. `others` has the SQL of properties that are not columns of the table.
 */
export function columnsOf<Output extends TObject>(
  { properties }: Output,
  table: string,
  others: { readonly [Name in keyof Static<Output>]?: RawBuilder<unknown> } = {},
) {
  const columns = Object.entries(properties).map(([name, { format }]) => {
    const column = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const value = others[name as keyof typeof others] ?? sql.ref(`${table}.${column}`);
    return sql`${format === "date-time" ? sql`iso_time(${value})` : value} as ${sql.id(name)}`;
  });
  return sql.join(columns);
}
