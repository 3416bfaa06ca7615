import { createHmac, randomBytes } from "node:crypto";
import { join } from "node:path";
import { createPool } from "@belfry/database/connection";
import { encryptSecret, parseSecretKeys, webhookSecretOwner } from "@belfry/database/secrets";
import { freePort } from "@belfry/testing/free-port";
import type { BenchOptions } from "./bench-options.ts";
import { seedRecipients } from "./bench-tenants.ts";
import { type CpuMicros, cpuMicros, cpuTimes } from "./cpu-time.ts";
import { median, medians, printLine, round } from "./figures.ts";
import type { IngestLoad, LoadResult } from "./ingest-load.ts";
import { startNode } from "./node-process.ts";
import { type BenchServers, startServers } from "./servers.ts";
import { startService } from "./start-service.ts";

/**
 * Accepted triggers a second and their latency, beside a bare route that only publishes the same body
 * (ingest-yardstick.ts): same servers, same load, rounds in turn, medians. Everything is on: key,
 * signature, validation, deduplication (a fresh key a request), both limits.
 */
const ROUNDS = 5;
const SECONDS = 5;
const WARM_UP_SECONDS = 3;
const CONNECTIONS = 256;
const QUICK = { connections: 16, amount: 200 };
const TENANT = "bench";
const NAMED = "named";
const TENANTS_BESIDE = 50;

export type IngestResult = ReturnType<typeof resultOf>;

export async function run(options: BenchOptions): Promise<IngestResult> {
  const { quick } = options;
  const rounds = options.rounds ?? (quick ? 1 : ROUNDS);
  const seconds = options.seconds ?? SECONDS;
  await using resources = new AsyncDisposableStack();
  const servers = resources.use(await startServers(options));
  const secret = randomBytes(32).toString("hex");
  const apiKeys = {
    [TENANT]: `bf_${randomBytes(24).toString("hex")}`,
    [NAMED]: `bf_${randomBytes(24).toString("hex")}`,
  };
  await createTenants(servers, apiKeys, secret);
  if (options.recipients) await seedRecipients(servers, [NAMED], options.recipients);

  const port = await freePort();
  const yardstickPort = await freePort();
  resources.use(await startService("ingest-api", servers, { INGEST_API_PORT: String(port) }));
  const yardstick = resources.use(
    startNode(join(import.meta.dirname, "ingest-yardstick.ts"), {
      NATS_URL: servers.natsUrl,
      PORT: String(yardstickPort),
      NODE_ENV: "production",
    }),
  );
  await yardstick.ready;

  const body = JSON.stringify({
    eventType: "order.confirmed",
    payload: {
      userId: "user-1",
      recipientEmail: "ann@example.com",
      recipientPhone: "+12025550123",
    },
    variables: { name: "Ann", orderId: "A-1001", total: "49.90", items: ["book", "pen", "lamp"] },
  });
  const headers = {
    "content-type": "application/json",
    "x-api-key": apiKeys[TENANT],
    "x-service-signature": createHmac("sha256", secret).update(body).digest("hex"),
  };
  const measure = (url: string, duration: number, apiKey = apiKeys[TENANT]) =>
    measureOnce({
      url,
      headers: { ...headers, "x-api-key": apiKey },
      body,
      ...(quick ? QUICK : { connections: CONNECTIONS, duration }),
    });
  const belfryUrl = `http://127.0.0.1:${port}/api/v1/events/trigger`;
  const yardstickUrl = `http://127.0.0.1:${yardstickPort}/`;

  for (const url of quick ? [] : [yardstickUrl, belfryUrl]) await measure(url, WARM_UP_SECONDS);
  const table: Round[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    table.push({
      round,
      yardstick: await measure(yardstickUrl, seconds),
      belfry: await measure(belfryUrl, seconds),
      ...(options.recipients && { named: await measure(belfryUrl, seconds, apiKeys[NAMED]) }),
    });
  }
  print(table);
  return resultOf(table, options.recipients);
}

