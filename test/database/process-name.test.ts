import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { connectedServices } from "@belfry/admin/platform/system-pages";
import { createDatabase, createPool, parseProcessName } from "@belfry/database/connection";
import { assertHas } from "@belfry/testing/assert-has";
import { createTestDatabase } from "@belfry/testing/postgres";

test("an operator sees each connected service with its version and since when it runs", async (t) => {
  await using database = await createTestDatabase();
  const { url } = database;
  const db = createDatabase(createPool({ url, applicationName: "ingest-api", maxConnections: 1 }));
  t.after(() => db.destroy());
  const [service] = await connectedServices(db);
  const { version } = JSON.parse(
    await readFile(new URL("../../packages/database/package.json", import.meta.url), "utf8"),
  );
  assertHas(service, { name: "ingest-api", version, connections: 1 });
  const late = service!.since.getTime() - performance.timeOrigin;
  assert.ok(late <= 0 && late > -1000, "its start, to the second");
});

test("a client that names itself otherwise is shown by that name", () => {
  for (const name of ["psql", "a/b", "x/1 since yesterday"]) {
    assert.deepEqual(parseProcessName(name), { service: name, version: null, startedAt: null });
  }
});
