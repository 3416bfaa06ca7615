import { connect, createServer, type Server, type Socket } from "node:net";
import type { Cleanup } from "./cleanup.ts";
import { freePort } from "./free-port.ts";

/** The last bytes (in hex) that a Postgres client sends before it disconnects. */
export const POSTGRES_TERMINATE = "5800000004";

/**
 * Creates a TCP proxy in front of a server, on a port of its own. It refuses connections before `open` and after
 * `close`, like a server that is down. It is closed after the test.
 */
export async function createGate(t: Cleanup, firstTarget: string) {
  let target = new URL(firstTarget);
  const url = new URL(firstTarget);
  url.hostname = "127.0.0.1";
  url.port = String(await freePort());
  const sockets = new Set<Socket>();
  const connections: { lastBytes: Buffer }[] = [];
  let server: Server | undefined;

  const forward = (from: Socket) => {
    const to = connect(Number(target.port), target.hostname);
    const connection = { lastBytes: Buffer.alloc(0) };
    connections.push(connection);
    from.on("data", (chunk) => {
      connection.lastBytes = Buffer.concat([connection.lastBytes, chunk]).subarray(-5);
    });
    for (const socket of [from, to]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        from.destroy();
        to.destroy();
      });
    }
    from.pipe(to).pipe(from);
  };
  const gate = {
    /** The server's URL with the gate's host and port. */
    url: url.href.replace(/\/$/, ""),
    async open() {
      const opened = createServer(forward);
      server = opened;
      await new Promise<void>((resolve) => opened.listen(Number(url.port), "127.0.0.1", resolve));
    },
    /** Cuts all connections and accepts no more. */
    async close() {
      const closing = server;
      server = undefined;
      for (const socket of sockets) socket.destroy();
      if (closing !== undefined) await new Promise((resolve) => closing.close(resolve));
    },
    /** New connections lead to this server from now on. */
    leadTo(nextTarget: string) {
      target = new URL(nextTarget);
    },
    /** Returns, for each connection so far, the last five bytes that the client sent, in hex. */
    lastWords: () => connections.map(({ lastBytes }) => lastBytes.toString("hex")),
  };
  t.after(gate.close);
  return gate;
}

export async function createOpenGate(t: Cleanup, target: string) {
  const gate = await createGate(t, target);
  await gate.open();
  return gate;
}

export type Gate = Awaited<ReturnType<typeof createGate>>;
