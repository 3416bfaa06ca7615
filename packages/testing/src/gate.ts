import { connect, createServer, type Server, type Socket } from "node:net";
import type { Cleanup } from "./cleanup.ts";
import { freePort } from "./free-port.ts";

/** What a client of Postgres says before it goes. */
export const POSTGRES_TERMINATE = "5800000004";

/** Stands before a server and can be away: until it is opened, and after the test. */
export async function createGate(t: Cleanup, target: string) {
  const { hostname, port } = new URL(target);
  const url = new URL(target);
  url.hostname = "127.0.0.1";
  url.port = String(await freePort());
  const sockets = new Set<Socket>();
  const words: { last: Buffer }[] = [];
  let server: Server | undefined;
  const close = async () => {
    const closing = server;
    server = undefined;
    for (const socket of sockets) socket.destroy();
    if (closing !== undefined) await new Promise((resolve) => closing.close(resolve));
  };
  t.after(close);
  return {
    /** The server's, with the gate's host and port. */
    url: url.href.replace(/\/$/, ""),
    /** Cuts every connection off. */
    close,
    async open() {
      const opened = createServer((from) => {
        const to = connect(Number(port), hostname);
        const said = { last: Buffer.alloc(0) };
        words.push(said);
        from.on("data", (chunk) => {
          said.last = Buffer.concat([said.last, chunk]).subarray(-5);
        });
        for (const socket of [from, to]) {
          sockets.add(socket);
          socket
            .on("error", () => undefined)
            .on("close", () => {
              sockets.delete(socket);
              from.destroy();
              to.destroy();
            });
        }
        from.pipe(to).pipe(from);
      });
      server = opened;
      await new Promise<void>((resolve) => opened.listen(Number(url.port), "127.0.0.1", resolve));
    },
    /** Of each connection so far the client's last five bytes, in hex. */
    lastWords: () => words.map(({ last }) => last.toString("hex")),
  };
}

export type Gate = Awaited<ReturnType<typeof createGate>>;
