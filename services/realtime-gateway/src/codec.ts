import type { PublicationText } from "@belfry/contracts/realtime-message";
import type { Incoming } from "./commands.ts";
import type { Push, Reply } from "./protocol.ts";

/** An encoding of the protocol. Messages are strings in each, so that queues and frames treat them alike. */
export interface Codec {
  readonly name: "json" | "protobuf";
  /** Whether frames are binary. Each character of a message is then one byte of it. */
  readonly isBinary: boolean;
  /** What stands between the messages of a frame. */
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
