import type { Codec } from "./codec.ts";
import { type Incoming, readCommand } from "./commands.ts";

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
