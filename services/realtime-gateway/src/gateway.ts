import { readConfigurationVersion } from "@belfry/database/configuration-version";
import type { Database, Pool } from "@belfry/database/connection";
import { shownNotifications } from "@belfry/database/notifications";
import type { SecretKeys } from "@belfry/database/secrets";
import type { Logger } from "@belfry/service/logger";
import type { NatsLink } from "@belfry/service/nats";
import { pause } from "@belfry/service/pause";
import { type TokenKeys, verifyRealtimeToken } from "@belfry/service/realtime-token";
import { watchVersion } from "@belfry/service/versioned-cache";
import { createApp } from "./app.ts";
import { CLOSE_TIMEOUT_MS, type Config, parseOrigins } from "./config.ts";
import type { Connection, ConnectionDeps } from "./connection.ts";
import { HeldBytes, LargeReads } from "./held-bytes.ts";
import { createPositionCheck, Hub } from "./hub.ts";
import { createLiveFeed } from "./live-feed.ts";
import { DISCONNECTS } from "./protocol.ts";
import {
  createHistoryReader,
  MAX_READING_BYTES,
  readChannelPage,
  readChannels,
  readTops,
} from "./realtime-history.ts";
import { createRpc } from "./rpc.ts";
import { activeTenants, createTenantStates } from "./tenant-states.ts";
import { TimerWheel } from "./timer-wheel.ts";
import { WriteQueue } from "./write-queue.ts";

const TICK_MS = 50;

export interface GatewayOptions {
  config: Config;
  db: Database;
  pool: Pool;
  /** The connection to NATS. Until it resolves, publications are read from Postgres. */
  nats: Promise<NatsLink>;
  tokenKeys: TokenKeys;
  secretKeys: SecretKeys;
  version: string;
  log: Logger;
}

export interface Gateway {
  port: number;
  connections: ReadonlySet<Connection>;
  held: HeldBytes;
  /** Stops accepting connections, closes all with code 3001, spread over time, and then stops all other parts. */
  close(): Promise<void>;
}

