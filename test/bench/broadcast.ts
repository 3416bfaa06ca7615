/**
 * `node test/bench/broadcast.ts [seconds]`: what a broadcast does to a tenant's single events, and what it costs. First
 * how long one-time codes are under way to a provider that takes 10 a second: without a broadcast, while one to 100,000
 * people runs, with 20,000 of its mails due at once, after the sender was away, and behind an open circuit; beside those
 * of another tenant. Then the CPU time of an event to one of 5,000 people, by a trigger each and by a broadcast; and the
 * memory of dispatcher and sender while a broadcast has variables of 64 KiB.
 */
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { putTemplate } from "@belfry/administration/test/templates";
import { createDatabase, createPool } from "@belfry/database/connection";
import { freePort } from "@belfry/testing/free-port";
import { type BenchTenant, createBenchTenants, EVENT_TYPE } from "./bench-tenants.ts";
import { cpuMicros, cpuTimes, processTree } from "./cpu-time.ts";
import { percentile, printLine } from "./figures.ts";
import { startServers } from "./servers.ts";
import { startService } from "./start-service.ts";
import { startVendor } from "./start-vendor.ts";

const SECONDS = Number(process.argv[2] ?? 40);
const MEMBERS = 100_000;
const DUE_AT_ONCE = 20_000;
const PER_SECOND = 10;
const CODES_PER_SECOND = 2;
const COMPARED = 5_000;
const ROUNDS = 3;
const CODE = "code.sent";

await using cleanup = new AsyncDisposableStack();
const servers = cleanup.use(await startServers({ quick: false }));
const vendor = cleanup.use(await startVendor());
const [shop, other, single, many] = (await createBenchTenants(servers, {
  count: 4,
  vendorUrl: vendor.url,
})) as [BenchTenant, BenchTenant, BenchTenant, BenchTenant];
const pool = createPool({
  url: servers.databaseUrl,
  applicationName: "bench",
  statementTimeoutMs: 0,
});
cleanup.defer(() => pool.end());
const db = createDatabase(pool);
for (const { id: tenantId } of [shop, other]) {
  const template = { tenantId, eventType: CODE, channel: "EMAIL" as const };
  await putTemplate(db, {
    ...template,
    subject: "Your code",
    content:
      "<mjml><mj-body><mj-section><mj-column><mj-text>{{code}}</mj-text></mj-column></mj-section></mj-body></mjml>",
  });
}
await pool.query(
  "update providers set max_per_second = $1 where channel = 'EMAIL' and tenant_id = any ($2)",
  [PER_SECOND, [shop.id, other.id]],
);
await pool.query("update providers set max_per_second = 10000 where tenant_id = any ($1)", [
  [single.id, many.id],
]);
await addMembers(shop.id, MEMBERS);
for (const { id } of [single, many]) await addMembers(id, COMPARED);
await pool.query("analyze");
const port = await freePort();
const url = `http://127.0.0.1:${port}/api/v1`;
cleanup.use(await startService("ingest-api", servers, { INGEST_API_PORT: String(port) }));
cleanup.use(await startService("dispatcher", servers));
let sender = await startService("email-sender", servers);
cleanup.defer(() => sender[Symbol.asyncDispose]());

printLine(["codes", "own p50", "p99 ms", "other p50", "p99 ms", "mails left"]);
await codes("no broadcast");
const broadcast = await call(shop, "POST", "/broadcasts", {
  topics: ["news"],
  eventType: EVENT_TYPE,
  channels: ["EMAIL"],
});
await sleep(3_000);
await codes("running");
await pool.query(
  `with e as (
     insert into events (id, tenant_id, event_type, user_id, trace_id, accepted_at, dispatched_at, broadcast_id, variables)
     select gen_random_uuid(), $1, $2, 'user-' || n, 't', now() - interval '9 hours', now() - interval '9 hours', $3, '{}'
     from generate_series(1, $4::integer) n returning id, user_id)
   insert into deliveries (id, event_id, tenant_id, channel, recipient, template_version_id, due_at, created_at, broadcast_id)
   select gen_random_uuid(), e.id, $1, 'EMAIL', e.user_id || '@example.com',
          (select v.current_version_id from templates t join template_variants v on v.template_id = t.id
           where t.tenant_id = $1 and t.event_type = $2 and t.channel = 'EMAIL' limit 1),
          now() - interval '3 minutes', now() - interval '9 hours', $3 from e`,
  [shop.id, EVENT_TYPE, broadcast.data.id, DUE_AT_ONCE],
);
await codes("all due");
await sender[Symbol.asyncDispose]();
await sleep(20_000);
sender = await startService("email-sender", servers);
await codes("after outage");
await pool.query(
  `insert into provider_circuits (provider_id, class, reason, failures, opened_at, open_until)
   select id, 'transient', 'bench', 1, now(), now() + interval '15 seconds'
   from providers where channel = 'EMAIL' and tenant_id = $1
   on conflict (provider_id) do update set open_until = excluded.open_until, opened_at = now()`,
  [shop.id],
);
await codes("circuit", 15_000);
await call(shop, "POST", `/broadcasts/${broadcast.data.id}/cancel`, {});
// What was put in by hand is in no chunk: the cancel does not find it.
await pool.query("delete from deliveries where broadcast_id is not null");
for (let state = ""; state !== "cancelled"; ) {
  await sleep(500);
  ({ state } = (await pool.query("select state from broadcasts")).rows[0]);
}
await sleep(5_000);

for (let round = 1; round <= ROUNDS; round += 1) {
  for (const channel of ["PUSH", "EMAIL"]) await compare(round, channel);
}

