import { connect, createServer, type Socket } from "node:net";
import type { Cleanup } from "@belfry/testing/cleanup";

/** A TCP port in front of a server, which can be taken away and given back. */
export async function cuttableProxy(t: Cleanup, first: string) {
  let { hostname, port } = new URL(first);
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(Number(port), hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  t.after(() => {
    cut();
    server.close();
  });
  const url = new URL(first);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as { port: number }).port);
  return {
    /** The server's address with our port. */
    url: url.href,
    cut,
    mend: () => {
      isCut = false;
    },
    /** New connections go to this server from now on. */
    target: (next: string) => {
      ({ hostname, port } = new URL(next));
    },
  };
}

export type CuttableProxy = Awaited<ReturnType<typeof cuttableProxy>>;
