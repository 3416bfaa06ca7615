import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createPool } from "@belfry/database/connection";
import { freePort } from "@belfry/testing/free-port";
import type { BenchOptions } from "./bench-options.ts";
import { percentile, round } from "./figures.ts";
import { type NodeProcess, startNode } from "./node-process.ts";
import { BenchClients } from "./realtime-clients.ts";
import { pushText, startFeed } from "./realtime-feed.ts";
import type { Flood } from "./realtime-yardstick.ts";
import { type BenchServers, startServers } from "./servers.ts";
import { startService } from "./start-service.ts";

/**
 * A realtime gateway with many connections, each of a user of its own with one channel, one half in JSON and the other
 * in Protobuf, beside a bare @fastify/websocket server (memory) and a bare `ws` loop that writes the same bytes (rate).
 */
const CONNECTIONS = 10_000;
const QUICK_CONNECTIONS = 50;
const RATES = [1_000, 5_000, 10_000];
/** Under way at a time while the highest rate is looked for. */
const WINDOW = 4_000;
/**
 * At which the CPU time of the protocols is compared. At the highest rate it depends on how many publications a turn of
 * the gateway brings, and so on how fast the load's own reader of each protocol is.
 */
const PACE = 4_000;
const MISSED_EACH = 3;
const BACK_WITHIN_MS = 180_000;
const TENANT = "bench";
const PREFIX = "bench";
const YARDSTICK = join(import.meta.dirname, "realtime-yardstick.ts");
const COLLECT = `--import=${join(import.meta.dirname, "collect-garbage.ts")}`;

export async function run(options: BenchOptions) {
  const { quick } = options;
  const count = options.connections ?? (quick ? QUICK_CONNECTIONS : CONNECTIONS);
  const seconds = options.seconds ?? (quick ? 0.1 : 10);
  const warmUpSeconds = quick ? 0.1 : 2;
  const collections = quick ? 1 : 3;
  const files = await maxOpenFiles();
  if (files < count + 500) {
    throw new Error(`only ${files} open files: run "ulimit -n ${count + 500}" first, or --quick`);
  }
  await using resources = new AsyncDisposableStack();
  const servers = resources.use(await startServers(options));
  await createTenant(servers);
  const users = Array.from({ length: count }, (_, index) => `user-${index}`);

  const bare = await measureMemory("fastify", users, collections);
  const loop = await measureLoop(users, seconds, warmUpSeconds);

  const port = await freePort();
  const url = `ws://127.0.0.1:${port}/connection/websocket`;
  // All come from one machine at once, which the standard rate of admission is there to prevent.
  let gateway = resources.use(
    await startGateway(servers, port, { CONNECTIONS_PER_SECOND: "100000" }),
  );
  const pid = () => gateway.child.pid ?? 0;
  const clients = resources.use(new BenchClients(servers.realtimeTokenKeys));
  const emptyKib = await settledKib(pid(), collections);
  const half = Math.floor(count / 2);
  const quarter = Math.floor(half / 2);
  const connectsPerSecond = await clients.connect(url, TENANT, users.slice(0, quarter));
  await clients.connect(url, TENANT, users.slice(half, half + quarter), "protobuf");
  // What the first connections take holds memory that all need. The later ones are compared.
  const halfKib = await settledKib(pid(), collections);
  await clients.connect(url, TENANT, users.slice(quarter, half));
  const withJsonKib = await settledKib(pid(), collections);
  await clients.connect(url, TENANT, users.slice(half + quarter), "protobuf");
  const fullKib = await settledKib(pid(), collections);
  const idleStart = await cpuSeconds(pid());
  const idleSeconds = quick ? 0.1 : 30;
  await sleep(idleSeconds * 1000);
  const idleCpuPercent = (((await cpuSeconds(pid())) - idleStart) / idleSeconds) * 100;

  const feed = resources.use(
    await startFeed({ natsUrl: servers.natsUrl, prefix: PREFIX, tenant: TENANT, users, clients }),
  );
  await feed.paced(500, warmUpSeconds);
  const rates: Record<string, { p50Ms: number; p99Ms: number; lost: number }> = {};
  for (const rate of RATES) {
    await clients.measure();
    const lost = await feed.paced(rate, seconds);
    const { latencies } = await clients.result();
    rates[rate] = { p50Ms: percentile(latencies, 50), p99Ms: percentile(latencies, 99), lost };
  }
  const halves = { json: [0, half], protobuf: [half, count] } as const;
  const cpuOf = async (work: () => Promise<unknown>) => {
    const cpuBefore = await cpuSeconds(pid());
    const before = clients.delivered;
    await work();
    return [(await cpuSeconds(pid())) - cpuBefore, clients.delivered - before] as const;
  };
  const flats = { json: new Rounds(), protobuf: new Rounds() };
  const paced = { json: new Rounds(), protobuf: new Rounds() };
  for (const protocol of ["json", "protobuf", "protobuf", "json"] as const) {
    const of = halves[protocol];
    const pace = await cpuOf(() => feed.paced(PACE, seconds / 2, of));
    paced[protocol].add(...pace);
    const flat = { delivered: 0, seconds: 0 };
    const cpu = await cpuOf(async () =>
      Object.assign(flat, await feed.flat(WINDOW, seconds / 2, of)),
    );
    flats[protocol].add(...cpu, flat);
  }
  const { perSecond, cpuMicros } = flats.json;

  await clients.measure();
  await clients.comeBack();
  gateway.child.kill("SIGKILL");
  await commitMissed(servers, users, feed.offsets);
  const before = clients.delivered;
  const start = performance.now();
  gateway = resources.use(await startGateway(servers, port, {}));
  const backSeconds = await untilBack(clients, {
    start,
    count,
    target: before + MISSED_EACH * count,
  });
  const { faults, unrecovered, live } = await clients.result();

  const kib = (full: number, empty: number, connections: number) =>
    round((full - empty) / connections, 1);
  const overBare = (fullKib - emptyKib - (bare.fullKib - bare.emptyKib)) / count;
  const result = {
    bench: "realtime" as const,
    connections: count,
    connectsPerSecond: Math.round(connectsPerSecond),
    kibPerConnection: kib(fullKib, emptyKib, count),
    bareKibPerConnection: kib(bare.fullKib, bare.emptyKib, count),
    kibOverBare: round(overBare, 1),
    idleCpuPercent: round(idleCpuPercent, 1),
    rates,
    perSecond: Math.round(perSecond),
    barePerSecond: Math.round(loop.perSecond),
    ratio: round(perSecond / loop.perSecond, 2),
    cpuMicros: round(cpuMicros, 1),
    bareCpuMicros: round(loop.cpuMicros, 1),
    cpuRatio: round(loop.cpuMicros / cpuMicros, 2),
    kibPerLaterConnection: kib(withJsonKib, halfKib, half - quarter),
    protobufKibPerLaterConnection: kib(fullKib, withJsonKib, count - half - quarter),
    protobufPerSecond: Math.round(flats.protobuf.perSecond),
    protobufCpuMicros: round(flats.protobuf.cpuMicros, 1),
    pacedCpuMicros: round(paced.json.cpuMicros, 1),
    protobufPacedCpuMicros: round(paced.protobuf.cpuMicros, 1),
    backSeconds: round(backSeconds, 1),
    back: live,
    missed: before + MISSED_EACH * count - clients.delivered,
    disordered: faults,
    unrecovered,
  };
  print(result);
  return result;
}

