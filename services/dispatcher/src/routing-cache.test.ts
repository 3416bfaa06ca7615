import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { Pool } from "@belfry/database/connection";
import { createRoutingCache } from "./routing-cache.ts";

test("a read that fails while its batch waits for another batch's read fails only that batch", async () => {
  const queries: PromiseWithResolvers<{ rows: unknown[]; fields: unknown[] }>[] = [];
  const pool = {
    query() {
      const query = Promise.withResolvers<{ rows: unknown[]; fields: unknown[] }>();
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
  // A promise that nobody observes by the end of a turn is an unhandled rejection, and fails this test.
  const refused = assert.rejects(second, lost);
  await turn();
  for (const query of earlier) query.resolve({ rows: [], fields: [] });
  assert.equal((await first).tenant("a"), undefined);
  await refused;
});

test("the cache is bounded by the weight of templates: one tenant cannot fill a dispatcher's memory", async () => {
  const asked: string[] = [];
  const pool = {
    async query({ name, values }: { name: string; values: [string[], string[]] }) {
      if (name !== "read_routing_templates") return { rows: [], fields: [] };
      const [owners, types] = values;
      asked.push(...types);
      const compiled = {
        kind: "notification",
        title: "t",
        body: "{{a}}".repeat(20),
        variables: ["a"],
      };
      const rows = owners.map((owner, at) => ({
        ...{ owner_id: owner, event_type: types[at], channel: "PUSH", locale: "", version_id: "1" },
        ...{ target_channel: null, sensitive: false, expires_after_seconds: null, compiled },
      }));
      const fields = Object.keys(rows[0] ?? {}).map((column) => ({ name: column }));
      return { fields, rows: rows.map((row) => Object.values(row)) };
    },
  } as unknown as Pool;
  // A template takes some 8 KB, because of its twenty tags.
  const routing = createRoutingCache(pool, undefined, 20_000);
  const of = async (eventType: string) => {
    const { templates } = await routing.routingFor([{ tenantId: "a", eventType }]);
    assert.ok(templates("a", eventType).get("PUSH")?.variants.get("")?.render);
  };
  for (const type of ["x", "y", "x", "z", "x", "y"]) await of(type);
  assert.deepEqual(asked, ["x", "y", "z", "y"]);
});
