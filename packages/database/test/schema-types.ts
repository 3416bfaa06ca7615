import { type ColumnMetadata, sql } from "kysely";
import type { Database } from "../src/connection.ts";
import { COLUMN_TYPES } from "./column-types.ts";

const HEAD = `/**
 * The tables as Kysely sees them. Generated from the database and column-types.ts, and held true by a test:
 * node test/run.ts --test-update-snapshots packages/database/test/current-schema.test.ts
 */
`;
const KYSELY = `import type { ColumnType, Generated, GeneratedAlways } from "kysely";

type CreatedAt = ColumnType<Date, Date | undefined, never>;
/** Written as JSON text. */
type Json<T> = ColumnType<T, string | Extract<T, null>, string | Extract<T, null>>;
`;

/** The driver's types. An array's name begins with an underscore. */
const TYPES: Readonly<Record<string, string>> = {
  text: "string",
  uuid: "string",
  int8: "string",
  date: "string",
  time: "string",
  bool: "boolean",
  int2: "number",
  int4: "number",
  float8: "number",
  timestamptz: "Date",
  bytea: "Buffer",
  jsonb: "unknown",
};

/** The source of schema.ts, unformatted. */
export async function schemaTypes(db: Database): Promise<string> {
  const rows = new Map(Object.entries(COLUMN_TYPES));
  const imports = new Map<string, Set<string>>();
  const unions = await checkedUnions(db);
  const typeOf = (path: string, column: ColumnMetadata): string => {
    const [type, from] = rows.get(path)?.split(" from ") ?? [unions.get(path)];
    rows.delete(path);
    if (type === undefined) return driverType(path, column);
    if (from !== undefined) {
      imports.set(from, (imports.get(from) ?? new Set()).add(type.replace("[]", "")));
    }
    return type;
  };
  const tables = (await db.introspection.getTables()).map(({ name, columns }) => {
    const lines = columns.map((column) => {
      const type = typeOf(`${name}.${column.name}`, column);
      const comment = column.comment === undefined ? "" : `/** ${column.comment} */\n`;
      return `${comment}${column.name}: ${wholeType(column, type)};\n`;
    });
    return `${name}: {\n${lines.join("")}};\n`;
  });
  if (rows.size > 0) throw new Error(`no such columns: ${[...rows.keys()].join(", ")}`);
  const modules = [...imports].toSorted().map(([from, names]) => {
    return `import type { ${[...names].toSorted().join(", ")} } from "${from}";\n`;
  });
  return `${HEAD}${modules.join("")}${KYSELY}\nexport interface Schema {\n${tables.join("\n")}}\n`;
}

function driverType(path: string, { name, dataType, hasDefaultValue }: ColumnMetadata): string {
  if (name === "created_at" && hasDefaultValue) return "CreatedAt";
  const type = TYPES[dataType.replace(/^_/, "")];
  if (type === undefined)
    throw new Error(`${path}: TYPES does not say how the driver reads ${dataType}`);
  return dataType.startsWith("_") ? `${type}[]` : type;
}

function wholeType(column: ColumnMetadata, type: string): string {
  const orNull = column.isNullable && type !== "unknown" ? `${type} | null` : type;
  if (column.dataType === "jsonb") return `Json<${orNull}>`;
  if (column.isAutoIncrementing) return `GeneratedAlways<${orNull}>`;
  return column.hasDefaultValue && type !== "CreatedAt" ? `Generated<${orNull}>` : orNull;
}

/** Returns, for each column, a union of the values that a `check (x in (…))` allows. */
async function checkedUnions(db: Database): Promise<Map<string, string>> {
  const { rows } = await sql<{ path: string; check: string }>`
    select k.conrelid::regclass || '.' || a.attname as path, pg_get_constraintdef(k.oid) as check
    from pg_constraint k
    join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
    where k.contype = 'c' and cardinality(k.conkey) = 1`.execute(db);
  const unions = new Map<string, string>();
  for (const { path, check } of rows) {
    const [, list] = /^CHECK \(\(\w+ = ANY \(ARRAY\[(.*)\]\)\)\)$/.exec(check) ?? [];
    const values = [...(list ?? "").matchAll(/'((?:[^']|'')*)'::text/g)];
    if (values.length === 0) continue;
    unions.set(path, values.map(([, value]) => JSON.stringify(value)).join(" | "));
  }
  return unions;
}
