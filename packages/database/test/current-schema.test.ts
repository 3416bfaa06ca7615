import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { connectedDatabase } from "@belfry/testing/database";
import { formatSource } from "@belfry/testing/format-source";
import { currentSchema } from "./current-schema.ts";
import { schemaTypes } from "./schema-types.ts";

const SQL = fileURLToPath(new URL("../schema/current.sql", import.meta.url));
const TYPES = fileURLToPath(new URL("../src/schema.ts", import.meta.url));
const HEAD = `-- The tables as all migrations together make them. Generated, and held true by a test:
-- node test/run.ts --test-update-snapshots packages/database/test/current-schema.test.ts

`;
const AS_IT_IS = { serializers: [(text: string) => text] };

test("schema/current.sql shows the tables as they are", async (t) => {
  const { pool } = await connectedDatabase(t);
  t.assert.fileSnapshot(HEAD + (await currentSchema(pool)), SQL, AS_IT_IS);
});

test("src/schema.ts has the tables and columns of the database, with their types, nulls and defaults", async (t) => {
  const { db } = await connectedDatabase(t);
  t.assert.fileSnapshot(await formatSource(await schemaTypes(db), TYPES), TYPES, AS_IT_IS);
});
