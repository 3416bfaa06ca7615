import { cutPublicationText } from "@belfry/contracts/realtime-message";
import type { Codec } from "./codec.ts";
import { type Incoming, readCommand } from "./commands.ts";
import {
  delimited,
  lengthPrefixed,
  Message,
  readFrame,
  utf8Bytes,
  varint,
  writeMessage,
  writeText,
  writeTexts,
} from "./protobuf-wire.ts";

// Field numbers and types from client.proto 0.21.1 (centrifugal/protocol), for the supported part of the protocol.
const EMPTY = new Message({});
const CHANNEL = new Message({ channel: [1, "text"] });
const TOKEN = new Message({ token: [1, "text"] });
const COMMAND = new Message({
  id: [1, "unsigned"],
  connect: [4, TOKEN],
  subscribe: [
    5,
    new Message({
      channel: [1, "text"],
      recover: [3, "boolean"],
      epoch: [6, "text"],
      offset: [7, "unsigned"],
      delta: [12, "text"],
      tf: [13, EMPTY],
      flag: [14, "int64"],
      type: [15, "int32"],
    }),
  ],
  unsubscribe: [6, CHANNEL],
  publish: [7, CHANNEL],
  presence: [8, CHANNEL],
  presence_stats: [9, CHANNEL],
  history: [
    10,
    new Message({
      channel: [1, "text"],
      limit: [7, "int32"],
      since: [8, new Message({ offset: [1, "unsigned"], epoch: [2, "text"] })],
      reverse: [9, "boolean"],
    }),
  ],
  ping: [11, EMPTY],
  send: [12, EMPTY],
  rpc: [13, new Message({ data: [1, "json"], method: [2, "text"] })],
  refresh: [14, TOKEN],
  sub_refresh: [15, CHANNEL],
});

const PUBLICATION_FIELDS = { data: 4, offset: 6, tags: 7 } as const;
const PUBLICATION = new Message({
  data: [PUBLICATION_FIELDS.data, "json"],
  offset: [PUBLICATION_FIELDS.offset, "unsigned"],
  tags: [PUBLICATION_FIELDS.tags, "texts"],
});
const GRANT = {
  client: [1, "text"],
  version: [2, "text"],
  expires: [3, "boolean"],
  ttl: [4, "unsigned"],
} as const;
const PUSH_FIELDS = { channel: 2, pub: 4 } as const;
const PUSH_OF_REPLY = 4;
const REPLY = new Message({
  id: [1, "unsigned"],
  error: [
    2,
    new Message({ code: [1, "unsigned"], message: [2, "text"], temporary: [3, "boolean"] }),
  ],
  push: [
    PUSH_OF_REPLY,
    new Message({
      channel: [PUSH_FIELDS.channel, "text"],
      pub: [PUSH_FIELDS.pub, PUBLICATION],
      unsubscribe: [7, new Message({ code: [2, "unsigned"], reason: [3, "text"] })],
      message: [8, new Message({ data: [1, "json"] })],
    }),
  ],
  connect: [5, new Message({ ...GRANT, ping: [7, "unsigned"], pong: [8, "boolean"] })],
  subscribe: [
    6,
    new Message({
      recoverable: [3, "boolean"],
      epoch: [6, "text"],
      publications: [7, [PUBLICATION]],
      recovered: [8, "boolean"],
      offset: [9, "unsigned"],
      positioned: [10, "boolean"],
      was_recovering: [12, "boolean"],
    }),
  ],
  unsubscribe: [7, EMPTY],
  history: [
    11,
    new Message({
      publications: [1, [PUBLICATION]],
      epoch: [2, "text"],
      offset: [3, "unsigned"],
    }),
  ],
  rpc: [13, new Message({ data: [1, "json"] })],
  refresh: [14, new Message(GRANT)],
});

/**
 * Writes tags (a map of strings) from their JSON text. If the JSON has no escapes, the strings are cut out between the
 * quotation marks, because JSON.parse would cost as much as encoding the rest of the publication.
 */
function writeTags(json: string): string {
  if (json.includes("\\")) return writeTexts(PUBLICATION_FIELDS.tags, JSON.parse(json));
  let written = "";
  for (let at = json.indexOf('"'); at >= 0; ) {
    const keyEnd = json.indexOf('"', at + 1);
    const end = json.indexOf('"', keyEnd + 3);
    const [key, text] = [json.slice(at + 1, keyEnd), json.slice(keyEnd + 3, end)];
    written += writeText(PUBLICATION_FIELDS.tags, key, text);
    at = json.indexOf('"', end + 1);
  }
  return written;
}

/** Encodes messages in binary frames, each after its length. A message is a string with one character per byte. */
export const protobufCodec: Codec = {
  name: "protobuf",
  isBinary: true,
  separator: "",
  ping: lengthPrefixed(""),
  decodeFrame(frame) {
    const commands: Incoming[] = [];
    for (const { fields, bytes } of readFrame(frame, COMMAND) ?? []) {
      const command = readCommand(fields, bytes);
      if (command === undefined) return undefined;
      commands.push(command);
    }
    return commands.length === 0 ? undefined : commands;
  },
  encodeReply: (reply) => lengthPrefixed(writeMessage(REPLY, reply)),
  encodePush: (push) => lengthPrefixed(writeMessage(REPLY, { push })),
  encodePublication({ channel, offset, text }) {
    const cut = cutPublicationText(text);
    if (cut === undefined) return protobufCodec.encodePush({ channel, pub: JSON.parse(text) });
    const publication =
      delimited(PUBLICATION_FIELDS.data, utf8Bytes(cut.data)) +
      varint(PUBLICATION_FIELDS.offset * 8) +
      varint(offset) +
      writeTags(cut.tags);
    const push =
      delimited(PUSH_FIELDS.channel, utf8Bytes(channel)) + delimited(PUSH_FIELDS.pub, publication);
    return lengthPrefixed(delimited(PUSH_OF_REPLY, push));
  },
  byteLength: (message) => message.length,
};
