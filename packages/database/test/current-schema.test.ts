import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { createTestDatabase } from "@belfry/testing/postgres";
import pg from "pg";
import { currentSchema } from "./current-schema.ts";

const FILE = fileURLToPath(new URL("../schema/current.sql", import.meta.url));
const HEAD = `-- The tables as all migrations together make them. Generated, and held true by a test:
-- node test/run.ts --test-update-snapshots packages/database/test/current-schema.test.ts

`;

test("schema/current.sql shows the tables as they are", async (t) => {
  const { url } = await createTestDatabase(t);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const text = HEAD + (await currentSchema(client));
  await client.end();
  t.assert.fileSnapshot(text, FILE, { serializers: [(value: string) => value] });
});
