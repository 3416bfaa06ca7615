import assert from "node:assert/strict";
import { test } from "node:test";
import { changesDatabase, servicePackages, servicesOf } from "./watch-sources.ts";

test("a change restarts the services that import the file, and no others", async () => {
  const services = await servicePackages();
  const all = [...services.keys()];
  const table: [file: string, services: string[]][] = [
    ["services/dispatcher/src/event-handler.ts", ["dispatcher"]],
    ["packages/contracts/src/trigger.ts", all],
    ["packages/http-api/src/authenticate.ts", ["admin", "ingest-api"]],
    ["packages/cli/src/main.ts", []],
  ];
  for (const [file, expected] of table) {
    assert.deepEqual(servicesOf([file], services).sort(), expected.sort(), file);
  }
});

test("a table or a function of the database is applied before the services restart", () => {
  assert.equal(changesDatabase(["packages/database/src/functions/accept-events.sql"]), true);
  assert.equal(changesDatabase(["packages/database/src/connection.ts"]), false);
});
