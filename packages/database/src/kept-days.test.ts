import assert from "node:assert/strict";
import { test } from "node:test";
import { connectedDatabase } from "@belfry/testing/database";
import {
  keptDays,
  noteInstallationDays,
  readConfigurationVersion,
} from "./configuration-version.ts";

test("a tenant's own days count, else those of the dispatcher; who has read the others is told", async (t) => {
  const { db, pool } = await connectedDatabase(t);
  await db
    .insertInto("tenants")
    .values([
      { id: "own", name: "Own", per_minute: 0, event_retention_days: 5 },
      { id: "none", name: "None", per_minute: 0 },
    ])
    .execute();
  assert.deepEqual(await keptDays(db, "none"), { eventDays: 30, notificationDays: 90 });
  const before = await readConfigurationVersion(pool);
  await noteInstallationDays(db, { eventDays: 12, notificationDays: 40 });
  const after = await readConfigurationVersion(pool);
  assert.notEqual(after, before);
  assert.deepEqual(await keptDays(db, "none"), { eventDays: 12, notificationDays: 40 });
  assert.deepEqual(await keptDays(db, "own"), { eventDays: 5, notificationDays: 40 });
  await noteInstallationDays(db, { eventDays: 12, notificationDays: 40 });
  assert.equal(await readConfigurationVersion(pool), after, "nothing changed");
});
