import type { PublicationText } from "@belfry/contracts/realtime-message";
import { type Incoming, readCommand } from "./commands.ts";
import type { Push, Reply } from "./protocol.ts";

/** An encoding of the protocol. Messages are strings in both encodings, so that queues and frames need not differ. */
export interface Codec {
  readonly name: "json" | "protobuf";
  /** Whether frames are binary. If so, each character of a message is one byte. */
  readonly isBinary: boolean;
  /** Separates the messages of a frame. */
  readonly separator: string;
  readonly ping: string;
  /** Reads the messages of one frame; returns undefined if one of them is not of the protocol. Never throws. */
  decodeFrame(frame: Buffer): Incoming[] | undefined;
  encodeReply(reply: Reply): string;
  encodePush(push: Push): string;
  /** Encodes a publication from its text (contracts/realtime-message), without parsing and serializing its data. */
  encodePublication(publication: PublicationText): string;
  /** Returns the number of bytes of a message in a frame. */
  byteLength(message: string): number;
}

/** Encodes messages as JSON in text frames, one object per line. JSON.stringify escapes line feeds within a message. */
export const jsonCodec: Codec = {
  name: "json",
  isBinary: false,
  separator: "\n",
  ping: "{}",
  decodeFrame(frame) {
    const messages: Incoming[] = [];
    try {
      for (const line of frame.toString().split("\n")) {
        if (line === "") continue;
        const message = readCommand(JSON.parse(line), Buffer.byteLength(line));
        if (message === undefined) return undefined;
        messages.push(message);
      }
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
    return messages.length === 0 ? undefined : messages;
  },
  encodeReply: (reply) => JSON.stringify(reply),
  encodePush: (push) => JSON.stringify({ push }),
  encodePublication: ({ channel, text }) =>
    `{"push":{"channel":${JSON.stringify(channel)},"pub":${text}}}`,
  byteLength: (message) => Buffer.byteLength(message),
};

/** A push for several sessions. It is encoded once per codec, when the first session with this codec needs it. */
export class SharedPush {
  readonly #push: Push | PublicationText;
  #json: string | undefined;
  #protobuf: string | undefined;

  constructor(push: Push | PublicationText) {
    this.#push = push;
  }

  encoded(codec: Codec): string {
    if (codec.name === "json") {
      this.#json ??= this.#encode(codec);
      return this.#json;
    }
    this.#protobuf ??= this.#encode(codec);
    return this.#protobuf;
  }

  /** Returns the push as an object, for a session that changes it before sending. */
  read(): Push {
    const push = this.#push;
    return "text" in push ? { channel: push.channel, pub: JSON.parse(push.text) } : push;
  }

  #encode(codec: Codec): string {
    const push = this.#push;
    return "text" in push ? codec.encodePublication(push) : codec.encodePush(push);
  }
}
