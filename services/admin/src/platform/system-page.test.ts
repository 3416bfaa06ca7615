import assert from "node:assert/strict";
import { test } from "node:test";
import { recordReconciled } from "@belfry/database/reconciliations";
import { startForOperator } from "../../test/start-admin.ts";

test("the system page shows each service with its version and when it was started", async (t) => {
  const { operator } = await startForOperator(t);
  const html = await operator.text("/system");
  assert.match(html, /<strong>admin-test<\/strong>\s+<code>\d+\.\d+\.\d+<\/code>/);
  const started = /started <time datetime="([^"]+)"/.exec(html)?.[1] ?? "";
  const late = Date.parse(started) - performance.timeOrigin;
  assert.ok(late <= 0 && late > -1000, started);
});

test("the system page shows what the services found lost or stalled and sent again, in the last day", async (t) => {
  const { admin, operator } = await startForOperator(t);
  const found = async () =>
    /<b>(\d+)<\/b>\s*<span>recovered in 24 h([^<]*)</
      .exec(await operator.text("/system"))
      ?.slice(1);
  assert.deepEqual(await found(), ["0", ""]);
  await recordReconciled(admin.pool, "events", 1);
  await recordReconciled(admin.pool, "deliveries", 2);
  await recordReconciled(admin.pool, "deliveries", 3);
  assert.deepEqual(await found(), ["6", ": 1 event, 5 deliveries"]);
  const age = (days: number) =>
    admin.pool.query("update reconciliations set hour = hour - make_interval(days => $1)", [days]);
  await age(2);
  assert.deepEqual(await found(), ["0", ""]);
  await age(31);
  await recordReconciled(admin.pool, "events", 1);
  const { rows } = await admin.pool.query("select what from reconciliations");
  assert.deepEqual(rows, [{ what: "events" }], "what is older than a month is gone");
});
