import type { AddressInfo, Server, Socket } from "node:net";
import type { Cleanup } from "./cleanup.ts";

/** Listens on a free port and returns it. After the test the server and its connections are closed. */
export async function listen(t: Cleanup, server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}
