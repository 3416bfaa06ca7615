import { test } from "node:test";
import { countActivity } from "@belfry/admin/tenant/count-activity";
import { startForOperator } from "@belfry/admin/test/start-admin";
import { bucketsOf } from "@belfry/admin/test/store-mails";
import { tenantPages } from "./admin-pages.ts";
import { sampleTenant } from "./sample-tenant.ts";
import { storeEvents } from "./store-events.ts";

/**
 * `node test/run.ts test/admin/page-times.ts`: how long the server takes for each page of a tenant with
 * a million events (`EVENTS=n` for another number), from the request to the last byte, on loopback.
 */
// biome-ignore lint/style/noProcessEnv: a script's own argument
const EVENTS = Number(process.env.EVENTS ?? 1_000_000);
const RUNS = 20;
const MONTH_MS = 30 * 24 * 60 * 60_000;

test(`pages with ${EVENTS} events`, { timeout: 3_600_000 }, async (t) => {
  const { admin, operator } = await startForOperator(t);
  const tenant = await sampleTenant(admin);
  await storeEvents(admin.pool, tenant.id, { count: EVENTS, dead: EVENTS / 500 });
  await countActivity(admin.db, bucketsOf(MONTH_MS));
  const base = `/tenants/${tenant.id}`;
  const { rows } = await admin.pool.query(
    "select id from events where tenant_id = $1 order by id offset $2 limit 1",
    [tenant.id, Math.floor(EVENTS / 2)],
  );
  const pages: Record<string, string> = {
    ...tenantPages(tenant),
    "overview, week": `${base}?range=week`,
    "overview, month by template": `${base}?range=month&by=template`,
    "activity, page in the middle": `${base}/activity?before=${rows[0].id}`,
    "activity, by your event id": `${base}/activity?event=order-77`,
    "activity, by user": `${base}/activity?user=user-7`,
    "activity, nothing found": `${base}/activity?user=nobody`,
    "activity, failed": `${base}/activity?status=failed`,
    "activity, by trace id, a day": `${base}/activity?trace=none&from=2026-01-01T00:00`,
    "user with a thousand notifications": `${base}/users?user=user-7`,
    "audit of all": "/audit",
    tenants: "/tenants",
    "overview of all tenants": "/overview",
    system: "/system",
  };
  const table: { page: string; median: number; worst: number }[] = [];
  for (const [page, path] of Object.entries(pages)) {
    const times: number[] = [];
    for (let run = 0; run < RUNS + 2; run += 1) {
      const began = performance.now();
      const answer = await operator.get(path);
      await answer.arrayBuffer();
      if (![200, 303].includes(answer.status)) throw new Error(`${path}: ${answer.status}`);
      if (run >= 2) times.push(performance.now() - began);
    }
    times.sort((a, b) => a - b);
    table.push({ page, median: times[RUNS / 2] ?? 0, worst: times.at(-1) ?? 0 });
  }
  for (const { page, median, worst } of table) {
    t.diagnostic(
      `${page.padEnd(40)} ${median.toFixed(1).padStart(7)} ms ${worst.toFixed(1).padStart(7)} ms`,
    );
  }
});
