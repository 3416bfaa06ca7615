import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createPool } from "@belfry/database/connection";
import { freePort } from "@belfry/testing/free-port";
import type { BenchOptions } from "./bench-options.ts";
import { type BenchTenant, createBenchTenants, EVENT_TYPE } from "./bench-tenants.ts";
import { medians, printLine, round } from "./figures.ts";
import { startNode } from "./node-process.ts";
import { startServers } from "./servers.ts";
import { startService } from "./start-service.ts";
import { startVendor } from "./start-vendor.ts";
import type { TriggerLoad, TriggerResult } from "./trigger-load.ts";

/**
 * How long single mails take from the trigger to the vendor while one tenant sends two broadcasts at a time: those of
 * that tenant, and those of another tenant, each with and without the broadcasts. The vendor sets no rate.
 */
const ROUNDS = 3;
const MEMBERS = 3_000;
const BROADCASTS = 2;
const MAILS_PER_SECOND = 50;
/** Less than the broadcasts take. */
const SECONDS = 10;
const QUICK = { members: 20, seconds: 0.5 };
const POLL_MS = 250;

export async function run(options: BenchOptions) {
  const members = options.quick ? QUICK.members : MEMBERS;
  const seconds = options.seconds ?? (options.quick ? QUICK.seconds : SECONDS);
  const rounds = options.rounds ?? (options.quick ? 1 : ROUNDS);
  await using resources = new AsyncDisposableStack();
  const servers = resources.use(await startServers(options));
  const vendor = resources.use(await startVendor());
  const [sender, neighbour] = (await createBenchTenants(servers, {
    count: 2,
    vendorUrl: vendor.url,
  })) as [BenchTenant, BenchTenant];
  const users = Array.from({ length: members }, (_, at) => `member-${at}`);
  const pool = createPool({ url: servers.databaseUrl, applicationName: "bench" });
  await pool.query(
    `insert into recipients (tenant_id, user_id, email, updated_at)
     select $1, u, u || '@example.com', now() from unnest($2::text[]) u`,
    [sender.id, users],
  );
  await pool.query("update tenants set uses_recipients = true where id = $1", [sender.id]);
  await pool.query("analyze");
  await pool.end();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/api/v1`;
  resources.use(await startService("ingest-api", servers, { INGEST_API_PORT: String(port) }));
  resources.use(await startService("dispatcher", servers));
  resources.use(await startService("email-sender", servers));

  const sendBroadcast = async () => {
    const response = await fetch(`${url}/broadcasts`, {
      method: "POST",
      headers: { "x-api-key": sender.apiKey, "content-type": "application/json" },
      body: JSON.stringify({ userIds: users, eventType: EVENT_TYPE, channels: ["EMAIL"] }),
    });
    if (!response.ok) throw new Error(`no broadcast: ${await response.text()}`);
  };
  /** Triggers mails of a tenant at an even pace, and returns how long they took, in ms. */
  const measure = async (tenant: BenchTenant, broadcasts: number) => {
    await vendor.reset();
    for (let sent = 0; sent < broadcasts; sent += 1) await sendBroadcast();
    const load: TriggerLoad = {
      ...{ url: `${url}/events/trigger`, tenants: [tenant], usersPerTenant: 30 },
      ...{ channels: ["EMAIL"], pace: { perSecond: MAILS_PER_SECOND, seconds } },
    };
    await using generator = startNode(join(import.meta.dirname, "trigger-load.ts"), {}, [
      JSON.stringify(load),
    ]);
    const { triggered } = await generator.message<TriggerResult>("triggered");
    const all = triggered + broadcasts * members;
    while ((await vendor.result()).requests < all) await sleep(POLL_MS);
    return (await vendor.result()).email;
  };

  printLine(["round", "mails of", "broadcasts", "p50 ms", "p99 ms"]);
  const found: Record<string, Record<string, number>>[] = [];
  for (let at = 0; at <= rounds; at += 1) {
    const figures: (typeof found)[number] = {};
    for (const [name, tenant] of Object.entries({ neighbour, sender })) {
      const alone = await measure(tenant, 0);
      const beside = await measure(tenant, BROADCASTS);
      printLine([at, name, 0, alone.p50Ms, alone.p99Ms]);
      printLine([at, name, BROADCASTS, beside.p50Ms, beside.p99Ms]);
      figures[name] = {
        ...alone,
        besideP50Ms: beside.p50Ms,
        besideP99Ms: beside.p99Ms,
        ratioP50: round(beside.p50Ms / alone.p50Ms, 2),
        ratioP99: round(beside.p99Ms / alone.p99Ms, 2),
      };
    }
    // The first round warms all processes up.
    if (at > 0 || options.quick) found.push(figures);
  }
  return {
    bench: "broadcast" as const,
    members,
    broadcasts: BROADCASTS,
    neighbour: medians(found.map((one) => one.neighbour!)),
    sender: medians(found.map((one) => one.sender!)),
  };
}

export type BroadcastResult = Awaited<ReturnType<typeof run>>;
