import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Cleanup } from "@belfry/testing/cleanup";
import { listen } from "@belfry/testing/listen";
import { Webhook } from "standardwebhooks";

/** The content of a webhook message. */
export interface Told {
  type: string;
  data: { deliveryId?: string; id?: string; status?: string };
}

/** A tenant's webhook endpoint on loopback. */
export interface Receiver {
  url: string;
  /** What was answered with 204, by webhook-id: how often, and what it told. */
  arrived: Map<string, { times: number; told: Told }>;
  /** Requests that fail verification by the standardwebhooks library, or repeat an id with another body. */
  forged: string[];
  /** The endpoint's secret, set once it is known. */
  secret: string;
  /** Called for each request before it is answered. */
  heard: () => void;
  /** If true, requests get no answer. */
  hangs: boolean;
}

/** Delays answers so that a crash interrupts calls. */
const DELAY_MS = 150;

/**
 * Verifies each request as the standard says; answers one id in 50 with 500, by `random`, the first time: a second
 * failure would keep it waiting for five minutes.
 */
export async function startReceiver(t: Cleanup, random: () => number): Promise<Receiver> {
  const receiver: Receiver = {
    ...{ url: "", secret: "", heard: () => undefined },
    ...{ arrived: new Map(), forged: [], hangs: false },
  };
  const seen = new Set<string>();
  const server = createServer(async (request, response) => {
    receiver.heard();
    if (receiver.hangs) return;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const id = String(request.headers["webhook-id"]);
    await sleep(random() * DELAY_MS);
    const isFirst = !seen.has(id);
    seen.add(id);
    if (isFirst && random() < 0.02) return response.writeHead(500).end("not now");
    try {
      const told = new Webhook(receiver.secret).verify(body, {
        "webhook-id": id,
        "webhook-timestamp": String(request.headers["webhook-timestamp"]),
        "webhook-signature": String(request.headers["webhook-signature"]),
      }) as Told;
      const known = receiver.arrived.get(id);
      if (known !== undefined && JSON.stringify(known.told) !== JSON.stringify(told)) {
        throw new Error("another body under the same id");
      }
      receiver.arrived.set(id, { times: (known?.times ?? 0) + 1, told });
      response.writeHead(204).end();
    } catch (error) {
      receiver.forged.push(`${id}: ${error}`);
      response.writeHead(400).end();
    }
  });
  receiver.url = `http://127.0.0.1:${await listen(t, server)}/hooks`;
  return receiver;
}
