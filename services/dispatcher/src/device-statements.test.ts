import assert from "node:assert/strict";
import { test } from "node:test";
import { noteUse } from "@belfry/database/configuration-version";
import { dispatcherUnderTest, eventsMessage } from "../test/dispatcher-under-test.ts";
import { createEventHandler } from "./event-handler.ts";

test("an event of a tenant without devices takes the same statements with a template for them; with devices, one more", async (t) => {
  const under = await dispatcherUnderTest(t);
  const tenant = await under.tenant();
  await under.templates(tenant, "order.confirmed");
  const statements: string[] = [];
  const query = under.pool.query.bind(under.pool) as (...all: unknown[]) => unknown;
  const recording = (...all: unknown[]) => {
    const [{ name, text }] = all as [{ name?: string; text?: string }];
    statements.push(name ?? text ?? String(all[0]));
    return query(...all);
  };
  const pool = Object.assign(Object.create(under.pool), { query: recording }) as typeof under.pool;
  const handler = createEventHandler({ ...under.deps, pool });
  const signal = new AbortController().signal;
  const handle = async () => {
    under.deps.routing.clear();
    // The first fills the caches.
    for (const _ of ["fill", "count"]) {
      const ids = await under.events(tenant, { userId: "a" }, { userId: "b" });
      statements.length = 0;
      await handler([eventsMessage(ids)], { log: under.log, signal });
    }
    return [...statements];
  };
  const before = await handle();
  assert.ok(before.length > 0);
  await under.templates(tenant, "order.confirmed", ["DEVICE"]);
  assert.deepEqual(await handle(), before);
  await noteUse(under.db, tenant, "uses_devices");
  const after = await handle();
  assert.deepEqual(
    after.filter((name) => !before.includes(name)),
    ["users_with_devices"],
  );
  assert.equal(after.length, before.length + 1);
});
