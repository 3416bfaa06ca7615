import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { countActivity } from "@belfry/admin/tenant/count-activity";
import { startForOperator } from "@belfry/admin/test/start-admin";
import { bucketsOf } from "@belfry/admin/test/store-mails";
import pg from "pg";
import { PLATFORM_PAGES, tenantPages } from "./admin-pages.ts";
import { sampleTenant } from "./sample-tenant.ts";
import { storeEvents } from "./store-events.ts";

test("a page costs the same at six times the events: none counts them, and a search looks at a bounded number", {
  timeout: 300_000,
}, async (t) => {
  const few = await blocksByPage(t, 6_000);
  const many = await blocksByPage(t, 36_000);
  const costly: string[] = [];
  for (const [page, before] of few) {
    const after = many.get(page) ?? Number.NaN;
    // An index grows a little. With the few a search comes to its bound already.
    if (!(after <= before * 1.5 + 60)) costly.push(`${page}: ${before} blocks, then ${after}`);
  }
  assert.deepEqual(costly, []);
});

/** How many blocks of 8 KB the queries of each page read, with so many events of the tenant. */
async function blocksByPage(t: TestContext, count: number): Promise<Map<string, number>> {
  const { admin, operator } = await startForOperator(t);
  const tenant = await sampleTenant(admin);
  await storeEvents(admin.pool, tenant.id, { count, dead: 20 });
  await countActivity(admin.db, bucketsOf(6 * 60 * 60_000));
  const base = `/tenants/${tenant.id}`;
  const pages: Record<string, string> = {
    ...tenantPages(tenant),
    ...PLATFORM_PAGES,
    "overview of a week": `${base}?range=week`,
    "overview of a month by template": `${base}?range=month&by=template`,
    "overview of all tenants by hour": "/overview?range=hour",
    "event by the tenant's id": `${base}/activity?event=order-77`,
    "search by user": `${base}/activity?user=user-7`,
    "search for nothing": `${base}/activity?user=nobody`,
    "search for what failed": `${base}/activity?status=failed`,
    "waiting, by another user": `${base}/waiting?user=wait000500&digest=${tenant.digestId}`,
  };
  const blocks = new Map<string, number>();
  for (const [page, path] of Object.entries(pages)) {
    const statements = await statementsOf(() => operator.get(path));
    let sum = 0;
    for (const { text, values } of statements) {
      const plan = await admin.pool.query(
        `explain (analyze, buffers, format json) ${text}`,
        values,
      );
      const { Plan: top } = plan.rows[0]["QUERY PLAN"][0];
      sum += top["Shared Hit Blocks"] + top["Shared Read Blocks"];
    }
    blocks.set(page, sum);
  }
  return blocks;
}

interface Statement {
  text: string;
  values: unknown[];
}

/** What is read from Postgres meanwhile. */
async function statementsOf(work: () => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = [];
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [given, more] = args as [string | Statement, unknown[] | undefined];
    const text = typeof given === "string" ? given : given.text;
    const values = typeof given === "string" ? more : given.values;
    const isRead = /^\s*(select|with)\b/i.test(text) && !/\b(insert|update|delete)\b/i.test(text);
    if (isRead) statements.push({ text, values: Array.isArray(values) ? values : [] });
    return Reflect.apply(query, this, args);
  } as typeof query;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = query;
  }
  return statements;
}
