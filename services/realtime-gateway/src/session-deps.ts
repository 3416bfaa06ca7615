import type { VerifiedToken } from "@belfry/service/realtime-token";
import type { Codec } from "./codec.ts";
import type { LargeReads } from "./held-bytes.ts";
import type { Hub } from "./hub.ts";
import type { Disconnect } from "./protocol.ts";
import type { ChannelState, HistoryPage, HistoryReader } from "./realtime-history.ts";
import type { Rpc } from "./rpc.ts";
import type { TenantStates } from "./tenant-states.ts";
import type { TimerWheel } from "./timer-wheel.ts";

/** Limits of one session. Sources: the protocol's reference server and the issue on the gateway. */
export interface SessionLimits {
  connectTimeoutMs: number;
  pingIntervalMs: number;
  pongTimeoutMs: number;
  maxChannels: number;
  maxChannelBytes: number;
  maxConnectionsPerUser: number;
  commandsPerSecond: number;
  commandBurst: number;
}

/** The socket behind a session. */
export interface Transport {
  readonly codec: Codec;
  /** Sends a reply or a ping. */
  reply(message: string): void;
  /** Sends a publication. Too many unread ones end the connection. */
  push(message: string): void;
  /** How much the client has not read yet. */
  backlogBytes(): number;
  /** Called when fewer commands of the session wait than before. */
  workDone(): void;
  /** Whether the socket reads no frames now, because too many commands of the client wait. */
  isHeldBack(): boolean;
  /** Closes with this code. Sends what is queued first, except to a slow client. */
  close(disconnect: Disconnect): void;
}

export interface SessionDeps {
  hub: Hub;
  history: HistoryReader;
  largeReads: LargeReads;
  readPage(page: HistoryPage): Promise<ChannelState>;
  rpc: Rpc;
  /** Returns which of these notifications of a tenant may be shown to everybody. */
  shownNotifications(tenantId: string, ids: readonly string[]): Promise<ReadonlySet<string>>;
  tenants: TenantStates;
  wheel: TimerWheel;
  limits: SessionLimits;
  version: string;
  verifyToken(token: string): Promise<VerifiedToken>;
  /** A monotonic clock. */
  nowMs(): number;
  /** Seconds since 1970, as in tokens. */
  nowSeconds(): number;
  log: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
  };
}
