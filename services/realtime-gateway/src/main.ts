import { openDatabase } from "@belfry/database/open-database";
import { parseSecretKeys } from "@belfry/database/secrets";
import { parseTokenKeys } from "@belfry/service/realtime-token";
import { runService } from "@belfry/service/run-service";
import packageFile from "../package.json" with { type: "json" };
import { configSchema, crossCheck } from "./config.ts";
import { startGateway } from "./gateway.ts";
import { showConnections } from "./gateway-metrics.ts";

/** A client waits 5 s for a subscribe and then drops the connection. If it is refused earlier, it only tries again. */
const STATEMENT_TIMEOUT_MS = 2500;
const CONNECT_TIMEOUT_MS = 1500;

await runService({
  name: "realtime-gateway",
  config: configSchema,
  check: crossCheck,
  database: (config, log) =>
    openDatabase({
      url: config.DATABASE_URL,
      applicationName: "realtime-gateway",
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      queryTimeoutMs: STATEMENT_TIMEOUT_MS + 200,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      log,
    }),
  // While NATS is not reachable, clients connect, read history and recover; pushes are read from Postgres.
  work: "gateway",
  async start({ config, log, database, nats, stopped }) {
    const gateway = await startGateway({
      config,
      db: database.db,
      pool: database.pool,
      nats,
      tokenKeys: parseTokenKeys(config.REALTIME_TOKEN_KEYS),
      secretKeys: parseSecretKeys(config.SECRETS_KEYS),
      version: `${packageFile.version} Belfry`,
      log,
    });
    showConnections(gateway.connections, gateway.held);
    log.info({ port: gateway.port }, "realtime gateway is up");
    return { run: () => [stopped.then(() => gateway.close())] };
  },
});
