import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { createTestDatabase } from "@belfry/testing/postgres";
import pg from "pg";

interface Column {
  nullable: boolean;
  /** Postgres fills it in when an insert leaves it out. */
  filled: boolean;
  type: string;
}

type Tables = Record<string, Record<string, Column>>;

test("schema.ts names every table and column of the database, with its type, null and default", async (t) => {
  const { url } = await createTestDatabase(t);
  const source = await readFile(new URL("./schema.ts", import.meta.url), "utf8");
  assert.deepEqual(declaredTables(source), await actualTables(url));
});

/** Reads the tables of schema.ts as text: one column a line, as the formatter leaves them. */
function declaredTables(source: string): Tables {
  const tables = source.matchAll(/^ {2}(\w+): \{\n(.*?)^ {2}\};/gms);
  return Object.fromEntries(
    Array.from(tables, ([, table = "", body = ""]) => {
      const columns = body.replace(/\/\*\*.*?\*\//gs, "").matchAll(/^ {4}(\w+): (.*?);$/gms);
      return [
        table,
        Object.fromEntries(Array.from(columns, ([, name, type = ""]) => [name, declared(type)])),
      ];
    }),
  );
}

function declared(text: string): Column {
  if (text === "CreatedAt" || text === "UpdatedAt") {
    return { nullable: false, filled: true, type: "Date" };
  }
  const [, wrapper, inner] = /^(Generated|GeneratedAlways|ColumnType)<(.*)>$/s.exec(text) ?? [];
  const selected = wrapper === "ColumnType" ? firstArgument(inner ?? "") : (inner ?? text);
  const members = selected.split(" | ");
  return {
    nullable: members.includes("null"),
    filled: wrapper === "Generated" || wrapper === "GeneratedAlways",
    type: KINDS[members[0] ?? ""] ?? members[0] ?? "",
  };
}

/** Names of schema.ts for narrower types. */
const KINDS: Readonly<Record<string, string>> = {
  Channel: "string",
  KeyRole: "string",
  ProviderChannel: "string",
  SentChannel: "string",
  WebhookMessageType: "string",
  WebhookType: "string",
  "WebhookType[]": "string[]",
  DeliveryStatus: "string",
  OutcomeClass: "string",
  ReceiptKind: "string",
  SuppressionReason: "string",
  TenantRole: "string",
  "Channel[]": "string[]",
  StoredFormat: "string",
  PreferenceChannel: "string",
  PreferenceSource: "string",
  ErasureState: "string",
  DigestItemState: "string",
  EventOutcome: "json",
  DigestSettings: "json",
  ThrottleSettings: "json",
  "StoredAction[]": "json",
  unknown: "json",
  "Record<string, unknown>": "json",
  "Record<string, number>": "json",
  "Record<string, string>": "json",
};

function firstArgument(text: string): string {
  let depth = 0;
  for (const [index, character] of [...text].entries()) {
    if (character === "<") depth += 1;
    else if (character === ">") depth -= 1;
    else if (character === "," && depth === 0) return text.slice(0, index);
  }
  return text;
}

const TYPES: Readonly<Record<string, string>> = {
  text: "string",
  uuid: "string",
  // pg gives bigint, and Kysely takes date, as text.
  int8: "string",
  date: "string",
  time: "string",
  bool: "boolean",
  int2: "number",
  int4: "number",
  float8: "number",
  timestamptz: "Date",
  _timestamptz: "Date[]",
  bytea: "Buffer",
  jsonb: "json",
  _text: "string[]",
  _int4: "number[]",
};

async function actualTables(url: string): Promise<Tables> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{
    table_name: string;
    column_name: string;
    is_nullable: string;
    filled: boolean;
    udt_name: string;
  }>(`
    select table_name, column_name, is_nullable, udt_name,
           column_default is not null or is_identity = 'YES' as filled
    from information_schema.columns
    where table_schema = 'public' and table_name not like 'kysely_%' and table_name <> 'applied_functions'
    order by table_name, ordinal_position`);
  await client.end();
  const tables: Tables = {};
  for (const row of rows) {
    tables[row.table_name] ??= {};
    tables[row.table_name]![row.column_name] = {
      nullable: row.is_nullable === "YES",
      filled: row.filled,
      type: TYPES[row.udt_name] ?? row.udt_name,
    };
  }
  return tables;
}
