interface With<Method extends string, Request> {
  id: number;
  /** The length of the command's text in bytes, which is counted as memory while the command waits. */
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
  /** A bit field. If the bit with the value 2 is set, an unrecoverable position is an error, not `recovered: false`. */
  flag: number;
  /** The subscription type. Only 0 (a stream) is supported; the protocol also has the types map and shared poll. */
  type: number;
  delta: string;
  /** Whether the request has a filter by tags. */
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
  /** The argument of the call; a `NestedData` if it has lists or objects. */
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
/** The largest offset that can be compared exactly. */
const MAX_OFFSET = Number.MAX_SAFE_INTEGER;

class ShapeFault extends Error {}

type Fields = Record<string, unknown>;

/** Returns undefined if the value is no command of the protocol. Ignores unknown fields. */
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
 * Accepts scalars and objects with few fields, whose values are scalars, or lists or objects of scalars and flat
 * objects. Anything else becomes an empty list, which every call rejects. Nested data stays text until the call runs,
 * because parsed JSON takes twenty times the memory.
 */
function callData(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.values(value);
  if (Array.isArray(value) || fields.length > MAX_CALL_FIELDS) return [];
  const nested = fields.filter((field): field is object => !isScalar(field));
  if (nested.length === 0) return value;
  return nested.every(hasFlatItems) ? new NestedData(value) : [];
}

function hasFlatItems(value: object): boolean {
  return Object.values(value).every((item) => isScalar(item) || isFlatObject(item));
}

function isFlatObject(value: object): boolean {
  return !Array.isArray(value) && Object.values(value).every(isScalar);
}

function isScalar(value: unknown): value is string | number | boolean | null | undefined {
  return typeof value !== "object" || value === null;
}

/** Reads an own field; null counts as absent. */
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

/**
 * Data of a call that has lists or objects. It stays text until the call runs, because parsed it takes twenty times the
 * memory.
 */
export class NestedData {
  readonly #text: string;

  constructor(value: object) {
    this.#text = JSON.stringify(value);
  }

  read(): unknown {
    return JSON.parse(this.#text);
  }
}
