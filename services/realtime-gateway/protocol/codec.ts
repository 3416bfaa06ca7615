import type { StoredPublication } from "../feed/realtime-history.ts";
import type { Incoming } from "../session/commands.ts";
import type { ProtocolError } from "./protocol-codes.ts";

export interface ConnectResult {
  client: string;
  version: string;
  expires: true;
  /** Seconds until the token expires. */
  ttl: number;
  /** Seconds between pings; only with `connect`. */
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
  | { channel: string; unsubscribe: { code: number; reason: string } }
  | { message: { data: unknown } };

/**
 * One way of writing the protocol. Messages are encoded alone, so that a publication is encoded once
 * for all its subscribers, and joined into frames later.
 */
export interface Codec {
  /** The messages of one frame; undefined when any of them is not of the protocol. Never throws. */
  decode(frame: string): Incoming[] | undefined;
  reply(reply: Reply): string;
  push(push: Push): string;
  /** `text`: of the publication, as it came (contracts/realtime-message). */
  publication(channel: string, text: string): string;
  ping: string;
  join(messages: readonly string[]): string;
}
