import type { VerifiedToken } from "@belfry/service/realtime-token";
import type { HistoryReader } from "../feed/history-reader.ts";
import type { Hub } from "../feed/hub.ts";
import type { ChannelState, HistoryPage } from "../feed/realtime-history.ts";
import type { TenantStates } from "../feed/tenant-states.ts";
import type { Codec } from "../protocol/codec.ts";
import type { SessionLimits } from "../protocol/limits.ts";
import type { Disconnect } from "../protocol/protocol-codes.ts";
import type { TimerWheel } from "../timer-wheel.ts";
import type { LargeReads } from "./large-reads.ts";
import type { Rpc } from "./rpc.ts";

/** The socket behind a session. */
export interface Transport {
  /** Replies and pings: the client has asked for them. */
  reply(message: string): void;
  /** Publications: too many of them unread end the connection. */
  push(message: string): void;
  /** What the client has not read yet. */
  backlogBytes(): number;
  /** Of the session's commands fewer wait than before. */
  workDone(): void;
  /** No frame of the client is read now: too much of what it asked for waits. */
  isHeldBack(): boolean;
  /** Says `end` and closes; what was sent before still leaves, but not to a slow client. */
  close(disconnect: Disconnect): void;
}

export interface SessionDeps {
  codec: Codec;
  hub: Hub;
  history: HistoryReader;
  largeReads: LargeReads;
  readPage(page: HistoryPage): Promise<ChannelState>;
  rpc: Rpc;
  /** Of these notifications of a tenant those that anybody may see. */
  shownNotifications(tenantId: string, ids: readonly string[]): Promise<ReadonlySet<string>>;
  tenants: TenantStates;
  wheel: TimerWheel;
  limits: SessionLimits;
  version: string;
  verifyToken(token: string): Promise<VerifiedToken>;
  /** Never goes back. */
  nowMs(): number;
  /** Seconds since 1970, as tokens count. */
  nowSeconds(): number;
  log: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
  };
}