interface Measured extends LoadResult {
  /** CPU time a request, in microseconds. */
  cpu: CpuMicros;
}

interface Round {
  round: number;
  belfry: Measured;
  yardstick: Measured;
  named?: Measured;
}

async function measureOnce(load: IngestLoad): Promise<Measured> {
  const before = await cpuTimes();
  await using generator = startNode(join(import.meta.dirname, "ingest-load.ts"), {}, [
    JSON.stringify(load),
  ]);
  const result = (await generator.ready) as LoadResult;
  const bad = Object.keys(result.statuses).filter((status) => status !== "200");
  if (bad.length > 0 || result.errors > 0) {
    throw new Error(`not every request was accepted: ${JSON.stringify(result)}`);
  }
  return { ...result, cpu: cpuMicros(before, await cpuTimes(), result.requests) };
}

async function createTenants(
  servers: BenchServers,
  apiKeys: Record<string, string>,
  secret: string,
): Promise<void> {
  const pool = createPool({ url: servers.databaseUrl, applicationName: "bench" });
  const keys = parseSecretKeys(servers.secretsKeys);
  try {
    const beside = Array.from({ length: TENANTS_BESIDE }, (_, at) => `beside${at + 1}`);
    for (const id of [...Object.keys(apiKeys), ...beside]) {
      const encrypted =
        id in apiKeys ? await encryptSecret(keys, webhookSecretOwner(id), secret) : null;
      await pool.query(
        "insert into tenants (id, name, per_minute, daily_cap, webhook_secret) values ($1, $1, 100000000, 1000000000, $2)",
        [id, encrypted],
      );
      await pool.query("insert into tenant_limits (tenant_id) values ($1)", [id]);
    }
    for (const [id, apiKey] of Object.entries(apiKeys)) {
      await pool.query(
        "insert into api_keys (id, tenant_id, sha256, prefix) values (gen_random_uuid(), $1, sha256($2::bytea), 'bf_bench')",
        [id, Buffer.from(apiKey)],
      );
    }
    await pool.query("analyze");
  } finally {
    await pool.end();
  }
}

function print(table: Round[]): void {
  printLine([
    "round",
    "route",
    "per second",
    "p50 ms",
    "p99 ms",
    "CPU µs",
    "postgres",
    "nats",
    "ratio",
  ]);
  for (const { round, ...routes } of table) {
    for (const [name, { perSecond, p50Ms, p99Ms, cpu }] of Object.entries(routes)) {
      const ratio = perSecond / routes.yardstick.perSecond;
      printLine([
        ...[round, name, Math.round(perSecond), p50Ms, p99Ms],
        ...[cpu["ingest-api"] ?? cpu.yardstick ?? 0, cpu.postgres ?? 0, cpu.nats ?? 0],
        ratio.toFixed(2),
      ]);
    }
  }
}

function resultOf(table: Round[], recipients: number | undefined) {
  const named = table.flatMap((row) => row.named ?? []);
  const of = (value: (row: Round) => number) => median(table.map(value));
  return {
    bench: "ingest" as const,
    perSecond: Math.round(of((row) => row.belfry.perSecond)),
    yardstickPerSecond: Math.round(of((row) => row.yardstick.perSecond)),
    ratio: round(
      of((row) => row.belfry.perSecond / row.yardstick.perSecond),
      2,
    ),
    p50Ms: of((row) => row.belfry.p50Ms),
    p99Ms: of((row) => row.belfry.p99Ms),
    yardstickP50Ms: of((row) => row.yardstick.p50Ms),
    yardstickP99Ms: of((row) => row.yardstick.p99Ms),
    cpuMicros: medians(table.map((row) => row.belfry.cpu)),
    yardstickCpuMicros: medians(table.map((row) => row.yardstick.cpu)),
    // Of a tenant with recipients, if there is one.
    ...(recipients && {
      named: {
        recipients,
        perSecond: Math.round(median(named.map((one) => one.perSecond))),
        cpuMicros: medians(named.map((one) => one.cpu)),
      },
    }),
  };
}
