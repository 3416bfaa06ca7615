import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { Cleanup } from "@belfry/testing/cleanup";

/** A fault of the network, of Belfry or of a load balancer, which one request meets. */
export type Fault =
  | { cut: "before" | "after" }
  | { delayMs: number }
  | { hangs: true }
  | { status: number; headers?: Record<string, string>; body?: object | string };

export interface SeenRequest {
  method: string;
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
}

/** A proxy before one server, which breaks the requests that it is told to break. */
export async function startFaultyProxy(t: Cleanup, upstream: string) {
  const faults: Fault[] = [];
  const seen: SeenRequest[] = [];
  const waiting: (() => void)[] = [];

  async function forward(request: SeenRequest, response: ServerResponse, isCut: boolean) {
    const { method, url, body } = request;
    const headers = Object.entries(request.headers).filter(
      ([name]) => !["connection", "host", "content-length", "transfer-encoding"].includes(name),
    ) as [string, string][];
    const hasBody = method !== "GET" && body !== "";
    const answer = await fetch(upstream + url, { method, headers, body: hasBody ? body : null });
    const data = Buffer.from(await answer.arrayBuffer());
    if (isCut) return response.destroy();
    const kept = [...answer.headers].filter(([name]) => !/^(connection|transfer|keep)/.test(name));
    response.writeHead(answer.status, Object.fromEntries(kept)).end(data);
  }

  const server = createServer(async (incoming, response) => {
    const body = (await buffer(incoming)).toString();
    const { method = "", url = "", headers } = incoming;
    const request = { method, url, headers, body };
    seen.push(request);
    for (const wake of waiting.splice(0)) wake();
    const fault = faults.shift() ?? { delayMs: 0 };
    if ("hangs" in fault) return;
    if ("status" in fault) {
      const { status, headers = {}, body: told = {} } = fault;
      const text = typeof told === "string" ? told : JSON.stringify(told);
      return response.writeHead(status, headers).end(text);
    }
    if ("delayMs" in fault) await sleep(fault.delayMs);
    if ("cut" in fault && fault.cut === "before") return response.destroy();
    await forward(request, response, "cut" in fault);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults,
    seen,
    /** Waits until a request has arrived since the last `reset`. */
    async arrived() {
      while (seen.length === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    reset() {
      faults.length = 0;
      seen.length = 0;
    },
  };
}
