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

/**
 * The server's answer to a line; undefined: its normal one. An empty line stands for the connection, `.` for the end of a
 * message. An answer that begins with 421 ends the connection.
 */
type Say = (line: string, session: { connections: number; messages: number }) => string | undefined;

/** A mail server on loopback; `answer` decides when it has accepted a whole message. */
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
    let taken = 0;
    const answered = (line: string, usual: string) => {
      const reply = say(line, { connections, messages: taken }) ?? usual;
      if (reply.startsWith("421")) socket.end(`${reply}\r\n`);
      else socket.write(`${reply}\r\n`);
      return reply;
    };
    answered("", "220 mx ready");
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
          const whole = message.join("\r\n");
          message = [];
          answer(() => {
            if (!answered(line, "250 queued").startsWith("250")) return;
            messages.push(whole);
            taken += 1;
          });
          continue;
        }
        if (verb === "RCPT") recipients.push(line.slice(line.indexOf("<") + 1, -1));
        const reply = answered(line, REPLIES[verb] ?? "502 no such command");
        inMessage = reply.startsWith("354");
      }
    });
  });
  const settings = {
    host: "127.0.0.1",
    port: await listen(t, server),
    from: "shop@example.com",
  };
  /** `recipients`: of every message that was begun; `messages`: complete ones, as they arrived. */
  return { settings, recipients, messages, mostConnections: () => mostConnections };
}
