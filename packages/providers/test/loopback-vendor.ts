import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { listen } from "@belfry/testing/listen";

export interface ReceivedCall {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface LoopbackVendor {
  url: string;
  received: ReceivedCall[];
  /** Connections opened so far. */
  connections(): number;
}

/** A vendor on a loopback port that records each whole request, then answers as told. */
export async function startVendor(
  t: TestContext,
  answer: (response: ServerResponse, call: ReceivedCall) => void,
): Promise<LoopbackVendor> {
  const received: ReceivedCall[] = [];
  let connections = 0;
  const server = createServer(async (request, response) => {
    let body = "";
    request.setEncoding("utf8");
    for await (const chunk of request) body += chunk;
    const call = { method: request.method!, path: request.url!, headers: request.headers, body };
    received.push(call);
    answer(response, call);
  });
  server.on("connection", () => {
    connections += 1;
  });
  const port = await listen(t, server);
  return { url: `http://127.0.0.1:${port}`, received, connections: () => connections };
}

/** A port that does with each connection as told; resolves to its number. */
export async function startPort(t: TestContext, accept: (socket: Socket) => void): Promise<number> {
  const server = createTcpServer((socket) => {
    socket.on("error", () => {});
    accept(socket);
  });
  return await listen(t, server);
}

/** A port on which nothing listens. */
export async function closedPort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}
