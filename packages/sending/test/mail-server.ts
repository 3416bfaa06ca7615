import { createServer } from "node:net";
import type { TestContext } from "node:test";
import { listen } from "@belfry/testing/listen";

const REPLIES: Readonly<Record<string, string>> = {
  EHLO: "250 mx",
  MAIL: "250 ok",
  RCPT: "250 ok",
  DATA: "354 go on",
  RSET: "250 ok",
  QUIT: "221 bye",
};

/** What the server says to a line instead of what it would; undefined: what it would. `.`: the end of a message. */
type Say = (line: string) => string | undefined;

/** A mail server on loopback; `answer` says when it has taken a whole message. */
export async function startMailServer(
  t: TestContext,
  answer: (take: () => void) => void = (take) => take(),
  say: Say = () => undefined,
) {
  const recipients: string[] = [];
  const messages: string[] = [];
  let connections = 0;
  let mostConnections = 0;
  const server = createServer((socket) => {
    connections += 1;
    mostConnections = Math.max(mostConnections, connections);
    socket.on("error", () => {});
    socket.on("close", () => {
      connections -= 1;
    });
    socket.write("220 mx ready\r\n");
    let buffered = "";
    let inMessage = false;
    let message: string[] = [];
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => {
      buffered += chunk;
      const lines = buffered.split("\r\n");
      buffered = lines.pop()!;
      for (const line of lines) {
        const verb = line.slice(0, 4).toUpperCase();
        if (inMessage) {
          if (line !== ".") {
            message.push(line.replace(/^\./, ""));
            continue;
          }
          inMessage = false;
          const refused = say(line);
          if (refused === undefined) messages.push(message.join("\r\n"));
          message = [];
          answer(() => socket.write(`${refused ?? "250 queued"}\r\n`));
          continue;
        }
        if (verb === "RCPT") recipients.push(line.slice(line.indexOf("<") + 1, -1));
        const reply = say(line) ?? REPLIES[verb] ?? "502 no such command";
        inMessage = verb === "DATA" && reply.startsWith("354");
        socket.write(`${reply}\r\n`);
      }
    });
  });
  const settings = {
    host: "127.0.0.1",
    port: await listen(t, server),
    from: "shop@example.com",
  };
  /** `recipients`: of every message that was begun; `messages`: whole, as they arrived. */
  return { settings, recipients, messages, mostConnections: () => mostConnections };
}
