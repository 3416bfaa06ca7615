import { type Incoming, readCommand } from "../session/commands.ts";
import type { Codec } from "./codec.ts";

/** Objects joined by one line feed. JSON.stringify writes none itself: text holds it escaped. */
export const jsonCodec: Codec = {
  decode(frame) {
    const messages: Incoming[] = [];
    try {
      for (const line of frame.split("\n")) {
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
  reply: (reply) => JSON.stringify(reply),
  push: (push) => JSON.stringify({ push }),
  // The publication is JSON already: it is not read here, and not written again.
  publication: (channel, text) => `{"push":{"channel":${JSON.stringify(channel)},"pub":${text}}}`,
  ping: "{}",
  join: (messages) => (messages.length === 1 ? messages[0]! : messages.join("\n")),
};
