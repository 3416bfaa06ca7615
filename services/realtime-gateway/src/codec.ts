import type { PublicationText } from "@belfry/contracts/realtime-message";
import { type Incoming, readCommand } from "./commands.ts";
import type { Push, Reply } from "./protocol.ts";

/** An encoding of the protocol. Messages are strings in each, so that queues and frames treat them alike. */
export interface Codec {
  readonly name: "json" | "protobuf";
  /** Whether frames are binary. Each character of a message is then one byte of it. */
  readonly isBinary: boolean;
  /** Separates the messages of a frame. */
  readonly separator: string;
  readonly ping: string;
  /** Reads the messages of one frame; undefined when one of them is not of the protocol. Never throws. */
  decodeFrame(frame: Buffer): Incoming[] | undefined;
  encodeReply(reply: Reply): string;
  encodePush(push: Push): string;
  /** Encodes a publication as it came (contracts/realtime-message), without parsing its data or writing it again. */
  encodePublication(publication: PublicationText): string;
  /** The bytes of a message in a frame. */
  byteLength(message: string): number;
}

/** Frames of text: one JSON object a line. JSON.stringify escapes the line feeds within a message. */
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

/** A push for several sessions: encoded once for each codec, when the first session that speaks it is given the push. */
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

  /** For a session that changes it before it is sent. */
  read(): Push {
    const push = this.#push;
    return "text" in push ? { channel: push.channel, pub: JSON.parse(push.text) } : push;
  }

  #encode(codec: Codec): string {
    const push = this.#push;
    return "text" in push ? codec.encodePublication(push) : codec.encodePush(push);
  }
}
