import { NestedData } from "./nested-data.ts";

/** What a client asks for, in the protocol's own names, after its shape was checked. */

interface With<Method extends string, Request> {
  id: number;
  /** Of its text: what it holds while it waits. */
  bytes: number;
  method: Method;
  request: Request;
}

export interface ConnectRequest {
  token: string;
}
export interface SubscribeRequest {
  channel: string;
  recover: boolean;
  offset: number;
  epoch: string;
  /** Bit 2: an unrecoverable position is an error rather than `recovered: false`. */
  flag: number;
  /** Other than 0: map or shared poll, which are not offered. */
  type: number;
  delta: string;
  /** A filter by tags was given. */
  filtered: boolean;
}
export interface HistoryRequest {
  channel: string;
  limit: number;
  reverse: boolean;
  since: { offset: number; epoch: string } | undefined;
}
export interface RpcRequest {
  method: string;
  /** A `NestedData`, where it is not flat. */
  data: unknown;
}
export interface ChannelRequest {
  channel: string;
}

export type Command =
  | With<"connect", ConnectRequest>
  | With<"subscribe", SubscribeRequest>
  | With<"unsubscribe", ChannelRequest>
  | With<"publish", ChannelRequest>
  | With<"presence", ChannelRequest>
  | With<"presence_stats", ChannelRequest>
  | With<"history", HistoryRequest>
  | With<"ping", undefined>
  | With<"send", undefined>
  | With<"rpc", RpcRequest>
  | With<"refresh", ConnectRequest>
  | With<"sub_refresh", ChannelRequest>;

export type Incoming = Command | "pong";

const MAX_ID = 2 ** 32 - 1;
/** A position is compared, never trusted; above 2^53 it could not even be that. */
const MAX_OFFSET = Number.MAX_SAFE_INTEGER;

class ShapeFault extends Error {}

type Fields = Record<string, unknown>;

/** Undefined: not a command of the protocol. Fields that are not known are ignored. */
export function readCommand(value: unknown, bytes: number): Incoming | undefined {
  try {
    return read(fieldsOf(value), bytes);
  } catch (error) {
    if (error instanceof ShapeFault) return undefined;
    throw error;
  }
}

function read(fields: Fields, bytes: number): Incoming | undefined {
  const method = METHODS.find((name) => given(fields, name) !== undefined);
  const id = integer(fields, "id", MAX_ID);
  if (method === undefined) {
    return id === 0 && Object.keys(fields).every((name) => name === "id") ? "pong" : undefined;
  }
  if (id === 0 && method !== "send") return undefined;
  return { id, bytes, method, request: READERS[method](fieldsOf(fields[method])) } as Command;
}

const channelOf = (fields: Fields): ChannelRequest => ({ channel: text(fields, "channel") });
const tokenOf = (fields: Fields): ConnectRequest => ({ token: text(fields, "token") });

const READERS = {
  connect: tokenOf,
  subscribe: (fields: Fields): SubscribeRequest => ({
    channel: text(fields, "channel"),
    recover: flag(fields, "recover"),
    offset: integer(fields, "offset", MAX_OFFSET),
    epoch: text(fields, "epoch"),
    flag: integer(fields, "flag", MAX_OFFSET),
    type: integer(fields, "type", MAX_ID),
    delta: text(fields, "delta"),
    filtered: given(fields, "tf") !== undefined,
  }),
  unsubscribe: channelOf,
  publish: channelOf,
  presence: channelOf,
  presence_stats: channelOf,
  history(fields: Fields): HistoryRequest {
    const since = given(fields, "since");
    const position = since === undefined ? undefined : fieldsOf(since);
    return {
      channel: text(fields, "channel"),
      limit: integer(fields, "limit", MAX_ID, -MAX_ID),
      reverse: flag(fields, "reverse"),
      since: position && {
        offset: integer(position, "offset", MAX_OFFSET),
        epoch: text(position, "epoch"),
      },
    };
  },
  ping: () => undefined,
  send: () => undefined,
  rpc: (fields: Fields): RpcRequest => ({
    method: text(fields, "method"),
    data: callData(given(fields, "data")),
  }),
  refresh: tokenOf,
  sub_refresh: channelOf,
};

const METHODS = Object.keys(READERS) as (keyof typeof READERS)[];

function fieldsOf(value: unknown): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new ShapeFault();
  return value as Fields;
}

const MAX_CALL_FIELDS = 16;

/**
 * Calls take objects of few fields, which may be lists of flat objects. Anything else becomes an empty list,
 * which none takes: while it waits, what was read of nested text holds twenty times as much as the text.
 */
function callData(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.values(value);
  if (Array.isArray(value) || fields.length > MAX_CALL_FIELDS) return [];
  const nested = fields.filter((field) => typeof field === "object");
  if (nested.length === 0) return value;
  return nested.every(isFlatList) ? new NestedData(value) : [];
}

function isFlatList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => isScalar(item) || isFlatObject(item));
}

function isFlatObject(value: object): boolean {
  return !Array.isArray(value) && Object.values(value).every(isScalar);
}

function isScalar(value: unknown): value is string | number | boolean | null | undefined {
  return typeof value !== "object" || value === null;
}

/** Own fields only; null is the same as absent. */
function given(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? (fields[name] ?? undefined) : undefined;
}

function text(fields: Fields, name: string): string {
  const value = given(fields, name) ?? "";
  if (typeof value !== "string") throw new ShapeFault();
  return value;
}

function flag(fields: Fields, name: string): boolean {
  const value = given(fields, name) ?? false;
  if (typeof value !== "boolean") throw new ShapeFault();
  return value;
}

function integer(fields: Fields, name: string, maximum: number, minimum = 0): number {
  const value = given(fields, name) ?? 0;
  if (!Number.isSafeInteger(value)) throw new ShapeFault();
  const number = value as number;
  if (number < minimum || number > maximum) throw new ShapeFault();
  return number;
}
