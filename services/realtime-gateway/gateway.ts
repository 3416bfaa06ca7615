import type { RealtimeMessage } from "@belfry/contracts/realtime-message";
import { readConfigurationVersion } from "@belfry/database/configuration-version";
import type { Database } from "@belfry/database/connection";
import {
  countUnread,
  listNotifications,
  markAllNotificationsRead,
  markNotificationRead,
  shownNotifications,
} from "@belfry/database/notifications";
import { watchVersion } from "@belfry/service/configuration-watch";
import type { Logger } from "@belfry/service/logger";
import type { NatsLink } from "@belfry/service/nats";
import { pause } from "@belfry/service/pause";
import { type TokenKeys, verifyRealtimeToken } from "@belfry/service/realtime-token";
import { createApp } from "./app.ts";
import { CLOSE_TIMEOUT_MS, type Config } from "./config.ts";
import { drain } from "./drain.ts";
import { activeTenants } from "./feed/active-tenants.ts";
import { createHistoryReader } from "./feed/history-reader.ts";
import { Hub } from "./feed/hub.ts";
import { createLiveFeed } from "./feed/live-feed.ts";
import { createPositionCheck } from "./feed/position-check.ts";
import { readChannelPage, readChannels, readTops } from "./feed/realtime-history.ts";
import { createTenantStates } from "./feed/tenant-states.ts";
import { ownPreferences } from "./own-preferences.ts";
import { jsonCodec } from "./protocol/json-codec.ts";
import { ITEM_BYTES, MAX_READING_BYTES } from "./protocol/limits.ts";
import { DISCONNECTS } from "./protocol/protocol-codes.ts";
import { LargeReads } from "./session/large-reads.ts";
import { createRpc, type Inbox, type InboxOwner } from "./session/rpc.ts";
import type { Connection, ConnectionDeps } from "./socket/connection.ts";
import { HeldBytes } from "./socket/held-bytes.ts";
import { parseOrigins } from "./socket/origins.ts";
import { WriteQueue } from "./socket/write-queue.ts";
import { TimerWheel } from "./timer-wheel.ts";

const TICK_MS = 50;

export interface GatewayOptions {
  config: Config;
  db: Database;
  /** May come later: until then pushes are read back from Postgres. */
  nats: Promise<NatsLink>;
  tokenKeys: TokenKeys;
  version: string;
  log: Logger;
}

export interface Gateway {
  /** The port listened on. */
  port: number;
  connections: ReadonlySet<Connection>;
  held: HeldBytes;
  /** Stops accepting, closes every connection with 3001, spread, and everything else after them. */
  close(): Promise<void>;
}

/** Puts the parts together and listens. */
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

  let checkPositions = () => Promise.resolve();
  const feed = createLiveFeed({
    ...{ nats, prefix, log },
    onUncertain: () => void checkPositions(),
    onTenantDisconnect: (tenantId) => hub.endTenant(tenantId, DISCONNECTS.forced),
  });
  const hub = new Hub(feed, { codec: jsonCodec, history, wheel, nowMs, log });
  checkPositions = createPositionCheck({
    hub,
    readTops: (channels) => readTops(db, channels),
    log,
  });

  const bytesOf = ({ tenantId, userId }: InboxOwner) =>
    hub.find(tenantId, userId)?.bytes ?? held.strangers;
  const tell = (tenantId: string, message: RealtimeMessage) => {
    // This gateway's own connections need no NATS.
    if (!feed.announce(tenantId, message)) hub.find(tenantId, message.userId)?.receive(message);
  };
  const inbox: Inbox = {
    list(page) {
      const maxBytes = page.limit * ITEM_BYTES;
      return largeReads.run(bytesOf(page), maxBytes, () => listNotifications(db, page));
    },
    countUnread: (owner) => countUnread(db, owner),
    markRead: (item) => markNotificationRead(db, item),
    markAllRead: (owner) => markAllNotificationsRead(db, owner),
    announceMarked: ({ tenantId, userId }, notificationId, unread) =>
      tell(tenantId, { version: 1, kind: "marked", userId, notificationId, unread }),
  };
  const preferences = ownPreferences({
    db,
    read: (owner, maxBytes, answer) => largeReads.run(bytesOf(owner), maxBytes, answer),
    announceChanged: ({ tenantId, userId }) =>
      tell(tenantId, { version: 1, kind: "preferences", userId }),
  });
  const connection: ConnectionDeps = {
    codec: jsonCodec,
    hub,
    history,
    largeReads,
    readPage: (page) => readChannelPage(db, page),
    rpc: createRpc(inbox, preferences),
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

  /** A deactivated tenant's tokens stop working: 3500, so that its clients do not come back. */
  const endInactive = async () => {
    const held = new Set<string>();
    for (const user of hub.users()) held.add(user.tenantId);
    const inactive = await tenants.refresh(held);
    if (inactive.size === 0) return;
    for (const tenantId of inactive) hub.endTenant(tenantId, DISCONNECTS.invalidToken);
  };
  const watching = watchVersion({
    read: () => readConfigurationVersion(db),
    onChange: endInactive,
    nc: nats.then(({ nc }) => nc),
    prefix,
    log,
    signal: stopped.signal,
  });
  const checking = (async () => {
    while (!stopped.signal.aborted) {
      // Not all gateways at once.
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
