import { join } from "node:path";
import { createPool, type Pool } from "@belfry/database/connection";
import { freePort } from "@belfry/testing/free-port";
import type { BenchOptions } from "./bench-options.ts";
import { type BenchTenant, createBenchTenants } from "./bench-tenants.ts";
import { type CpuMicros, cpuMicros, cpuTimes } from "./cpu-time.ts";
import { median, medians, percentile, printLine } from "./figures.ts";
import { type IdleResult, measureIdle, measureProcesses } from "./idle.ts";
import { startNode, until } from "./node-process.ts";
import { BenchClients } from "./realtime-clients.ts";
import { type BenchServers, startServers } from "./servers.ts";
import { startService } from "./start-service.ts";
import { startVendor, type Vendor } from "./start-vendor.ts";
import type { TriggerLoad, TriggerResult } from "./trigger-load.ts";

/**
 * The whole stack, one of each service, with browsers connected: events are triggered over HTTP at a rate
 * that is kept whatever happens, and how long each was under way is read where it arrives. Then the same
 * stack as `pnpm start` brings it, with nothing to do.
 */
const ROUNDS = 5;
const SECONDS = 10;
const WARM_UP_SECONDS = 5;
const KINDS = [
  { name: "push", channels: ["PUSH"], perSecond: 500 },
  // Three times the work: two cores carry this rate with room to spare, as they should.
  { name: "allChannels", channels: ["EMAIL", "SMS", "PUSH"], perSecond: 150 },
] as const;
const QUICK_PER_SECOND = 50;
const TENANTS = 10;
const USERS_PER_TENANT = 30;
const IDLE_SECONDS = 60;
const ARRIVED_WITHIN_MS = 30_000;

interface Latency {
  p50Ms: number;
  p99Ms: number;
}

export interface Flow {
  perSecond: number;
  /** From before the request to its answer. */
  answer: Latency;
  /** From before the request to the message in the browser. */
  browser: Latency;
  /** From before the request to the vendor's having the whole call; without EMAIL and SMS undefined. */
  email?: Latency;
  sms?: Latency;
  /** Never came to a browser. */
  lost: number;
  cpuMicros: CpuMicros;
}

interface World {
  apiUrl: string;
  tenants: BenchTenant[];
  usersPerTenant: number;
  clients: BenchClients;
  vendor: Vendor;
  pool: Pool;
}

export async function run(options: BenchOptions) {
  const { quick } = options;
  const rounds = options.rounds ?? (quick ? 1 : ROUNDS);
  const seconds = options.seconds ?? (quick ? 1 : SECONDS);
  const usersPerTenant = quick ? 3 : USERS_PER_TENANT;
  const tenantCount = quick ? 2 : TENANTS;
  const flows: { push: Flow[]; allChannels: Flow[] } = { push: [], allChannels: [] };
  let idle: IdleResult | undefined;
  {
    await using resources = new AsyncDisposableStack();
    const servers = resources.use(await startServers(options));
    const world = await startWorld(resources, servers, { tenantCount, usersPerTenant });
    printLine(["round", "channels", "", "p50 ms", "p99 ms", "lost"]);
    for (const { name, channels, perSecond } of KINDS) {
      const pace = { perSecond: quick ? QUICK_PER_SECOND : perSecond, seconds };
      if (!quick) await measure(world, channels, { ...pace, seconds: WARM_UP_SECONDS });
      for (let round = 1; round <= rounds; round += 1) {
        const flow = await measure(world, channels, pace);
        flows[name].push(flow);
        for (const to of ["answer", "browser", "email", "sms"] as const) {
          const found = flow[to];
          if (found === undefined) continue;
          printLine([round, channels.length, to, found.p50Ms, found.p99Ms, flow.lost]);
        }
      }
    }
    // Another start of everything would double what a quick run costs.
    if (quick) idle = await measureProcesses(process.pid, 0.1);
  }
  idle ??= await measureIdle(IDLE_SECONDS);
  return {
    bench: "end-to-end" as const,
    browsers: tenantCount * usersPerTenant,
    push: medianFlow(flows.push),
    allChannels: medianFlow(flows.allChannels),
    idle,
  };
}

export type EndToEndResult = Awaited<ReturnType<typeof run>>;

