import protobuf from "protobufjs";

/**
 * The messages of the realtime protocol that the gateway reads or writes, with all their fields, from `client.proto` of
 * github.com/centrifugal/protocol v0.21.1 (MIT). Tests compare the gateway's own reader and writer with it.
 */
const CLIENT_PROTO = `
syntax = "proto3";
message Error { uint32 code = 1; string message = 2; bool temporary = 3; }
message Command {
  uint32 id = 1;
  ConnectRequest connect = 4; SubscribeRequest subscribe = 5; UnsubscribeRequest unsubscribe = 6;
  PublishRequest publish = 7; PresenceRequest presence = 8; PresenceStatsRequest presence_stats = 9;
  HistoryRequest history = 10; PingRequest ping = 11; SendRequest send = 12; RPCRequest rpc = 13;
  RefreshRequest refresh = 14; SubRefreshRequest sub_refresh = 15;
}
message Reply {
  uint32 id = 1; Error error = 2; Push push = 4;
  ConnectResult connect = 5; SubscribeResult subscribe = 6; UnsubscribeResult unsubscribe = 7;
  HistoryResult history = 11; RPCResult rpc = 13; RefreshResult refresh = 14;
}
message Push {
  int64 id = 1; string channel = 2; Publication pub = 4; Unsubscribe unsubscribe = 7; Message message = 8;
}
message ClientInfo { string user = 1; string client = 2; bytes conn_info = 3; bytes chan_info = 4; }
message Publication {
  bytes data = 4; ClientInfo info = 5; uint64 offset = 6; map<string, string> tags = 7; bool delta = 8;
  int64 time = 9; string channel = 10; string key = 11; bool removed = 12; sint64 score = 13; string epoch = 14;
  bytes prev_data = 15; uint64 version = 16;
}
message Unsubscribe { uint32 code = 2; string reason = 3; }
message Message { bytes data = 1; }
message ConnectRequest {
  string token = 1; bytes data = 2; map<string, SubscribeRequest> subs = 3; string name = 4; string version = 5;
  map<string, string> headers = 6; int64 flag = 7; string dict = 8; string profile = 9;
}
message ConnectResult {
  string client = 1; string version = 2; bool expires = 3; uint32 ttl = 4; bytes data = 5;
  map<string, SubscribeResult> subs = 6; uint32 ping = 7; bool pong = 8; string session = 9; string node = 10;
  int64 time = 11; int64 flag = 12;
}
message RefreshRequest { string token = 1; }
message RefreshResult { string client = 1; string version = 2; bool expires = 3; uint32 ttl = 4; }
message SubscribeRequest {
  string channel = 1; string token = 2; bool recover = 3; string epoch = 6; uint64 offset = 7; bytes data = 8;
  bool positioned = 9; bool recoverable = 10; bool join_leave = 11; string delta = 12; FilterNode tf = 13;
  int64 flag = 14; int32 type = 15; int32 phase = 16; string cursor = 17; int32 limit = 18; bool asc = 19;
}
message SubscribeResult {
  bool expires = 1; uint32 ttl = 2; bool recoverable = 3; string epoch = 6; repeated Publication publications = 7;
  bool recovered = 8; uint64 offset = 9; bool positioned = 10; bytes data = 11; bool was_recovering = 12;
  bool delta = 13; int64 id = 14; int32 type = 15; int32 phase = 16; string cursor = 17;
}
message SubRefreshRequest { string channel = 1; string token = 2; }
message UnsubscribeRequest { string channel = 1; }
message UnsubscribeResult {}
message PublishRequest { string channel = 1; bytes data = 2; int32 type = 3; string key = 4; bool removed = 5; }
message PresenceRequest { string channel = 1; }
message PresenceStatsRequest { string channel = 1; }
message StreamPosition { uint64 offset = 1; string epoch = 2; }
message HistoryRequest { string channel = 1; int32 limit = 7; StreamPosition since = 8; bool reverse = 9; }
message HistoryResult { repeated Publication publications = 1; string epoch = 2; uint64 offset = 3; }
message PingRequest {}
message RPCRequest { bytes data = 1; string method = 2; }
message RPCResult { bytes data = 1; }
message SendRequest { bytes data = 1; }
message FilterNode {
  string op = 1; string key = 2; string cmp = 3; string val = 4; repeated string vals = 5; repeated FilterNode nodes = 6;
}
`;

const { root } = protobuf.parse(CLIENT_PROTO, { keepCase: true });
const Command = root.lookupType("Command");
const Reply = root.lookupType("Reply");

/** Encodes commands as one frame. Values of `bytes` fields are buffers. */
export function encodeCommands(...commands: object[]): Buffer {
  return Buffer.concat(commands.map((command) => Command.encodeDelimited(command).finish()));
}

/** Returns the tag of a length-delimited field: its number and wire type 2. */
const delimited = (number: number) => (number << 3) | 2;
const PUSH = delimited(4);
const PUB = delimited(4);
const DATA = delimited(4);
// Field 6, wire type 0 (varint).
const OFFSET = 6 << 3;

interface ReadPublication {
  offset: number;
  data: Buffer;
}

/**
 * Reads a frame: calls `onPublication` with offset and data of each publication, and `onOther` with each other reply as
 * `decodeReplies` returns it. It costs a load process no more CPU than JSON does, because a server is measured to cost
 * more if its clients read slowly.
 */
export function readFrame(
  frame: Uint8Array,
  onPublication: (publication: ReadPublication) => void,
  onOther: (reply: Record<string, unknown>) => void,
): void {
  const reader = protobuf.Reader.create(frame);
  while (reader.pos < reader.len) {
    const start = reader.pos;
    const end = reader.uint32() + reader.pos;
    const publication = readPublication(reader, end);
    reader.pos = end;
    if (publication !== undefined) onPublication(publication);
    else for (const reply of decodeReplies(frame.subarray(start, end))) onOther(reply);
  }
}

function readPublication(reader: protobuf.Reader, end: number): ReadPublication | undefined {
  if (reader.pos === end || reader.uint32() !== PUSH) return undefined;
  reader.uint32();
  for (let tag = reader.uint32(); tag !== PUB; tag = reader.uint32()) {
    reader.skipType(tag & 7);
    if (reader.pos >= end) return undefined;
  }
  const found = { offset: 0, data: Buffer.of() };
  const pubEnd = reader.uint32() + reader.pos;
  while (reader.pos < pubEnd) {
    const tag = reader.uint32();
    if (tag === DATA) found.data = Buffer.from(reader.bytes());
    else if (tag === OFFSET) found.offset = Number(reader.uint64());
    else reader.skipType(tag & 7);
  }
  return found;
}

/**
 * Returns a frame's replies and pushes with the fields that are set. 64-bit integers are numbers, bytes are buffers.
 */
export function decodeReplies(frame: Uint8Array): Record<string, unknown>[] {
  const reader = protobuf.Reader.create(frame);
  const replies: Record<string, unknown>[] = [];
  while (reader.pos < reader.len) {
    replies.push(Reply.toObject(Reply.decodeDelimited(reader), { longs: Number, bytes: Buffer }));
  }
  return replies;
}