/** What several rounds with one protocol came to. */
class Rounds {
  #cpuSeconds = 0;
  #cpuDelivered = 0;
  #delivered = 0;
  #seconds = 0;

  add(cpuSeconds: number, delivered: number, flat = { delivered: 0, seconds: 0 }): void {
    this.#cpuSeconds += cpuSeconds;
    this.#cpuDelivered += delivered;
    this.#delivered += flat.delivered;
    this.#seconds += flat.seconds;
  }

  get cpuMicros(): number {
    return (this.#cpuSeconds * 1e6) / this.#cpuDelivered;
  }

  get perSecond(): number {
    return this.#delivered / this.#seconds;
  }
}

export type RealtimeResult = Awaited<ReturnType<typeof run>>;

function startGateway(servers: BenchServers, port: number, env: Record<string, string>) {
  return startService("realtime-gateway", servers, {
    NATS_PREFIX: PREFIX,
    REALTIME_GATEWAY_PORT: String(port),
    // What is published here is in no table until the gateway is killed: nothing to compare with.
    POSITION_CHECK_MS: "600000",
    SHUTDOWN_SPREAD_MS: "0",
    NODE_OPTIONS: COLLECT,
    ...env,
  });
}

async function startYardstick(kind: "fastify" | "ws"): Promise<NodeProcess & { url: string }> {
  const port = await freePort();
  const started = startNode(YARDSTICK, {
    KIND: kind,
    PORT: String(port),
    NODE_ENV: "production",
    NODE_OPTIONS: COLLECT,
  });
  await started.ready;
  return { ...started, url: `ws://127.0.0.1:${port}/` };
}

async function measureMemory(kind: "fastify", users: readonly string[], collections: number) {
  await using yardstick = await startYardstick(kind);
  await using clients = new BenchClients("");
  const pid = yardstick.child.pid ?? 0;
  const emptyKib = await settledKib(pid, collections);
  await clients.connect(yardstick.url, TENANT, users);
  const fullKib = await settledKib(pid, collections);
  return { emptyKib, fullKib };
}

async function measureLoop(users: readonly string[], seconds: number, warmUpSeconds: number) {
  await using yardstick = await startYardstick("ws");
  await using clients = new BenchClients("");
  await clients.connect(yardstick.url, TENANT, users);
  const { child } = yardstick;
  clients.onDelivered = (count) => child.send({ type: "delivered", count });
  const flood = async (floodSeconds: number) => {
    const text = pushText(users.at(-1) ?? "");
    const before = clients.delivered;
    const start = performance.now();
    const cpuBefore = await cpuSeconds(child.pid ?? 0);
    const flooded = new Promise((done) => child.once("message", done));
    child.send({ type: "flood", text, window: WINDOW, seconds: floodSeconds } satisfies Flood);
    await flooded;
    while (clients.delivered === before) await sleep(1);
    const delivered = clients.delivered - before;
    const perSecond = delivered / ((performance.now() - start) / 1000);
    const cpuMicros = (((await cpuSeconds(child.pid ?? 0)) - cpuBefore) * 1e6) / delivered;
    await sleep(200);
    return { perSecond, cpuMicros };
  };
  await flood(warmUpSeconds);
  return await flood(seconds);
}

async function createTenant({ databaseUrl }: BenchServers): Promise<void> {
  const pool = createPool({ url: databaseUrl, applicationName: "bench" });
  await pool.query("insert into tenants (id, name, per_minute) values ($1, $1, 600)", [TENANT]);
  await pool.end();
}

/** What happened while the gateway was dead: the tables as they would be, and more for each user. */
async function commitMissed(
  { databaseUrl }: BenchServers,
  users: readonly string[],
  offsets: readonly number[],
): Promise<void> {
  const pool = createPool({ url: databaseUrl, applicationName: "bench" });
  await pool.query(
    `insert into realtime_channels (tenant_id, user_id, channel_name, top_offset)
     select $1, u.id, 'personal', u.top + $4 from unnest($2::text[], $3::bigint[]) as u (id, top)`,
    [TENANT, users, offsets, MISSED_EACH],
  );
  await pool.query(
    `insert into notifications (id, tenant_id, user_id, event_type, title, body, channel_name,
       channel_offset, created_at)
     select gen_random_uuid(), $1, u.id, 'order.confirmed', 'title', 'missed', 'personal', u.top + i, now()
     from unnest($2::text[], $3::bigint[]) as u (id, top), generate_series(1, $4) as i`,
    [TENANT, users, offsets, MISSED_EACH],
  );
  await pool.query("analyze");
  await pool.end();
}

async function untilBack(
  clients: BenchClients,
  wanted: { start: number; count: number; target: number },
): Promise<number> {
  for (;;) {
    const { live } = await clients.result();
    const elapsedMs = performance.now() - wanted.start;
    if (live >= wanted.count && clients.delivered >= wanted.target) return elapsedMs / 1000;
    if (elapsedMs > BACK_WITHIN_MS) return elapsedMs / 1000;
    await sleep(100);
  }
}

function print(result: Record<string, unknown> & { rates: Record<string, object> }): void {
  const line = (name: string, value: unknown) =>
    process.stdout.write(`${name.padEnd(28)}${value}\n`);
  for (const [name, value] of Object.entries(result)) {
    if (name !== "bench" && name !== "rates") line(name, value);
  }
  for (const [rate, found] of Object.entries(result.rates)) {
    const { p50Ms, p99Ms, lost } = found as Record<string, number>;
    line(`at ${rate} a second`, `p50 ${p50Ms} ms, p99 ${p99Ms} ms, lost ${lost}`);
  }
}

const TICKS_PER_SECOND = 100;
const SETTLE_MS = 1000;

/** CPU time of a process so far, in user and kernel mode; Linux. */
export async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/**
 * What a process that was started with `collect-garbage.ts` holds, in KiB: its share of all pages, after
 * it has thrown away, so many times, what it does not need.
 */
export async function settledKib(pid: number, collections: number): Promise<number> {
  for (let time = 0; time < collections; time += 1) {
    process.kill(pid, "SIGUSR2");
    await sleep(SETTLE_MS);
  }
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1]);
}

/** How many files this process, and those it starts, may hold open. */
export async function maxOpenFiles(): Promise<number> {
  const limits = await readFile("/proc/self/limits", "utf8");
  const [, soft = "0"] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
  return Number(soft);
}