await vendor.reset();
// Variables of 64 KiB: stored once, and the same text for every mail.
await call(many, "POST", "/broadcasts", {
  topics: ["news"],
  eventType: EVENT_TYPE,
  channels: ["EMAIL"],
  variables: { name: "Ann", story: "x".repeat(65_000) },
});
for (let part = 0; part <= 4; part += 1) {
  await allSent((COMPARED * part) / 4);
  printLine(["64 KiB", `${part / 4} sent`, ...(await residentMegabytes())]);
}

/** Of the dispatcher and the sender. */
async function residentMegabytes(): Promise<string[]> {
  const found = [];
  for (const { pid, part } of await processTree()) {
    if (part !== "dispatcher" && part !== "email-sender") continue;
    const status = await readFile(`/proc/${pid}/status`, "utf8");
    found.push(`${part} ${Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)} MB`);
  }
  return found;
}

/** Codes of both tenants, evenly; how long each was under way to the call of the provider, from `afterMs` on. */
async function codes(what: string, afterMs = 0): Promise<void> {
  const { rows: clock } = await pool.query("select clock_timestamp() as at");
  const since: Date = clock[0].at;
  const from = new Date(since.getTime() + afterMs);
  for (let at = 0; at < SECONDS * CODES_PER_SECOND; at += 1) {
    for (const tenant of [shop, other]) {
      void call(tenant, "POST", "/events/trigger", {
        eventType: CODE,
        channels: ["EMAIL"],
        payload: { userId: `code-${what}-${at}`, recipientEmail: `code-${at}@example.com` },
        variables: { code: String(at) },
      });
    }
    await sleep(1000 / CODES_PER_SECOND);
  }
  await sleep(afterMs + 8_000);
  const found = [];
  // The circuit holds the one tenant's codes alone.
  for (const [tenant, begun] of [
    [shop, from],
    [other, since],
  ] as const) {
    const { rows } = await pool.query(
      `select extract(epoch from coalesce(a.started_at, now()) - greatest(e.accepted_at, $3))::float8 * 1000 as ms
       from events e join deliveries d on d.event_id = e.id
       left join lateral (select max(started_at) as started_at from attempts a where a.delivery_id = d.id) a on true
       where e.tenant_id = $1 and e.event_type = $4 and e.accepted_at >= $2 order by 1`,
      [tenant.id, since, begun, CODE],
    );
    const sorted = rows.map((row) => row.ms as number);
    found.push(Math.round(percentile(sorted, 50)), Math.round(percentile(sorted, 99)));
  }
  const { rows } = await pool.query(
    "select count(*)::integer as rest from deliveries where broadcast_id is not null and status in ('queued', 'waiting', 'sending')",
  );
  printLine([what, ...found, rows[0].rest]);
}

/** The same event to everybody, by a trigger each and by a broadcast. */
async function compare(round: number, channel: string): Promise<void> {
  const event = {
    ...{ eventType: EVENT_TYPE, channels: [channel] },
    variables: { name: "Ann", order: "A-1001", total: "49.90 EUR", delivery: "on Thursday" },
  };
  const arrived = (tenant: BenchTenant) =>
    channel === "EMAIL" ? allSent(COMPARED) : allShown(tenant, COMPARED * round);
  const byTrigger = await cpuOf(async () => {
    for (let at = 0; at < COMPARED; at += 50) {
      await Promise.all(
        Array.from({ length: 50 }, (_, n) => {
          const payload = { userId: `user-${at + n + 1}` };
          const key = `${channel}-${round}-${at + n}`;
          return call(single, "POST", "/events/trigger", { ...event, payload }, key);
        }),
      );
    }
    await arrived(single);
  });
  const byBroadcast = await cpuOf(async () => {
    await call(many, "POST", "/broadcasts", { ...event, topics: ["news"] });
    await arrived(many);
  });
  const [one, all] = [byTrigger, byBroadcast].map((cpu) => {
    const { load: _, vendor: __, ...ours } = cpu;
    return Object.values(ours).reduce((sum, micros) => sum + micros, 0);
  });
  printLine([channel, `ratio ${(all! / one!).toFixed(2)}`]);
  process.stdout.write(`  trigger ${JSON.stringify(byTrigger)}\n`);
  process.stdout.write(`  broadcast ${JSON.stringify(byBroadcast)}\n`);
}

async function allShown(tenant: BenchTenant, count: number): Promise<void> {
  for (;;) {
    const { rows } = await pool.query(
      "select count(*)::integer as shown from notifications where tenant_id = $1",
      [tenant.id],
    );
    if (rows[0].shown >= count) return;
    await sleep(1000);
  }
}

async function cpuOf(work: () => Promise<void>) {
  await vendor.reset();
  const before = await cpuTimes();
  await work();
  return cpuMicros(before, await cpuTimes(), COMPARED);
}

/** Of those since the vendor was reset: asking the database would cost what is measured. */
async function allSent(count: number): Promise<void> {
  while ((await vendor.result()).requests < count) await sleep(250);
}

async function call(tenant: BenchTenant, method: string, path: string, body: object, key?: string) {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...{ "x-api-key": tenant.apiKey, "content-type": "application/json" },
      ...(key !== undefined && { "x-idempotency-key": key }),
    },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
  return answer as { data: { id: string } };
}

async function addMembers(tenantId: string, members: number): Promise<void> {
  await pool.query(
    `with p as (
       insert into recipients (tenant_id, user_id, email, updated_at)
       select $1, 'user-' || n, 'user-' || n || '@example.com', now() from generate_series(1, $2::integer) n
     ), m as (
       insert into topic_members (tenant_id, topic, user_id)
       select $1, 'news', 'user-' || n from generate_series(1, $2::integer) n
     )
     insert into topics (tenant_id, key, members) values ($1, 'news', $2)`,
    [tenantId, members],
  );
  await pool.query("update tenants set uses_recipients = true where id = $1", [tenantId]);
}
