import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { Pool } from "@belfry/database/connection";
import { createRoutingCache } from "./routing-cache.ts";

test("a read that fails while its batch waits for another batch's read fails that batch alone", async () => {
  const queries: PromiseWithResolvers<{ rows: unknown[] }>[] = [];
  const pool = {
    query() {
      const query = Promise.withResolvers<{ rows: unknown[] }>();
      queries.push(query);
      return query.promise;
    },
  } as unknown as Pool;
  const routing = createRoutingCache(pool);
  const first = routing.routingFor([{ tenantId: "a", eventType: "x" }]);
  const earlier = queries.splice(0);
  const second = routing.routingFor([
    { tenantId: "a", eventType: "x" },
    { tenantId: "b", eventType: "x" },
  ]);
  const lost = new Error("Connection terminated unexpectedly");
  for (const query of queries) query.reject(lost);
  // What nobody observes by the end of a turn is an unhandled rejection, and fails this test.
  const refused = assert.rejects(second, lost);
  await turn();
  for (const query of earlier) query.resolve({ rows: [] });
  assert.equal((await first).tenant("a"), undefined);
  await refused;
});
