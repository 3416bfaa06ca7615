import { createDatabase, createPool } from "@belfry/database/connection";
import { waitForSchema } from "@belfry/database/wait-for-schema";
import { ConfigError, loadConfig } from "@belfry/service/config";
import { createLogger } from "@belfry/service/logger";
import { startManagement } from "@belfry/service/management";
import { connectNats, type NatsLink, natsFiles } from "@belfry/service/nats";
import { parseTokenKeys } from "@belfry/service/realtime-token";
import { createStopSignal } from "@belfry/service/stop-signal";
import { configSchema, crossCheck } from "./config.ts";
import { startGateway } from "./gateway.ts";
import { showConnections } from "./gateway-metrics.ts";
import packageFile from "./package.json" with { type: "json" };

/** A client gives a subscribe 5 s before it gives up the connection: refused in time, it only tries again. */
const STATEMENT_TIMEOUT_MS = 2500;
const CONNECT_TIMEOUT_MS = 1500;

const config = loadConfig(configSchema);
const faults = crossCheck(config);
if (faults.length > 0) throw new ConfigError(faults);
const tokenKeys = parseTokenKeys(config.REALTIME_TOKEN_KEYS);

const log = createLogger({ service: "realtime-gateway", level: config.LOG_LEVEL });
await using resources = new AsyncDisposableStack();
const stop = resources.use(
  createStopSignal({
    log,
    delayMs: config.SHUTDOWN_DELAY_MS,
    graceMs: config.SHUTDOWN_GRACE_MS,
    stopWithParent: config.STOP_WITH_PARENT,
  }),
);
const pool = createPool({
  url: config.DATABASE_URL,
  applicationName: "realtime-gateway",
  statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  queryTimeoutMs: STATEMENT_TIMEOUT_MS + 200,
  connectTimeoutMs: CONNECT_TIMEOUT_MS,
  onConnectionError: (err) => log.warn({ err }, "idle database connection lost"),
});
const db = createDatabase(pool);
resources.defer(() => pool.end());
let nats: NatsLink | undefined;
let gateway: Awaited<ReturnType<typeof startGateway>> | undefined;
resources.use(
  await startManagement({
    host: config.MANAGEMENT_HOST,
    port: config.MANAGEMENT_PORT,
    checks: {
      postgres: () => pool.query("select 1").then(() => true),
      gateway: () => gateway !== undefined,
    },
    // Without it connecting, history and recovery go on, and pushes are read back from Postgres.
    others: { nats: () => nats?.isConnected() ?? false },
    log,
    signal: stop.stopping,
  }),
);
resources.defer(() => nats?.close());

try {
  const connecting = connectNats({
    url: config.NATS_URL,
    files: natsFiles(config),
    name: "realtime-gateway",
    log,
    signal: stop.signal,
  }).then((link) => {
    nats = link;
    return link;
  });
  // Only the stop signal ends it without a connection.
  connecting.catch(() => undefined);
  await waitForSchema(pool, { log, signal: stop.signal });
  const version = `${packageFile.version} Belfry`;
  const started = await startGateway({ config, db, nats: connecting, tokenKeys, version, log });
  gateway = started;
  showConnections(started.connections, started.held);
  resources.defer(() => started.close());
  log.info({ port: started.port }, "realtime gateway is up");

  await stop.stopped;
} catch (error) {
  // Stopped while it still waited for Postgres.
  if (!stop.signal.aborted) throw error;
}