async function startWorld(
  resources: AsyncDisposableStack,
  servers: BenchServers,
  { tenantCount, usersPerTenant }: { tenantCount: number; usersPerTenant: number },
): Promise<World> {
  const vendor = resources.use(await startVendor());
  const tenants = await createBenchTenants(servers, { count: tenantCount, vendorUrl: vendor.url });
  const [apiPort, wsPort, adminPort] = [await freePort(), await freePort(), await freePort()];
  const apiUrl = `http://127.0.0.1:${apiPort}`;
  const wsUrl = `ws://127.0.0.1:${wsPort}/connection/websocket`;
  const adminUrl = `http://127.0.0.1:${adminPort}`;
  const own: Record<string, Record<string, string>> = {
    "ingest-api": { INGEST_API_PORT: String(apiPort) },
    dispatcher: {},
    "email-sender": {},
    "sms-sender": {},
    "realtime-gateway": { REALTIME_GATEWAY_PORT: String(wsPort) },
    admin: {
      ...{ ADMIN_PORT: String(adminPort), ADMIN_BASE_URL: adminUrl },
      ...{ API_URL: apiUrl, WS_URL: wsUrl },
    },
  };
  await Promise.all(
    Object.entries(own).map(async ([name, env]) =>
      resources.use(await startService(name, servers, env)),
    ),
  );
  const clients = resources.use(new BenchClients(servers.realtimeTokenKeys));
  const users = Array.from({ length: usersPerTenant }, (_, user) => `user-${user}`);
  for (const { id } of tenants) await clients.connect(wsUrl, id, users);
  const pool = createPool({ url: servers.databaseUrl, applicationName: "bench" });
  resources.defer(() => pool.end());
  return { apiUrl, tenants, usersPerTenant, clients, vendor, pool };
}

async function measure(
  world: World,
  channels: readonly string[],
  pace: { perSecond: number; seconds: number },
): Promise<Flow> {
  const { apiUrl, tenants, usersPerTenant, clients, vendor, pool } = world;
  await clients.measure();
  await vendor.reset();
  const url = `${apiUrl}/api/v1/events/trigger`;
  const load: TriggerLoad = { url, tenants, usersPerTenant, channels: [...channels], pace };
  const target = clients.delivered + pace.perSecond * pace.seconds;
  const before = await cpuTimes();
  await using generator = startNode(join(import.meta.dirname, "trigger-load.ts"), {}, [
    JSON.stringify(load),
  ]);
  const { triggered, p50Ms, p99Ms } = await generator.message<TriggerResult>("triggered");
  await until(async () => clients.delivered >= target, ARRIVED_WITHIN_MS);
  const isIdle = async () => {
    const { rowCount } = await pool.query(
      "select 1 from deliveries where settled_at is null limit 1",
    );
    return rowCount === 0;
  };
  await until(isIdle, ARRIVED_WITHIN_MS);
  const after = await cpuTimes();
  const { latencies } = await clients.result();
  const { email, sms } = await vendor.result();
  return {
    perSecond: pace.perSecond,
    answer: { p50Ms, p99Ms },
    browser: { p50Ms: percentile(latencies, 50), p99Ms: percentile(latencies, 99) },
    ...(channels.includes("EMAIL") ? { email, sms } : {}),
    lost: target - clients.delivered,
    cpuMicros: cpuMicros(before, after, triggered),
  };
}

function medianFlow(flows: readonly Flow[]): Flow {
  const latency = (of: (flow: Flow) => Latency | undefined): Latency => ({
    p50Ms: median(flows.map((flow) => of(flow)?.p50Ms ?? Number.NaN)),
    p99Ms: median(flows.map((flow) => of(flow)?.p99Ms ?? Number.NaN)),
  });
  return {
    perSecond: flows[0]?.perSecond ?? 0,
    answer: latency(({ answer }) => answer),
    browser: latency(({ browser }) => browser),
    ...(flows[0]?.email === undefined
      ? {}
      : { email: latency(({ email }) => email), sms: latency(({ sms }) => sms) }),
    lost: flows.reduce((sum, { lost }) => sum + lost, 0),
    cpuMicros: medians(flows.map((flow) => flow.cpuMicros)),
  };
}
