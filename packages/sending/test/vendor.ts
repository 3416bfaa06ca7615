import { createServer, type ServerResponse } from "node:http";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { eventually } from "@belfry/testing/eventually";
import { listen } from "@belfry/testing/listen";

export interface VendorCall {
  path: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the vendor was sent
  body: any;
  /** `performance.now()` of its arrival. */
  at: number;
}

type ImmediateAnswer = (response: ServerResponse, call: VendorCall) => void;
export type Answer = ImmediateAnswer | ((...args: Parameters<ImmediateAnswer>) => Promise<void>);

export const accept: ImmediateAnswer = (response, call) => {
  if (call.path.includes("mail")) {
    response.writeHead(202, { "x-message-id": `vendor-${Math.random()}` }).end();
  } else {
    const body = JSON.stringify({ message_uuid: `vendor-${Math.random()}` });
    response.writeHead(202, { "content-type": "application/json" }).end(body);
  }
};

export const status =
  (code: number, headers: Record<string, string> = {}, body = ""): ImmediateAnswer =>
  (response) =>
    response.writeHead(code, headers).end(body);

/** Never answers. */
export const hang: Answer = () => {};

/** A vendor's API on loopback that records every request; `answer` may be replaced. */
export async function startVendor(t: TestContext, answer: Answer = accept) {
  const calls: VendorCall[] = [];
  const vendor = { url: "", calls, answer, connectionsAtMost };
  const server = createServer(async (request, response) => {
    let text = "";
    request.setEncoding("utf8");
    try {
      for await (const chunk of request) text += chunk;
    } catch {
      // It broke off: no whole request has come.
      return;
    }
    const call = { path: request.url ?? "", body: JSON.parse(text), at: performance.now() };
    calls.push(call);
    await vendor.answer(response, call);
  });
  /** Waits until clients keep no more connections than this. */
  async function connectionsAtMost(most: number): Promise<void> {
    await eventually(async () => (await promisify(server.getConnections).call(server)) <= most);
  }
  vendor.url = `http://127.0.0.1:${await listen(t, server)}`;
  return vendor;
}

/** The delivery that a SendGrid call was for. */
export function deliveryOf(call: VendorCall): string {
  return call.body.personalizations[0].custom_args.delivery_id;
}
