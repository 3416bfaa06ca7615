import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Cleanup } from "@belfry/testing/cleanup";
import { listen } from "@belfry/testing/listen";

/** How the vendors answer; `cut` breaks the connection in the middle of the answer. */
export type VendorMood = "accepts" | "cut" | "throttled" | "broken" | "hangs";

export interface VendorRequest {
  /** The key of the event that the message is of. */
  key: string;
  channel: "EMAIL" | "SMS" | "CHAT";
  /** By performance.now(). */
  at: number;
  answer: VendorMood;
}

/** SendGrid, Vonage and a chat on loopback: every request is kept, whatever its answer. */
export interface Vendors {
  url: string;
  mood: VendorMood;
  /** Before every answer. */
  delayMs: number;
  requests: VendorRequest[];
  /** Called for each request before it is answered. */
  watch?: (request: VendorRequest, body: string) => void;
}

/** The channel of each path. Vonage has the other paths. */
const CHANNELS: Record<string, VendorRequest["channel"]> = {
  "/v3/mail/send": "EMAIL",
  "/chat": "CHAT",
};
/** What the load puts into subject and text. */
const KEY_PATTERN = /key-[a-z0-9]+-\d+/;

export async function startVendors(t: Cleanup): Promise<Vendors> {
  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.destroy());
  });
  const port = await listen(t, server);
  const vendors: Vendors = {
    url: `http://127.0.0.1:${port}`,
    mood: "accepts",
    delayMs: 5,
    requests: [],
  };

  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const channel = CHANNELS[request.url ?? ""] ?? "SMS";
    const key = KEY_PATTERN.exec(body)?.[0];
    if (key === undefined) throw new Error(`no key in a request to ${request.url}`);
    const answer = vendors.mood;
    const kept: VendorRequest = { key, channel, at: performance.now(), answer };
    vendors.requests.push(kept);
    vendors.watch?.(kept, body);
    setTimeout(() => answerAs(answer, channel, response), vendors.delayMs);
  };
  return vendors;
}

function answerAs(
  mood: VendorMood,
  channel: VendorRequest["channel"],
  response: ServerResponse,
): void {
  switch (mood) {
    case "accepts":
      response.statusCode = 202;
      if (channel === "EMAIL") {
        response.setHeader("x-message-id", randomUUID());
        response.end();
      } else {
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ message_uuid: randomUUID() }));
      }
      return;
    case "throttled":
      response.writeHead(429, { "retry-after": "1" }).end("{}");
      return;
    case "broken":
      response.writeHead(500).end("{}");
      return;
    case "cut":
      response.socket?.write("HTTP/1.1 202 Acc");
      setImmediate(() => response.socket?.destroy());
      return;
    case "hangs":
  }
}