/** Creates all parts of the gateway and listens. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { config, db, nats, log } = options;
  const prefix = config.NATS_PREFIX;
  const stopped = new AbortController();
  const nowMs = () => performance.timeOrigin + performance.now();
  const onFault = (err: unknown) => log.error({ err }, "a connection's turn failed");
  const wheel = new TimerWheel({ tickMs: TICK_MS, nowMs, onFault });
  const writes = new WriteQueue(onFault);
  const history = createHistoryReader((reads) => readChannels(db, reads));
  const maxUserBytes = config.MAX_QUEUE_BYTES_PER_USER;
  const held = new HeldBytes({ maxUserBytes, maxProcessBytes: config.MAX_QUEUE_BYTES_IN_ALL });
  const largeReads = new LargeReads({ maxUserBytes, maxBytes: MAX_READING_BYTES });
  const tenants = createTenantStates((ids) => activeTenants(db, ids));

  // Set below: the position check needs the hub, the hub needs the feed, and the feed needs the position check.
  let checkPositions = () => Promise.resolve();
  const feed = createLiveFeed({
    nats,
    prefix,
    log,
    onUncertain: () => void checkPositions(),
    onTenantDisconnect: (tenantId) => hub.endTenant(tenantId, DISCONNECTS.forced),
  });
  const hub = new Hub(feed, { history, wheel, nowMs, log });
  checkPositions = createPositionCheck(hub, (channels) => readTops(db, channels), log);

  const rpc = createRpc({
    db,
    secretKeys: options.secretKeys,
    readLarge({ tenantId, userId }, maxBytes, read) {
      const bytes = hub.find(tenantId, userId)?.bytes ?? held.unauthenticated;
      return largeReads.run(bytes, maxBytes, read);
    },
    announce(tenantId, message) {
      // While NATS is not reachable, at least this gateway's own connections get the message.
      if (!feed.announce(tenantId, message)) hub.find(tenantId, message.userId)?.receive(message);
    },
  });
  const connection: ConnectionDeps = {
    hub,
    history,
    largeReads,
    readPage: (page) => readChannelPage(db, page),
    rpc,
    shownNotifications: (tenantId, ids) => shownNotifications(db, tenantId, ids),
    tenants,
    wheel,
    writes,
    limits: {
      connectTimeoutMs: config.CONNECT_TIMEOUT_MS,
      pingIntervalMs: config.PING_INTERVAL_MS,
      pongTimeoutMs: config.PONG_TIMEOUT_MS,
      maxChannels: config.MAX_CHANNELS_PER_CONNECTION,
      maxChannelBytes: config.MAX_CHANNEL_NAME_BYTES,
      maxConnectionsPerUser: config.MAX_CONNECTIONS_PER_USER,
      commandsPerSecond: config.COMMANDS_PER_SECOND,
      commandBurst: config.COMMAND_BURST,
    },
    held,
    maxQueueBytes: config.MAX_QUEUE_BYTES,
    maxCommandBytes: config.MAX_FRAME_BYTES,
    version: options.version,
    verifyToken: (token) => verifyRealtimeToken(options.tokenKeys, token, nowSeconds()),
    nowMs,
    nowSeconds,
    log,
  };

  /** Ends the sessions of deactivated tenants with 3500, so that their clients do not reconnect. */
  const endInactive = async () => {
    const held = new Set<string>();
    for (const user of hub.users()) held.add(user.tenantId);
    const inactive = await tenants.refresh(held);
    if (inactive.size === 0) return;
    for (const tenantId of inactive) hub.endTenant(tenantId, DISCONNECTS.invalidToken);
  };
  const watching = watchVersion({
    read: () => readConfigurationVersion(options.pool),
    onChange: endInactive,
    nc: nats.then(({ nc }) => nc),
    prefix,
    log,
    signal: stopped.signal,
  });
  const checking = (async () => {
    while (!stopped.signal.aborted) {
      // The interval is random, so that the gateways do not all check at the same time.
      await pause(config.POSITION_CHECK_MS * (0.75 + Math.random() / 2), stopped.signal);
      if (!stopped.signal.aborted) await checkPositions();
    }
  })();

  const connections = new Set<Connection>();
  let isOpen = true;
  const app = await createApp({
    connection,
    connections,
    isOpen: () => isOpen,
    isAllowedOrigin: parseOrigins(config.ALLOWED_ORIGINS),
    maxConnections: config.MAX_CONNECTIONS,
    connectionsPerSecond: config.CONNECTIONS_PER_SECOND,
    maxFrameBytes: config.MAX_FRAME_BYTES,
    log,
  });
  const close = async () => {
    isOpen = false;
    await drain(connections, {
      spreadMs: config.SHUTDOWN_SPREAD_MS,
      timeoutMs: CLOSE_TIMEOUT_MS,
    });
    stopped.abort();
    await app.close();
    await Promise.all([watching, checking]);
    wheel[Symbol.dispose]();
    writes[Symbol.dispose]();
  };
  try {
    await app.listen({ host: config.REALTIME_GATEWAY_HOST, port: config.REALTIME_GATEWAY_PORT });
  } catch (err) {
    await close();
    throw err;
  }
  const address = app.server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { port, connections, held, close };
}

function nowSeconds(): number {
  return Date.now() / 1000;
}

const STEP_MS = 50;

export interface DrainOptions {
  /** Time over which the closes are spread, because the clients then reconnect to other gateways. */
  spreadMs: number;
  /** Longest wait for the last clients to answer the close. */
  timeoutMs: number;
}

/**
 * Closes all connections with code 3001 after their queued messages. Closed connections leave the set by themselves;
 * those that are left after `timeoutMs` are terminated.
 */
export async function drain(connections: Set<Connection>, options: DrainOptions): Promise<void> {
  const all = [...connections];
  const steps = Math.max(1, Math.floor(options.spreadMs / STEP_MS));
  const size = Math.ceil(all.length / steps);
  for (let start = 0; start < all.length; start += size) {
    for (const connection of all.slice(start, start + size)) {
      connection.session.end(DISCONNECTS.shutdown);
    }
    if (start + size < all.length) await pause(STEP_MS);
  }
  const deadline = performance.now() + options.timeoutMs;
  while (connections.size > 0 && performance.now() < deadline) await pause(STEP_MS);
  for (const connection of connections) connection.terminate();
}
