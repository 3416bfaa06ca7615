import type { VerifiedToken } from "@belfry/service/realtime-token";
import type { Codec } from "./codec.ts";
import type { LargeReads } from "./held-bytes.ts";
import type { Hub } from "./hub.ts";
import type { Disconnect } from "./protocol.ts";
import type { ChannelState, HistoryPage, HistoryReader } from "./realtime-history.ts";
import type { Rpc } from "./rpc.ts";
import type { TenantStates } from "./tenant-states.ts";
import type { TimerWheel } from "./timer-wheel.ts";

/** Limits of one session. Their defaults come from the protocol's reference server and the issue on the gateway. */
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

/** The part of a connection that its session uses. */
export interface Transport {
  readonly codec: Codec;
  /** Sends a reply or a ping. */
  reply(message: string): void;
  /** Sends a reply in one frame with the next message, or after at most 50 ms if there is none. */
  replyWithNext(message: string): void;
  /** Sends a publication. Too many unread publications end the connection. */
  push(message: string): void;
  /** Returns the number of bytes that the client has not read yet. */
  backlogBytes(): number;
  /** Called when fewer commands of the session wait than before. */
  workDone(): void;
  /** Returns whether the socket currently reads no frames, because too many commands of the client wait. */
  isHeldBack(): boolean;
  /** Closes the socket with this code, after the queued messages except for a slow client. */
  close(disconnect: Disconnect): void;
}

export interface SessionDeps {
  hub: Hub;
  history: HistoryReader;
  largeReads: LargeReads;
  readPage(page: HistoryPage): Promise<ChannelState>;
  rpc: Rpc;
  /** Returns the ids of those notifications of a tenant that may be shown to everybody. */
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
