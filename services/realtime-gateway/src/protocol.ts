import type { StoredPublication } from "./realtime-history.ts";

/** An error in a reply. The client tries again after a temporary error; any other error is final. */
export interface ProtocolError {
  code: number;
  message: string;
  temporary?: true;
}

export const ERRORS = {
  internal: { code: 100, message: "internal server error", temporary: true },
  permissionDenied: { code: 103, message: "permission denied" },
  methodNotFound: { code: 104, message: "method not found" },
  alreadySubscribed: { code: 105, message: "already subscribed" },
  limitExceeded: { code: 106, message: "limit exceeded" },
  badRequest: { code: 107, message: "bad request" },
  notAvailable: { code: 108, message: "not available" },
  tokenExpired: { code: 109, message: "token expired" },
  tooManyRequests: { code: 111, message: "too many requests", temporary: true },
  unrecoverablePosition: { code: 112, message: "unrecoverable position" },
  unknownNotification: { code: 404, message: "unknown notification" },
} as const satisfies Record<string, ProtocolError>;

/**
 * Code and reason of a close. With a code from 3500 on, the client does not reconnect. With an empty reason, it would
 * reconnect for ever.
 */
export interface Disconnect {
  code: number;
  reason: string;
}

export const DISCONNECTS = {
  closed: { code: 3000, reason: "connection closed" },
  shutdown: { code: 3001, reason: "shutdown" },
  internal: { code: 3004, reason: "internal server error" },
  expired: { code: 3005, reason: "connection expired" },
  slow: { code: 3008, reason: "slow" },
  noPong: { code: 3012, reason: "no pong" },
  tooManyRequests: { code: 3013, reason: "too many requests" },
  invalidToken: { code: 3500, reason: "invalid token" },
  badRequest: { code: 3501, reason: "bad request" },
  stale: { code: 3502, reason: "stale" },
  forced: { code: 3503, reason: "force disconnect" },
  connectionLimit: { code: 3504, reason: "connection limit" },
  inappropriateProtocol: { code: 3506, reason: "inappropriate protocol" },
  notAvailable: { code: 3508, reason: "not available" },
} as const satisfies Record<string, Disconnect>;

/** Codes of an unsubscribe push. With a code from 2500 on, the client subscribes again with its position. */
export const UNSUBSCRIBES = {
  insufficientState: { code: 2500, reason: "insufficient state" },
} as const;

export interface ConnectResult {
  client: string;
  version: string;
  expires: true;
  /** Seconds until the token expires. */
  ttl: number;
  /** Seconds between pings; only in the reply to `connect`. */
  ping?: number;
  pong?: true;
}

export interface SubscribeResult {
  recoverable: true;
  positioned: true;
  epoch: string;
  offset: number;
  was_recovering?: true;
  recovered?: true;
  publications?: StoredPublication[];
}

export interface HistoryResult {
  publications: StoredPublication[];
  offset: number;
  epoch: string;
}

export type Reply =
  | { id: number; error: ProtocolError }
  | { id: number; connect: ConnectResult }
  | { id: number; refresh: ConnectResult }
  | { id: number; subscribe: SubscribeResult }
  | { id: number; unsubscribe: Record<string, never> }
  | { id: number; history: HistoryResult }
  | { id: number; rpc: { data: unknown } };

export type Push =
  | { channel: string; pub: StoredPublication }
  | { channel: string; unsubscribe: { code: number; reason: string } }
  | { message: { data: unknown } };
